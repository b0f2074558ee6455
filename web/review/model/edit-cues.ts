/** Inserts and removes cues. */
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { graphemes, countCharacters, speedLimitOf } from '../../../server/captions/width.ts';
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import { breakLines } from '../../../server/captions/divide/lines.ts';
import { dialogueStyleOf, withDashes } from '../../../server/captions/cue.ts';
import {
  cueAt,
  cutItalics,
  lastStartedAt,
  type ReviewCue,
  speakersOf,
  textOf,
  withoutTags,
} from './cue.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { availableTime, clamp, lengthOf, retimed, shortestOf, toMs } from './snap.ts';
import { replaceCues, type Splice } from './splice.ts';
import { rebreak } from './edit-text.ts';
import { spokenCut, type TimedWord } from './spoken-cut.ts';
import type { Retiming } from './edit-times.ts';
import { isDialogue, speakerOf, withoutDashes, withSpeaker } from './cue-speakers.ts';
import { TIMING } from '../../../server/captions/divide/timing.ts';

/** The duration of a new cue if there is room, in milliseconds. */
const NEW_CUE = 2000;

/**
 * Inserts an empty cue after another, at the minimum gap from both neighbours: for 2 s, or for the
 * time between them if that is shorter. If that time is less than `minDuration`, the neighbours are
 * shortened: first by the time they do not need for reading, then down to `minDuration` each. Null
 * if even that is not enough.
 * @param index the position of the cue before it; -1 inserts before the first cue
 * @param id the id of the new cue
 */
export function insertAfter(
  cues: readonly ReviewCue[],
  index: number,
  id: number,
  settings: CaptionSettings,
): Splice | null {
  if (!Number.isInteger(index) || index < -1 || index >= cues.length) return null;
  const [before, after] = [cues[index], cues[index + 1]];
  const gap = toMs(TIMING.gap);
  const room = availableTime(cues, index + 1, index);
  const [from, to] = [room.from + (before ? gap : 0), room.to - (after ? gap : 0)];
  const least = toMs(settings.minDuration);
  const given = shares(Math.max(0, least - (to - from)), before, after, settings);
  if (!given) return null;
  const free = { from: from - given.before, to: to + given.after };
  const length = Math.min(NEW_CUE, free.to - free.from);
  const start = before || !after ? free.from : free.to - length;
  const cue = { id, start: start / 1000, end: (start + length) / 1000, lines: [''] };
  if (given.before + given.after === 0) return { at: index + 1, removed: [], inserted: [cue] };
  const left = before ? [retimed(before, toMs(before.start), toMs(before.end) - given.before)] : [];
  const right = after ? [retimed(after, toMs(after.start) + given.after, toMs(after.end))] : [];
  return {
    at: index + 1 - left.length,
    removed: cues.slice(index + 1 - left.length, index + 1 + right.length),
    inserted: [...left, cue, ...right],
  };
}

/**
 * The part of the missing time that each neighbour loses, in milliseconds, in proportion to what it
 * can spare.
 */
function shares(
  missing: number,
  before: ReviewCue | undefined,
  after: ReviewCue | undefined,
  settings: CaptionSettings,
): { before: number; after: number } | null {
  if (missing === 0) return { before: 0, after: 0 };
  const spare = (cue: ReviewCue | undefined, keeps: number): number =>
    cue ? Math.max(0, lengthOf(cue) - Math.max(shortestOf(cue, settings), keeps)) : 0;
  const unread = [before, after].map((cue) => spare(cue, cue ? readingTime(cue) : 0));
  const most = [before, after].map((cue) => spare(cue, 0));
  const enough = [unread, most].find(([one = 0, other = 0]) => one + other >= missing);
  if (!enough) return null;
  const [one = 0, other = 0] = enough;
  const first = Math.round((missing * one) / (one + other));
  return { before: first, after: missing - first };
}

/** The time needed to read a cue, in milliseconds. */
const readingTime = (cue: ReviewCue): number =>
  Math.ceil((countCharacters(cue.lines) * 1000) / speedLimitOf(textOf(cue)));

/**
 * The first cue of a review without cues, or one after the last: empty, for 2 s from a time.
 * @param from seconds
 * @param id the id of the new cue
 */
export const insertAtEnd = (cues: readonly ReviewCue[], from: number, id: number): Splice => {
  const start = Math.max(
    toMs(from),
    cues.length > 0 ? toMs(cues.at(-1)!.end) + toMs(TIMING.gap) : 0,
  );
  const cue = { id, start: start / 1000, end: (start + NEW_CUE) / 1000, lines: [''] };
  return { at: cues.length, removed: [], inserted: [cue] };
};

/** The shortest gap that has room for a caption of its own, in seconds, and the longest caption of a sound in one. */
const LEAST_ROOM = 1;
const SOUND_SECONDS = 2;

/**
 * Where a caption of its own fits at a time: the stretch of sound without captions there, otherwise the gap from there on.
 * Null if words are shown then, or soon.
 * @param unheard the stretches of sound that have no captions
 */
export function roomAt(
  cues: readonly ReviewCue[],
  time: number,
  unheard: readonly Stretch[],
): Stretch | null {
  const stretch = unheard.find(({ start, end }) => start <= time && time < end);
  if (stretch) return stretch;
  if (cueAt(cues, time)) return null;
  const next = cues[lastStartedAt(cues, time) + 1]?.start ?? Number.POSITIVE_INFINITY;
  const end = Math.min(next - TIMING.gap, time + SOUND_SECONDS);
  return end - time >= LEAST_ROOM ? { start: time, end } : null;
}

/**
 * Inserts a cue in a stretch without captions, for at most the longest duration of a cue.
 * @param id the id of the new cue
 */
export function insertIn(
  cues: readonly ReviewCue[],
  { start, end }: Pick<ReviewCue, 'start' | 'end'>,
  id: number,
  { maxDuration }: Pick<CaptionSettings, 'maxDuration'>,
  text = '',
): Splice {
  const after = cues.findIndex((cue) => cue.start >= start);
  const until = Math.min(toMs(end), toMs(start) + toMs(maxDuration));
  const cue = { id, start: toMs(start) / 1000, end: until / 1000, lines: [text] };
  return { at: after < 0 ? cues.length : after, removed: [], inserted: [cue] };
}

/**
 * Splits a cue at a place in its text. The second half begins when its first word is spoken if the
 * transcript says, otherwise in proportion to the characters. White space at the cut is removed;
 * all other line breaks stay. Null if one half would have no text, or the cue is shorter than 2 ms.
 * @param offset in `textOf(cue)`
 * @param id the id of the second half; the first keeps its own
 * @param words the transcript's, in order
 */
export function split(
  cues: readonly ReviewCue[],
  index: number,
  offset: number,
  id: number,
  words: readonly TimedWord[],
): Splice | null {
  const cue = cues[index];
  if (!cue) return null;
  const text = textOf(cue);
  const at = beforeTag(text, beforeCharacter(text, clamp(offset, 0, text.length)));
  const [left, right] = cutItalics(text.slice(0, at).trimEnd(), text.slice(at).trimStart());
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  if ([left, right].some((part) => withoutTags(part).trim() === '') || end - start < 2) return null;
  const spoken = toMs(spokenCut(cue, left, right, words)?.start ?? Number.NaN);
  const share = graphemes(left) / (graphemes(left) + graphemes(right));
  const shared = clamp(start + Math.round((end - start) * share), start + 1, end - 1);
  // If the times were edited, the words may be spoken outside them.
  const cut = (spoken > start && spoken < end ? spoken : shared) / 1000;
  const line = text.slice(0, at + 1).split('\n').length - 1;
  const [one, other] = splitLines(cue, line, [left.split('\n'), right.split('\n')]);
  return replaceCues(cues, index, 1, [
    { ...one, end: cut },
    { ...other, id, start: cut },
  ]);
}

/** Moves an offset in front of the surrogate pair it would divide. */
const beforeCharacter = (text: string, offset: number): number =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(offset - 1, offset + 1)) ? offset - 1 : offset;

/** Moves an offset in front of the italic tag it would divide. */
function beforeTag(text: string, offset: number): number {
  const [tag = ''] = /<(?:\/(?:i)?|i)?$/i.exec(text.slice(0, offset)) ?? [];
  return /^<\/?i>/i.test(text.slice(offset - tag.length)) ? offset - tag.length : offset;
}

/** Removes captions: one splice for each run of neighbours, to be applied in order. */
export const removeMany = (cues: readonly ReviewCue[], indices: readonly number[]): Splice[] =>
  groupAdjacent(indices)
    .toReversed()
    .map(([from, to]) => ({ at: from, removed: cues.slice(from, to + 1), inserted: [] }));

/** Breaks the lines of captions again: one splice for each caption that changes. */
export const rebreakMany = (
  cues: readonly ReviewCue[],
  indices: readonly number[],
  settings: CaptionSettings,
  language: string,
): Splice[] => indices.flatMap((index) => rebreak(cues, index, settings, language) ?? []);

/**
 * Merges adjacent captions into one: it has the id of the first, the time of all, and their words in new lines. Null if
 * there are fewer than two, or others between them.
 * @param language BCP 47
 */
export function mergeMany(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const [run, more] = groupAdjacent(indices);
  if (!run || more || run[0] === run[1]) return null;
  const [first, ...others] = cues.slice(run[0], run[1] + 1);
  if (!first) return null;
  const whole = joinCues([first, ...others], settings, language);
  return replaceCues(cues, run[0], others.length + 1, [whole]);
}

/**
 * Moves captions by a number of seconds, as far as those that stay allow; null if there are none.
 * @param limits how short those beside them may become to make room; null if they stay as they are
 */
export function shiftMany(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  seconds: number,
  limits: Pick<CaptionSettings, 'minDuration'> | null = null,
): Retiming | null {
  const [first, last] = [indices[0], indices.at(-1)];
  if (first === undefined || last === undefined || Number.isNaN(seconds)) return null;
  const wanted = toMs(seconds);
  const gap = toMs(TIMING.gap);
  const room = (cue: ReviewCue): number =>
    limits ? Math.max(0, lengthOf(cue) - shortestOf(cue, limits) - gap) : 0;
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [from, to] of groupAdjacent(indices)) {
    const before = cues[from - 1];
    const after = cues[to + 1];
    const earliest = before ? toMs(before.end) - room(before) : 0;
    low = Math.max(low, earliest - toMs(cues[from]!.start));
    const latest = after ? toMs(after.start) + room(after) : LATEST_MS;
    high = Math.min(high, latest - toMs(cues[to]!.end));
  }
  const by = clamp(wanted, Math.min(0, low), Math.max(0, high));
  const chosen = new Set(indices);
  const moved = cues.map((cue, at) =>
    chosen.has(at) ? retimed(cue, toMs(cue.start) + by, toMs(cue.end) + by) : cue,
  );
  // One that stays is cut only by a caption that moves towards it.
  const cut = (cue: ReviewCue, at: number): ReviewCue => {
    const [start, end] = [toMs(cue.start), toMs(cue.end)];
    const towards = by > 0 ? at - 1 : at + 1;
    if (chosen.has(at) || !chosen.has(towards)) return cue;
    return by > 0
      ? retimed(cue, Math.max(start, Math.min(toMs(moved[towards]!.end) + gap, end - 1)), end)
      : retimed(cue, start, Math.min(end, Math.max(toMs(moved[towards]!.start) - gap, start + 1)));
  };
  const [from, to] = [Math.max(0, first - 1), Math.min(cues.length - 1, last + 1)];
  return {
    at: from,
    cues: moved.slice(from, to + 1).map((cue, at) => (limits ? cut(cue, from + at) : cue)),
    limitedBy:
      by === wanted
        ? null
        : { by: wanted < 0 ? 'previous' : 'next', edge: 'move', limit: by / 1000, many: true },
  };
}

/**
 * Joins captions into one, from the start of the first to the end of the last. Two speakers get a
 * line each, with dashes; if there are more speakers, or their words fill more lines, speakers are
 * left out.
 * @param language BCP 47
 */
function joinCues(
  cues: readonly [ReviewCue, ...ReviewCue[]],
  settings: CaptionSettings,
  language: string,
): ReviewCue {
  const [first] = cues;
  const end = cues.at(-1)!.end;
  const broken = (part: readonly ReviewCue[]): string[] =>
    breakLines(part.map((cue) => textOf(withoutDashes(cue))).join('\n'), settings, language);
  const turn = cues.findIndex((cue) => speakerOf(cue) !== speakerOf(first));
  if (!cues.some(isDialogue) && turn < 0) return { ...first, end, lines: broken(cues) };
  const whole = withSpeaker({ ...first, end, lines: broken(cues) }, '');
  const [before, after] = [cues.slice(0, turn), cues.slice(turn)];
  const second = speakerOf(after[0]!);
  const isTwo =
    turn > 0 && !cues.some(isDialogue) && after.every((cue) => speakerOf(cue) === second);
  const lines = [...broken(before), ...broken(after)];
  if (!isTwo || lines.length !== 2 || speakerOf(first) === '' || second === '') return whole;
  const dashed = withDashes(lines, dialogueStyleOf(language));
  return { ...whole, lines: dashed, speakers: [speakerOf(first), second] };
}

/**
 * The two parts of a caption with the speakers of their lines; `at` is the line in which the second
 * part begins.
 */
function splitLines(
  cue: ReviewCue,
  at: number,
  [left, right]: readonly [readonly string[], readonly string[]],
): [left: ReviewCue, right: ReviewCue] {
  if (!isDialogue(cue))
    return [
      { ...cue, lines: left },
      { ...cue, lines: right },
    ];
  const names = speakersOf(cue);
  const part = (lines: readonly string[], speakers: readonly string[]): ReviewCue => {
    const whole = { ...cue, lines, speakers };
    const [only = ''] = speakers;
    // A part with only one speaker has no dash.
    return new Set(speakers).size > 1 ? whole : withSpeaker({ ...whole, speakers: names }, only);
  };
  const [dash = ''] = /^[-–—]\s*/.exec(cue.lines[at]!) ?? [];
  const [first = '', ...others] = right;
  // The rest of a divided line belongs to the same speaker.
  const rest = first.startsWith(dash) ? right : [dash + first, ...others];
  return [part(left, names.slice(0, left.length)), part(rest, names.slice(at))];
}

/** Groups ascending positions into runs of neighbours, each given by its first and last. */
export function groupAdjacent(indices: readonly number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const index of indices) {
    const run = runs.at(-1);
    if (run && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}
