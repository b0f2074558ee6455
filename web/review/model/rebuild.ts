/** Divides and times captions again by other rules, or by a script, keeping every word as it stands now. */
import type { Picture } from '../../../server/captions/rules/check.ts';
import { buildCaptions, buildProfiled } from '../../../server/captions/build/build.ts';
import type { Caption } from '../../../server/captions/cue.ts';
import type { Profile } from '../../../server/captions/rules/profiles/profile.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { lastAtOrBefore, type ReviewCue, sameCue, speakersOf } from './cue.ts';
import { withoutDashes } from './cue-speakers.ts';
import { toMs } from './snap.ts';
import { groupAdjacent } from './edit-cues.ts';
import { type TimedWord, lettersOf } from './spoken-cut.ts';
import { replaceCues, type Splice } from './splice.ts';
import {
  timeScript,
  writtenWords,
  type Bounds,
  type TimedScript,
  type WrittenWord,
} from './align-words.ts';
import { readPlainText, speakersApart } from '../../../server/captions/files/plain-text.ts';
import { joinWords } from '../../../server/captions/width.ts';
import type { CaptionWord } from '../../../server/captions/divide/fix-word-times.ts';

/** The rules: line lengths and durations, or a publisher's profile with a picture. */
export type BuildRules = { settings: CaptionSettings } | { profile: Profile; picture: Picture };

/** The input of a rebuild besides the captions. */
interface Rebuilding {
  readonly rules: BuildRules;
  /** BCP 47. */
  readonly language: string;
  /** The transcript's, in order. */
  readonly words: readonly TimedWord[];
  /** The id of the first new caption. */
  readonly nextId: number;
  /** That of the recording in seconds: new captions end with it. 0 if it is unknown. */
  readonly length: number;
}

/** How far the speech of a caption may lie outside its time, in seconds. */
const MARGIN = 0.5;

/**
 * Builds captions from words by the rules.
 * @param language BCP 47
 */
const buildBy = (words: readonly CaptionWord[], rules: BuildRules, language: string): Caption[] =>
  'profile' in rules
    ? buildProfiled(words, rules.profile, rules.picture)
    : buildCaptions(words, rules.settings, language);

/**
 * Rebuilds captions, each run of neighbours separately; all others stay as they are.
 * @param indices positions of the captions, in ascending order
 * @returns one splice for each run, to be applied in order; null if nothing would change
 */
export function rebuild(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  how: Rebuilding,
): Splice[] | null {
  let { nextId } = how;
  const splices: Splice[] = [];
  // From last to first, so that earlier positions stay valid.
  for (const [from, to] of groupAdjacent(indices).toReversed()) {
    const words = wordsOfCues(cues.slice(from, to + 1), how.words);
    const splice = madeOf(words, cues, from, to, { ...how, nextId });
    if (!splice) continue;
    nextId += splice.inserted.length;
    splices.push(splice);
  }
  return splices.length === 0 ? null : splices;
}

/**
 * Replaces captions by those of a script: all of them, or those of a part of the recording, of which
 * the words outside that part stay. Words without a speaker get the one who had the word there.
 * @param part seconds; null for all captions
 */
export function replaceByScript(
  cues: readonly ReviewCue[],
  script: readonly CaptionWord[],
  part: Bounds | null,
  how: Rebuilding,
): Splice | null {
  const isInside = ({ start, end }: Bounds): boolean =>
    part === null || (end > part.start && start < part.end);
  const from = cues.findIndex(isInside);
  const to = cues.findLastIndex(isInside);
  if (from < 0) return null;
  const old = wordsOfCues(cues.slice(from, to + 1), how.words);
  const stays = (isBefore: boolean): CaptionWord[] =>
    old.filter(({ start, end }) => {
      const middle = (start + end) / 2;
      return part !== null && (isBefore ? middle < part.start : middle > part.end);
    });
  const named = script.map((word) => {
    const { speaker } = old[nearest(old, word.start)] ?? {};
    return word.speaker === undefined && speaker !== undefined ? { ...word, speaker } : word;
  });
  return madeOf([...stays(true), ...named, ...stays(false)], cues, from, to, how);
}

/** The position of the word that starts closest to a time. */
function nearest(words: readonly CaptionWord[], time: number): number {
  const at = lastAtOrBefore(words.length, (index) => words[index]!.start, time);
  const [before, after] = [words[at], words[at + 1]];
  return !before || (after && after.start - time < time - before.start) ? at + 1 : at;
}

/** Builds captions from words in place of those from one position to another; null if they are the same. */
function madeOf(
  words: readonly CaptionWord[],
  cues: readonly ReviewCue[],
  from: number,
  to: number,
  { rules, language, nextId, length }: Rebuilding,
): Splice | null {
  const old = cues.slice(from, to + 1);
  const latest = length > 0 ? Math.max(length, cues[to]!.end) : Number.POSITIVE_INFINITY;
  const bounds = { start: cues[from - 1]?.end ?? 0, end: cues[to + 1]?.start ?? latest };
  const room = fitted(buildBy(words, rules, language), bounds);
  if (!room || isAsBefore(old, room)) return null;
  return replaceCues(cues, from, old.length, asCues(placedAs(old, room), nextId));
}

/** Turns captions into cues with new ids. */
const asCues = (captions: readonly Caption[], nextId: number): ReviewCue[] =>
  captions.map(({ speakers, ...caption }, at) => ({
    ...caption,
    // A single speaker of all lines is named once.
    ...(speakers ? { speakers: new Set(speakers).size > 1 ? speakers : speakers.slice(0, 1) } : {}),
    id: nextId + at,
    start: toMs(caption.start) / 1000,
    end: toMs(caption.end) / 1000,
  }));

/** The words of captions, with the times of the recording as far as they are known. */
export function wordsOfCues(
  cues: readonly ReviewCue[],
  words: readonly TimedWord[],
): CaptionWord[] {
  let first = 0;
  return cues.flatMap((cue, at) => {
    const [from, to] = [cue.start - MARGIN, cue.end + MARGIN];
    while (first < words.length && words[first]!.end < from) first += 1;
    const heard: TimedWord[] = [];
    for (let index = first; index < words.length && words[index]!.start < to; index += 1) {
      heard.push(words[index]!);
    }
    const bounds = {
      start: Math.min(cue.start, Math.max(cues[at - 1]?.end ?? 0, cue.start - MARGIN)),
      end: cue.end,
    };
    const names = speakersOf(cue);
    const script = withoutDashes(cue).lines.flatMap((line, row) =>
      writtenWords(line, names[row] === '' ? undefined : names[row]),
    );
    return timeScript(script, heard, bounds).words;
  });
}

/** Fits captions one after the other between two times; null if there is no room for all. */
function fitted(
  captions: readonly Caption[],
  bounds: { start: number; end: number },
): Caption[] | null {
  let earliest = toMs(bounds.start);
  const times = captions.map(({ start, end }) => {
    const from = Math.max(earliest, toMs(start));
    earliest = Math.max(from + 1, toMs(end));
    return { from, to: earliest };
  });
  let latest = toMs(bounds.end);
  for (const time of times.toReversed()) {
    time.to = Math.min(time.to, latest);
    time.from = Math.min(time.from, time.to - 1);
    latest = time.from;
  }
  if (latest < toMs(bounds.start)) return null;
  return captions.map((caption, at) => ({
    ...caption,
    start: times[at]!.from / 1000,
    end: times[at]!.to / 1000,
  }));
}

/** Gives each new caption the placement of the old caption shown at the middle of its time. */
function placedAs(old: readonly ReviewCue[], made: readonly Caption[]): Caption[] {
  if (old.every(({ placement }) => !placement)) return [...made];
  let at = 0;
  return made.map((caption) => {
    const middle = (caption.start + caption.end) / 2;
    while (at < old.length - 1 && old[at]!.end <= middle) at += 1;
    const { placement } = old[at]!;
    return placement ? { ...caption, placement } : caption;
  });
}

const isAsBefore = (old: readonly ReviewCue[], made: readonly Caption[]): boolean =>
  old.length === made.length && old.every((cue, at) => sameCue(made[at]!, cue));

/** A place where the script differs from the recognised words. */
interface ScriptDifference {
  /** When it is spoken, in seconds. */
  readonly start: number;
  /** Empty where only the script has words. */
  readonly heard: string;
  /** Empty where only the recording has words. */
  readonly script: string;
}

export interface AlignedScript {
  readonly words: readonly CaptionWord[];
  /** The part of the recording that the script is of, in seconds; null if it is of all of it. */
  readonly part: Bounds | null;
  /** Within that part. */
  readonly differences: readonly ScriptDifference[];
  /** The share of the script that matches the recognised words, from 0 to 1. */
  readonly agreement: number;
}

/**
 * Aligns a script with the recognised words. Paragraphs and lines may begin with a speaker's name
 * and a colon, unless just that was said. A script may be of a part of the recording.
 * @param bounds the start and end of the recording, in seconds
 */
export function alignScript(
  script: string,
  heard: readonly TimedWord[],
  bounds: Bounds,
): AlignedScript {
  const written = wordsOfScript(script, heard);
  const timed = (from: number, to: number): TimedScript =>
    timeScript(written, heard.slice(from, to), {
      start: heard[from - 1]?.end ?? bounds.start,
      end: heard[to]?.start ?? bounds.end,
    });
  const whole = timed(0, heard.length);
  const rough = partOf(whole.pairings, written.length, heard.length);
  if (!rough) return { ...compared(written, heard, whole), part: null };
  // There, its first and last words do not match others far away.
  const { pairings } = timed(...rough);
  const last = pairings.at(-1)!;
  const from = rough[0] + pairings[0]!.heard;
  const to = rough[0] + last.heard + last.heardCount;
  return {
    ...compared(written, heard.slice(from, to), timed(from, to)),
    part: { start: heard[from]!.start, end: heard[to - 1]!.end },
  };
}

/** The words of a script. A name used once is a speaker, unless it was said like the words after it. */
function wordsOfScript(script: string, heard: readonly TimedWord[]): WrittenWord[] {
  const said = ` ${heard.map(({ text }) => lettersOf(text)).join(' ')} `;
  const letters = (text: string): string => text.split(' ').map(lettersOf).join(' ');
  return readPlainText(speakersApart(script), undefined, 1).flatMap(({ text, speaker }) => {
    const opening = `${speaker} ${text.split(' ').slice(0, 2).join(' ')}`;
    const isSaid = speaker !== '' && said.includes(` ${letters(opening)} `);
    if (isSaid) return writtenWords(`${speaker}: ${text}`);
    return writtenWords(text, speaker === '' ? undefined : speaker);
  });
}

/** Recognised words that the script leaves out at either end count as another part from this many on. */
const LEFT_OUT = 8;
/** Words between which more than this many others were recognised belong to different stretches. */
const APART = 4;
/** A stretch of fewer words at either end is a coincidence: “and” and “the” match anywhere. */
const FEW = 4;

/**
 * The positions of the recognised words that a script may be of, the end exclusive; null if it is of
 * all of them.
 */
function partOf(
  pairings: TimedScript['pairings'],
  writtenCount: number,
  heardCount: number,
): [from: number, to: number] | null {
  const stretches: [first: number, last: number][] = [];
  for (const [at, { same, heard, script }] of pairings.entries()) {
    if (!same) continue;
    const stretch = stretches.at(-1);
    const before = stretch && pairings[stretch[1]]!;
    const skipped = before ? heard - before.heard - (script - before.script) : 0;
    if (stretch && skipped <= APART) stretch[1] = at;
    else stretches.push([at, at]);
  }
  const long = stretches.filter(([first, last]) => last - first + 1 >= FEW);
  if (long.length === 0) return null;
  const [first, last] = [pairings[long[0]![0]]!, pairings[long.at(-1)![1]]!];
  // The words of the script before and after these were recognised differently, close by.
  const from = first.heard - first.script;
  const to = last.heard + last.heardCount + writtenCount - last.script - last.scriptCount;
  const isFrom = from >= LEFT_OUT;
  const isTo = heardCount - to >= LEFT_OUT;
  return isFrom || isTo ? [isFrom ? from : 0, isTo ? to : heardCount] : null;
}

/** What differs; everything between two identical words is one difference. */
function compared(
  written: readonly WrittenWord[],
  heard: readonly TimedWord[],
  { words, pairings }: TimedScript,
): Omit<AlignedScript, 'part'> {
  const same = pairings.reduce((sum, each) => sum + (each.same ? each.scriptCount : 0), 0);
  const differences: ScriptDifference[] = [];
  const add = (from: number, to: number, heardFrom: number, heardTo: number): void => {
    if (from === to && heardFrom === heardTo) return;
    differences.push({
      start: words[from]?.start ?? heard[heardFrom]!.start,
      heard: joinWords(heard.slice(heardFrom, heardTo).map(({ text }) => text)),
      script: joinWords(written.slice(from, to).map(({ text }) => text)),
    });
  };
  let [at, heardAt] = [0, 0];
  for (const pairing of pairings) {
    if (!pairing.same) continue;
    add(at, pairing.script, heardAt, pairing.heard);
    at = pairing.script + pairing.scriptCount;
    heardAt = pairing.heard + pairing.heardCount;
  }
  add(at, written.length, heardAt, heard.length);
  return { words, differences, agreement: written.length === 0 ? 0 : same / written.length };
}
