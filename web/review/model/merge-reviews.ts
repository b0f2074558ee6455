/**
 * Merges two people's edits of the same captions since the last version both have seen. If only one
 * of them changed a caption, that change counts; if both changed it differently, a person has to
 * choose. Pure.
 */
import { diffArrays } from 'diff';
import type { Decision, DecisionChange } from './history.ts';
import type { ReviewCue, SharedCue } from './cue.ts';
import { editorSpeakers } from './cue-speakers.ts';
import type { Splice } from './splice.ts';

/**
 * A range of captions and who changed it. `joined`: the changes of both fit together in one
 * caption.
 */
export interface Region {
  readonly kind: 'same' | 'mine' | 'theirs' | 'both' | 'joined' | 'conflict';
  readonly base: Range;
  readonly mine: Range;
  readonly theirs: Range;
  /** The caption with the changes of both. */
  readonly joined?: SharedCue;
}

export interface Versions {
  /** The last version that both have seen. */
  readonly base: readonly SharedCue[];
  readonly mine: readonly SharedCue[];
  readonly theirs: readonly SharedCue[];
}

/** The regions of three versions, in order; together they cover each version. */
export function regionsOf(versions: Versions): Region[] {
  const regions: Region[] = [];
  for (const region of groupsOf(versions)) {
    let next = region;
    // Edits of two people whose captions would overlap have to be decided together.
    for (let at = clashing(regions, next, versions); at >= 0;) {
      next = conflictOf(regions[at]!, next);
      regions.splice(at);
      at = clashing(regions, next, versions);
    }
    regions.push(next);
  }
  return regions;
}

/** The captions of a region in one version. */
export const cuesIn = <Cue>(cues: readonly Cue[], { from, to }: Range): readonly Cue[] =>
  cues.slice(from, to);

function groupsOf(versions: Versions): Region[] {
  const { base, mine, theirs } = versions;
  const left = hunksBetween(base, mine);
  const right = hunksBetween(base, theirs);
  const regions: Region[] = [];
  let at = { base: 0, mine: 0, theirs: 0 };
  const push = (to: number, own: readonly Hunk[], their: readonly Hunk[]): void => {
    const end = {
      base: to,
      mine: at.mine + to - at.base + growthOf(own),
      theirs: at.theirs + to - at.base + growthOf(their),
    };
    const ranges = {
      base: { from: at.base, to: end.base },
      mine: { from: at.mine, to: end.mine },
      theirs: { from: at.theirs, to: end.theirs },
    };
    regions.push(settled(ranges, own, their, versions));
    at = end;
  };
  while (left.length + right.length > 0) {
    const from = Math.min(firstOf('from', left), firstOf('from', right));
    if (from > at.base) push(from, [], []);
    const { own, their, to } = group(left, right, from);
    push(to, own, their);
  }
  if (base.length > at.base) push(base.length, [], []);
  return regions;
}

const firstOf = (side: 'from' | 'to', [first]: readonly Hunk[]): number =>
  first?.base[side] ?? Number.POSITIVE_INFINITY;
const growthOf = (hunks: readonly Hunk[]): number =>
  hunks.reduce((sum, { base, other }) => sum + rangeSize(other) - rangeSize(base), 0);

/** Takes from both lists the hunks that begin at a position, and those that overlap them. */
function group(
  left: Hunk[],
  right: Hunk[],
  from: number,
): { own: Hunk[]; their: Hunk[]; to: number } {
  const [own, their]: [Hunk[], Hunk[]] = [[], []];
  let to = Math.min(firstOf('to', left), firstOf('to', right));
  // A caption inserted before another is apart from a change to that one.
  const isNext = (hunks: readonly Hunk[]): boolean =>
    firstOf('from', hunks) < to || firstOf('to', hunks) === from;
  for (;;) {
    const [among, taken] = isNext(left) ? [left, own] : [right, their];
    if (!isNext(among)) return { own, their, to };
    to = Math.max(to, firstOf('to', among));
    taken.push(...among.splice(0, 1));
  }
}

function settled(
  ranges: Pick<Region, 'base' | 'mine' | 'theirs'>,
  own: readonly Hunk[],
  their: readonly Hunk[],
  { base, mine, theirs }: Versions,
): Region {
  if (own.length === 0) return { kind: their.length === 0 ? 'same' : 'theirs', ...ranges };
  if (their.length === 0) return { kind: 'mine', ...ranges };
  const [before, now, other] = [
    cuesIn(base, ranges.base),
    cuesIn(mine, ranges.mine),
    cuesIn(theirs, ranges.theirs),
  ];
  const isAlike =
    now.length === other.length &&
    now.every((cue, index) => isSameCue(cue, other[index] as SharedCue));
  if (isAlike) return { kind: 'both', ...ranges };
  const joined =
    before.length === 1 && now.length === 1 && other.length === 1
      ? joinedCue(before[0]!, now[0]!, other[0]!)
      : null;
  return joined ? { kind: 'joined', ...ranges, joined } : { kind: 'conflict', ...ranges };
}

/** One caption with the changes of both; null if both changed the same field. */
function joinedCue(before: SharedCue, mine: SharedCue, theirs: SharedCue): SharedCue | null {
  let fits = true;
  const pick = <T>(of: (cue: SharedCue) => T): T => {
    const [was, own, other] = [before, mine, theirs].map((cue) => JSON.stringify(of(cue)));
    if (own !== was && other !== was && own !== other) fits = false;
    return own === was ? of(theirs) : of(mine);
  };
  const start = pick((cue) => cue.start);
  const end = pick((cue) => cue.end);
  const lines = pick((cue) => cue.lines);
  const speaker = pick((cue) => cue.speaker ?? null);
  if (!fits || start >= end) return null;
  return { start, end, lines, ...(speaker === null ? {} : { speaker }) };
}

const conflictOf = (first: Region, second: Region): Region => ({
  kind: 'conflict',
  base: { from: first.base.from, to: second.base.to },
  mine: { from: first.mine.from, to: second.mine.to },
  theirs: { from: first.theirs.from, to: second.theirs.to },
});

/** Where a region before the next one clashes with it; -1 if none does. Deleted captions may leave nothing between. */
function clashing(regions: readonly Region[], next: Region, versions: Versions): number {
  for (let at = regions.length - 1; at >= 0; at -= 1) {
    const region = regions[at]!;
    if (clash(region, next, versions)) return at;
    if (rangeSize(region.mine) > 0 && rangeSize(region.theirs) > 0) break;
  }
  return -1;
}

/** Whether two regions in a row may be taken from different versions and overlap in time. */
function clash(first: Region, second: Region, versions: Versions): boolean {
  for (const before of outcomes(first, versions)) {
    for (const after of outcomes(second, versions)) {
      // Overlaps within one version are as somebody wanted them; what is joined is nobody's version.
      if (before.of === after.of && before.of !== 'joined') continue;
      const [last, next] = [before.cues.at(-1), after.cues[0]];
      if (last && next && last.end > next.start) return true;
    }
  }
  return false;
}

interface Outcome {
  of: 'mine' | 'theirs' | 'joined';
  cues: readonly SharedCue[];
}

/** The possible outcomes of a region; none if it is alike in both versions. */
function outcomes({ kind, mine, theirs, joined }: Region, versions: Versions): Outcome[] {
  const own: Outcome = { of: 'mine', cues: cuesIn(versions.mine, mine) };
  const other: Outcome = { of: 'theirs', cues: cuesIn(versions.theirs, theirs) };
  if (kind === 'mine') return [own];
  if (kind === 'theirs') return [other];
  if (kind === 'conflict') return [own, other];
  return joined ? [{ of: 'joined', cues: [joined] }] : [];
}

/** The captions with everything merged that can be; conflicts keep mine. */
export const mergedCues = (regions: readonly Region[], { mine, theirs }: Versions): SharedCue[] =>
  regions.flatMap((region) =>
    region.joined
      ? [region.joined]
      : [...(region.kind === 'theirs' ? cuesIn(theirs, region.theirs) : cuesIn(mine, region.mine))],
  );

/**
 * The captions that both have seen once the regions are merged: the other side's, except where
 * there is still a conflict.
 */
export const seenCues = (regions: readonly Region[], { base, theirs }: Versions): SharedCue[] =>
  regions.flatMap((region) => [
    ...(region.kind === 'conflict' ? cuesIn(base, region.base) : cuesIn(theirs, region.theirs)),
  ]);

/** A range of captions replaced by the other side's. */
export interface AcceptedChange {
  readonly before: readonly ReviewCue[];
  readonly after: readonly ReviewCue[];
}

/**
 * The splices, to be applied in order, that bring the other side's captions into a review.
 * @param isTaken whether a region gets the other side's captions
 * @param nextId the id of the next new caption
 */
export function splicesFrom(
  regions: readonly Region[],
  cues: readonly ReviewCue[],
  theirs: readonly SharedCue[],
  nextId: number,
  isTaken: (region: Region) => boolean,
): { splices: Splice[]; taken: AcceptedChange[] } {
  const splices: Splice[] = [];
  const taken: AcceptedChange[] = [];
  let shift = 0;
  let id = nextId;
  for (const region of regions) {
    if (!isTaken(region)) continue;
    const removed = cuesIn(cues, region.mine);
    const wanted = region.joined ? [region.joined] : cuesIn(theirs, region.theirs);
    const inserted = wanted.map((cue, at): ReviewCue => {
      const { start, end, lines } = cue;
      const { speakers: _, ...own } = removed[at] ?? { id: id++ };
      return { ...own, start, end, lines, ...editorSpeakers(cue) };
    });
    splices.push({ at: region.mine.from + shift, removed, inserted });
    taken.push({ before: removed, after: inserted });
    shift += inserted.length - removed.length;
  }
  return { splices, taken };
}

/** Decisions in three versions, by correction id. */
interface DecisionVersions {
  readonly base: ReadonlyMap<string, Decision>;
  readonly mine: ReadonlyMap<string, Decision>;
  readonly theirs: ReadonlyMap<string, Decision>;
}

/**
 * The decisions to take over from the other side.
 * @param wins whether the other side's decision counts if both decided differently
 */
export const decisionsFrom = (
  { base, mine, theirs }: DecisionVersions,
  wins: (id: string) => boolean,
): DecisionChange[] =>
  [...mine].flatMap(([id, before]) => {
    const was = base.get(id) ?? before;
    const after = theirs.get(id) ?? was;
    const isTaken = after !== was && after !== before && (before === was || wins(id));
    return isTaken ? { id, before, after } : [];
  });

/** Whether a region taken from the other side has a caption at a time, in seconds. */
export const isTakenAt = (
  regions: readonly Region[],
  { theirs }: Versions,
  isTaken: (region: Region) => boolean,
  time: number,
): boolean =>
  regions.some(
    (region) =>
      isTaken(region) &&
      cuesIn(theirs, region.theirs).some(({ start, end }) => start <= time && time <= end),
  );

/** A range of caption positions; `to` is exclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** A range of the older version and the range of the newer one that replaces it. */
interface Hunk {
  readonly base: Range;
  readonly other: Range;
}

/** The number of captions in a range. */
export const rangeSize = ({ from, to }: Range): number => to - from;

/** Whether two captions are the same in every stored field. */
export const isSameCue = (a: SharedCue, b: SharedCue): boolean => exact(a) === exact(b);

const exact = ({ start, end, lines, speaker = '' }: SharedCue): string =>
  `${start} ${end} ${speaker}\n${lines.join('\n')}`;

/** The keys by which captions of two versions are matched, strictest first. */
const SIGNS: readonly ((cue: SharedCue) => string)[] = [
  exact,
  ({ lines }) => lines.join('\n'),
  ({ start }) => String(start),
];

/**
 * With more differences than this, the next key is tried: the cost of a comparison grows with their
 * square.
 */
const MAX_DIFFERENCES = 400;

/** The ranges in which two versions differ, in order. */
export function hunksBetween(base: readonly SharedCue[], other: readonly SharedCue[]): Hunk[] {
  const hunks: Hunk[] = [];
  const add = (hunk: Hunk): void => {
    const before = base.slice(hunk.base.from, hunk.base.to);
    const after = other.slice(hunk.other.from, hunk.other.to);
    const isSame =
      before.length === after.length && before.every((cue, at) => isSameCue(cue, after[at]!));
    if (!isSame) hunks.push(hunk);
  };
  const compare = (hunk: Hunk, level: number): void => {
    const sign = SIGNS[level];
    if (!sign || rangeSize(hunk.base) === 0 || rangeSize(hunk.other) === 0) {
      for (const each of inPairs(hunk)) add(each);
      return;
    }
    for (const { isCommon, ...part } of partsBySign(base, other, hunk, sign)) {
      if (!isCommon) compare(part, level + 1);
      else if (level > 0) for (const each of inPairs(part)) add(each);
    }
  };
  compare({ base: { from: 0, to: base.length }, other: { from: 0, to: other.length } }, 0);
  return hunks;
}

/** Pairs the captions one to one if both ranges are the same size; otherwise they stay one hunk. */
function inPairs(hunk: Hunk): Hunk[] {
  const size = rangeSize(hunk.base);
  if (size !== rangeSize(hunk.other)) return [hunk];
  const at = ({ from }: Range, index: number): Range => ({
    from: from + index,
    to: from + index + 1,
  });
  return Array.from({ length: size }, (_, index) => ({
    base: at(hunk.base, index),
    other: at(hunk.other, index),
  }));
}

function partsBySign(
  base: readonly SharedCue[],
  other: readonly SharedCue[],
  hunk: Hunk,
  sign: (cue: SharedCue) => string,
): (Hunk & { isCommon: boolean })[] {
  const signs = (cues: readonly SharedCue[], { from, to }: Range) => cues.slice(from, to).map(sign);
  const changes = diffArrays(signs(base, hunk.base), signs(other, hunk.other), {
    maxEditLength: MAX_DIFFERENCES,
  });
  if (!changes) return [{ ...hunk, isCommon: false }];
  const parts: (Hunk & { isCommon: boolean })[] = [];
  let [left, right] = [hunk.base.from, hunk.other.from];
  for (const { value, added, removed } of changes) {
    const [fromBase, fromOther] = [left, right];
    if (!added) left += value.length;
    if (!removed) right += value.length;
    const isCommon = !added && !removed;
    const last = parts.at(-1);
    if (last && !last.isCommon && !isCommon) {
      const base = { from: last.base.from, to: left };
      parts[parts.length - 1] = { base, other: { from: last.other.from, to: right }, isCommon };
    } else {
      const base = { from: fromBase, to: left };
      parts.push({ base, other: { from: fromOther, to: right }, isCommon });
    }
  }
  return parts;
}
