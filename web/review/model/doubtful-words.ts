/** What may have been misheard: words recognised with low confidence, and stretches of sound without captions. */
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { lastAtOrBefore, type ReviewCue, textOf } from './cue.ts';
import { lettersOf, type TimedWord } from './spoken-cut.ts';
import { PEAKS_PER_SECOND } from '../../media/peak-meter.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';

/** A word of the transcript with its recognition details. */
export type HeardWord = TimedWord &
  Partial<Pick<TranscriptWord, 'confidence' | 'certainty' | 'original' | 'speaker'>>;

/** A range of a caption's text, `to` exclusive, and the words that it corresponds to: one, or some in a row. */
export interface DoubtfulWord {
  readonly from: number;
  readonly to: number;
  /** The first word's position in the transcript, and the last one's. */
  readonly word: number;
  readonly last: number;
  /** The lowest of theirs. */
  readonly confidence: number;
}

/** How far the speech of a caption may lie outside its time, in seconds. */
const MARGIN = 0.4;

/**
 * The doubtful phrases of a caption, in the order of its text. A word that somebody has edited no
 * longer counts.
 * @param words the transcript's, in order
 * @param phrases the number of the phrase of each word, or 0
 */
export function doubtfulWords(
  cue: ReviewCue,
  words: readonly HeardWord[],
  phrases: Uint32Array,
): DoubtfulWord[] {
  const startOf = (index: number): number => words[index]!.start;
  const first = Math.max(0, lastAtOrBefore(words.length, startOf, cue.start - MARGIN));
  const last = lastAtOrBefore(words.length, startOf, cue.end + MARGIN);
  const heard = words.slice(first, last + 1);
  if (!phrases.subarray(first, last + 1).some((phrase) => phrase > 0)) return [];
  const tokens = tokensOf(textOf(cue));
  const letters = heard.map(({ text }) => lettersOf(text));
  const found: DoubtfulWord[] = [];
  let lastToken = -1;
  for (const [token, at] of pairs(
    tokens.map((each) => each.letters),
    letters,
  )) {
    const word = first + at;
    if (phrases[word] === 0) continue;
    const { from, to } = tokens[token]!;
    const { confidence = 1 } = heard[at]!;
    const before = found.at(-1);
    const goesOn =
      before?.last === word - 1 &&
      lastToken === token - 1 &&
      phrases[before.word] === phrases[word];
    if (goesOn) {
      const lowest = Math.min(before.confidence, confidence);
      found[found.length - 1] = { ...before, to, last: word, confidence: lowest };
    } else found.push({ from, to, word, last: word, confidence });
    lastToken = token;
  }
  return found;
}

interface TextWord {
  readonly from: number;
  readonly to: number;
  readonly letters: string;
}

/** The end of the last letter or digit of a token; punctuation and italic tags may follow it. */
function endOfLetters(token: string): number {
  const characters = [...token];
  let end = token.length;
  while (characters.length > 0) {
    const [tag = ''] = /<\/?i>$/i.exec(token.slice(Math.max(0, end - 4), end)) ?? [];
    const last = tag === '' ? characters.slice(-1) : characters.slice(-tag.length);
    if (tag === '' && /[\p{L}\p{N}\p{M}>]/u.test(last[0]!)) break;
    characters.length -= last.length;
    end -= last.join('').length;
  }
  return end;
}

/** The words of a text, without the punctuation around them. */
function tokensOf(text: string): TextWord[] {
  return Array.from(text.matchAll(/\S+/gu), ({ 0: token, index }) => {
    const [lead = ''] = /^(?:<\/?i>|[^\p{L}\p{N}<])*/iu.exec(token)!;
    return {
      from: index + lead.length,
      to: index + lead.length + endOfLetters(token.slice(lead.length)),
      letters: lettersOf(token),
    };
  }).filter(({ from, to, letters }) => to > from && letters !== '');
}

/** The longest common subsequence of two lists, as pairs of positions. */
function pairs(one: readonly string[], other: readonly string[]): [number, number][] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        one[i] === other[j]
          ? 1 + lengths[(i + 1) * width + j + 1]!
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const found: [number, number][] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) found.push([i++, j++]);
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return found;
}

/** The values of a window of 0.2 s, over which the loudness is averaged. */
const WINDOW = PEAKS_PER_SECOND / 5;
const WINDOWS_PER_SECOND = PEAKS_PER_SECOND / WINDOW;
/** Shorter stretches are laughs, coughs and chairs, in seconds. */
const LEAST = 2;
/** Pauses of this many seconds belong to a stretch. */
const PAUSE = 1;
/** Sound counts if it is this loud in proportion to the captioned sound, and to the noise between. */
const OF_SPEECH = 0.4;
const OF_NOISE = 3;
/** A recording whose captioned sound is less loud than this, of 255, is as good as silent. */
const SILENT = 2;

/**
 * Finds the stretches without captions that are about as loud as those with captions.
 * @param peaks 50 values a second, from 0 to 255
 * @param cues in order
 */
export function loudWithoutCues(peaks: Uint8Array, cues: readonly ReviewCue[]): Stretch[] {
  const levels = Array.from({ length: Math.floor(peaks.length / WINDOW) }, (_, at) => {
    const window = peaks.subarray(at * WINDOW, (at + 1) * WINDOW);
    return window.reduce((sum, value) => sum + value, 0) / WINDOW;
  });
  const isCaptioned = new Uint8Array(levels.length);
  for (const { start, end } of cues) {
    isCaptioned.fill(
      1,
      Math.max(0, Math.floor((start - MARGIN) * WINDOWS_PER_SECOND)),
      Math.max(0, Math.ceil((end + MARGIN) * WINDOWS_PER_SECOND)),
    );
  }
  const captioned = levels.filter((_, at) => isCaptioned[at] === 1);
  const speech = quantile(captioned.length > 0 ? captioned : levels, 0.6);
  if (speech < SILENT) return [];
  const loud = Math.max(
    speech * OF_SPEECH,
    Math.min(quantile(levels, 0.1) * OF_NOISE, speech * 0.8),
  );
  const found: { from: number; to: number; loud: number }[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < loud || isCaptioned[at] === 1) continue;
    const last = found.at(-1);
    const isNear = last && at - last.to <= PAUSE * WINDOWS_PER_SECOND;
    if (isNear && !isCaptioned.subarray(last.to, at).includes(1)) {
      last.to = at + 1;
      last.loud += 1;
    } else found.push({ from: at, to: at + 1, loud: 1 });
  }
  return found
    .filter(
      ({ from, to, loud: count }) =>
        to - from >= LEAST * WINDOWS_PER_SECOND && count * 2 >= to - from,
    )
    .map(({ from, to }) => ({ start: from / WINDOWS_PER_SECOND, end: to / WINDOWS_PER_SECOND }));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
