/** Compares two versions of captions, caption by caption as far as possible. Pure. */
import { diffArrays } from 'diff';

/** A caption in its shared form; times in seconds, rounded to whole milliseconds. */
export interface SharedCue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** The speakers: one, or several with a line for each (shared-speakers.ts). */
  readonly speaker?: string | undefined;
}

/** A range of caption positions; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A range of the older version and the range of the newer one that replaces it. */
export interface Hunk {
  readonly base: Range;
  readonly other: Range;
}

/** The number of captions in a range. */
export const sizeOf = ({ from, to }: Range): number => to - from;

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
    if (!sign || sizeOf(hunk.base) === 0 || sizeOf(hunk.other) === 0) {
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
  const size = sizeOf(hunk.base);
  if (size !== sizeOf(hunk.other)) return [hunk];
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
