/** Divides and times captions again by other rules, keeping every word as it stands now. */
import {
  buildCaptions,
  buildProfiled,
  type CaptionWord,
  type Picture,
} from '../../../server/captions/build.ts';
import type { Caption } from '../../../server/captions/cue.ts';
import type { Profile } from '../../../server/captions/rules/profiles/profile.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { lastAtOrBefore, type ReviewCue, sameCue, speakersOf } from './cue.ts';
import { withoutDashes } from './cue-speakers.ts';
import { toMs } from './available-time.ts';
import { groupAdjacent } from './edit-cues.ts';
import type { TimedWord } from './spoken-cut.ts';
import { replaceCues, type Splice } from './splice.ts';
import { type Bounds, timeScript, writtenWords } from './align-words.ts';

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
  { rules, language, nextId }: Rebuilding,
): Splice | null {
  const old = cues.slice(from, to + 1);
  const bounds = {
    start: cues[from - 1]?.end ?? 0,
    end: cues[to + 1]?.start ?? Number.POSITIVE_INFINITY,
  };
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
