/** Fixes the word times of providers, so that they increase and each word has its own time. */
import type { TranscriptWord } from '../../contract/results.ts';
import { LATEST_MS } from '../timestamps.ts';
import { shownText } from '../italics.ts';
import { OPTION } from '../../contract/limits.ts';
import { isSound } from '../sound-labels.ts';
import { endsWithStop } from '../punctuation.ts';

/** The part of a word that captions need. */
export type CaptionWord = Pick<TranscriptWord, 'text' | 'start' | 'end'> & { speaker?: string };

/** A text with valid times in seconds; `start` is never before the end of the previous text. */
export interface TimedText {
  text: string;
  start: number;
  end: number;
  speaker: string | undefined;
}

/** The assumed time to speak a character if a time is missing or implausible, in seconds. */
const SECONDS_PER_CHARACTER = 0.08;
/** The longest plausible word, in seconds; a longer one must include a silence. */
const LONGEST_WORD = 3;
/** The longest time that the last caption is shown after its last word begins, in seconds. */
const LAST_CAPTION = OPTION.maxDuration.maximum + 2;
/** Words whose starts are closer than this count as simultaneous, in seconds. */
const TOGETHER = 0.001;
/** Cross-talk is laid out anew for at most so many seconds at a time, so that words stay near their times. */
const LONGEST_CROSS_TALK = 10;
/** The most words before an interruption that are laid out anew; people speak fewer in that time. */
const MOST_AT_ONCE = 200;
/** The least time to read a character, in seconds; cross-talk with less takes time from the words right after it. */
const SECONDS_TO_READ = 0.05;
/** The least time for what one speaker says in cross-talk, in seconds, if there is time for all. */
const LEAST_TURN = 0.5;
/** Speakers speak at once if their words overlap by more than recognisers are wrong at a change of speaker, in seconds. */
const AT_ONCE = 0.1;
/** A shorter pause does not end what is said, in seconds. */
const PAUSE = 0.3;

const spokenSeconds = (text: string): number => text.length * SECONDS_PER_CHARACTER;

const spokenTogether = (words: readonly TimedText[]): number =>
  words.reduce((sum, { text }) => sum + spokenSeconds(text), 0);

/** Lays words out one after another, each for its share of the time that it takes to speak. */
function layOut(words: readonly TimedText[], from: number, share: number): void {
  let at = from;
  for (const word of words) {
    word.start = at;
    at += spokenSeconds(word.text) * share;
    word.end = at;
  }
}

/**
 * Gives every word a start and an end, in the order of the text. A start that is missing or out of order is derived
 * from the neighbours. A word that lasts as long as a silence is shortened. Words with the same start share the
 * available time, and no word extends into the next. The words of speakers who speak at once share the time in which
 * they do. A time later than a caption can show counts as missing. Empty
 * words are dropped.
 * @example
 * fixWordTimes([{ text: 'Hi', start: 1, end: Number.NaN }])[0]?.end; // => 1.16
 */
export function fixWordTimes(words: readonly CaptionWord[]): TimedText[] {
  const timed: TimedText[] = [];
  for (const { text, start, end, speaker } of words) {
    const clean = shownText(text);
    if (clean !== '') timed.push({ text: clean, start: Math.max(0, start), end, speaker });
  }
  const limit = lastTime(timed.length);
  spreadCrossTalk(timed, limit);
  placeStrays(timed, limit);
  spreadPiles(timed, limit);
  let before: TimedText | undefined;
  for (let index = 0; index < timed.length; index += 1) {
    const word = timed[index]!;
    if (word.end > limit) word.end = Number.NaN;
    fixEnd(word, before, timed[index + 1]?.start ?? limit);
    before = word;
  }
  return timed;
}

/**
 * The latest second at which a word may begin, so that its caption can be written in a file even if every
 * word is moved by a millisecond.
 */
const lastTime = (words: number): number => Math.max(0, (LATEST_MS - words) / 1000 - LAST_CAPTION);

/**
 * Lays out what several speakers say at once, one after the other over the time that they share, since otherwise the
 * second of them has none.
 */
function spreadCrossTalk(words: TimedText[], limit: number): void {
  for (let at = 1; at < words.length; at += 1) {
    if (!interrupts(words[at]!, words[at - 1]!)) continue;
    const { start } = words[at]!;
    let first = at;
    while (first > Math.max(0, at - MOST_AT_ONCE) && lastOf(words[first - 1]!) > start) first -= 1;
    const from = Math.max(
      Math.min(start, words[first]!.start),
      first > 0 ? lastOf(words[first - 1]!) : 0,
    );
    const until = from + LONGEST_CROSS_TALK;
    let [next, spoken, begun, turn, turnsBefore] = [first, from, from, 0, 0];
    for (; next < words.length; next += 1) {
      const word = words[next]!;
      const isAtOnce = next <= at || (word.start < begun && word.start >= from);
      const wanted = turnsBefore + Math.max(LEAST_TURN, turn);
      const isHurried = word.start - spoken < PAUSE && Math.min(spoken, word.start) - from < wanted;
      const isTimed = word.speaker !== undefined && word.start < until && lastOf(word) <= limit;
      if (!isTimed || !(isAtOnce || isHurried)) break;
      begun = Math.max(begun, word.start);
      spoken = Math.max(spoken, lastOf(word));
      if (next > first && word.speaker !== words[next - 1]!.speaker) {
        [turn, turnsBefore] = [0, wanted];
      }
      turn += secondsToRead(word);
    }
    if (next <= at) continue;
    const room = words[next]?.start ?? limit;
    layOutTurns(words.slice(first, next), from, room > from ? Math.min(spoken, room) : spoken);
    at = next - 1;
  }
}

/** Whether a word begins while another speaker, whose words come before it, goes on. */
const interrupts = (word: TimedText, before: TimedText): boolean =>
  word.speaker !== undefined &&
  before.speaker !== undefined &&
  word.speaker !== before.speaker &&
  word.start < lastOf(before) - AT_ONCE &&
  before.start - word.start < LONGEST_CROSS_TALK;

const secondsToRead = ({ text }: TimedText): number => text.length * SECONDS_TO_READ;

const lastOf = ({ start, end }: TimedText): number => (end > start ? end : start);

/** Lays out words between two times, with a share for each speaker's turn. */
function layOutTurns(words: readonly TimedText[], from: number, until: number): void {
  const turns: TimedText[][] = [];
  for (const [at, word] of words.entries()) {
    if (at === 0 || word.speaker !== words[at - 1]!.speaker) turns.push([]);
    turns.at(-1)!.push(word);
  }
  const wanted = turns.map((turn) =>
    Math.max(
      LEAST_TURN,
      turn.reduce((sum, word) => sum + secondsToRead(word), 0),
    ),
  );
  const share = (until - from) / wanted.reduce((sum, seconds) => sum + seconds, 0);
  let at = from;
  for (const [index, turn] of turns.entries()) {
    const seconds = wanted[index]! * share;
    layOut(turn, at, seconds / spokenTogether(turn));
    at += seconds;
  }
}

/** Places starts that are missing or out of order between those of their neighbours. */
function placeStrays(words: TimedText[], limit: number): void {
  if (areInOrder(words, limit)) return;
  const kept = longestRising(words.map(({ start }) => (start <= limit ? start : Number.NaN)));
  let before = -1;
  for (const at of [...kept, words.length]) {
    if (at - before > 1) fillBetween(words, before, at, limit);
    before = at;
  }
}

function areInOrder(words: readonly TimedText[], limit: number): boolean {
  let latest = 0;
  for (const { start } of words) {
    if (!(start >= latest && start <= limit)) return false;
    latest = start;
  }
  return true;
}

/** Lays out the words between `before` and `next` in proportion to their letters. */
function fillBetween(words: TimedText[], before: number, next: number, limit: number): void {
  const strays = words.slice(before + 1, next);
  const wanted = spokenTogether(strays);
  const first = words[next]?.start;
  const until = first ?? limit;
  const last = words[before];
  const from = last ? endOf(last, until) : Math.max(0, first === undefined ? 0 : first - wanted);
  layOut(strays, from, Math.min(1, (until - from) / wanted));
}

const endOf = ({ text, start, end }: TimedText, limit: number): number =>
  end > start && end < limit ? end : Math.min(limit, start + spokenSeconds(text));

/** Spreads words with the same start over the time up to the next one. */
function spreadPiles(words: TimedText[], limit: number): void {
  for (let first = 0, next = 0; first < words.length; first = next) {
    const { start } = words[first]!;
    next = first + 1;
    while (next < words.length && words[next]!.start - start < TOGETHER) next += 1;
    if (next - first < 2) continue;
    const pile = words.slice(first, next);
    const wanted = spokenTogether(pile);
    const until = pile.reduce((last, { end }) => (end > last && end <= limit ? end : last), start);
    const spoken = until - start;
    const room = (words[next]?.start ?? limit) - start;
    const share = Math.min(Math.max(wanted, Math.min(spoken, wanted * 2)), room) / wanted;
    layOut(pile, start, share);
  }
}

function fixEnd(word: TimedText, before: TimedText | undefined, next: number): void {
  const spoken = spokenSeconds(word.text);
  const longest = Math.max(LONGEST_WORD, spoken * 2);
  if (!(word.end > word.start)) word.end = word.start + spoken;
  word.end = Math.min(word.end, Math.max(word.start, next));
  if (word.end - word.start <= longest) return;
  // The silence comes before the first word of a sentence, and after any other word. A sound keeps its start.
  if (before && endsWithStop(before.text) && !isSound(word.text)) word.start = word.end - longest;
  else word.end = word.start + longest;
}

/**
 * The words of a result's transcript; entries without text or times are left out.
 * @example
 * captionWordsOf([{ text: 'Hello', start: 0, end: 0.4 }, { type: 'spacing' }]);
 * // => [{ text: 'Hello', start: 0, end: 0.4 }]
 */
export const captionWordsOf = (words: readonly Record<string, unknown>[]): CaptionWord[] =>
  words.flatMap(({ text, start, end, speaker }) =>
    typeof text === 'string' && typeof start === 'number' && typeof end === 'number'
      ? [{ text, start, end, ...(typeof speaker === 'string' ? { speaker } : {}) }]
      : [],
  );

/**
 * The positions of the longest subsequence of values that never falls, by patience sorting, so that a single wrong
 * value is skipped. NaN is never part of it.
 * @example
 * longestRising([1, 9, 2, 3]); // => [0, 2, 3]
 */
export function longestRising(values: readonly number[]): number[] {
  /** For each length: the position that ends the subsequence of that length with the lowest value. */
  const ends: number[] = [];
  const previous = new Int32Array(values.length).fill(-1);
  for (const [at, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    let low = ends.length;
    if (low > 0 && values[ends[low - 1]!]! > value) {
      let high = low - 1;
      low = 0;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (values[ends[middle]!]! > value) high = middle;
        else low = middle + 1;
      }
    }
    if (low > 0) previous[at] = ends[low - 1]!;
    ends[low] = at;
  }
  const kept: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]!) kept.push(at);
  return kept.toReversed();
}
