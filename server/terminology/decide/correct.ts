/** Applies accepted corrections to the words of a transcript, preserving their times. */
import type { TermCorrection } from '../../contract/terminology.ts';
import { wholeMilliseconds, type TranscriptWord } from '../../contract/results.ts';
import { fold } from '../match/normalize.ts';
import { spanText } from '../match/replace.ts';

/** The part of a correction that is needed to apply it. */
type Edit = Pick<TermCorrection, 'firstWord' | 'lastWord' | 'before' | 'after'>;

/** The words after edits, with their origins. */
export interface Edited {
  words: TranscriptWord[];
  /**
   * For each word, the span of original words from which it comes (inclusive): one word, if an edit leaves their number as it
   * is, and otherwise the whole span of the edit.
   */
  origins: { first: number; last: number }[];
}

/**
 * Applies all accepted corrections, skips the others, and reports the origin of each word. Indexes refer to the given
 * words, which are not modified.
 * @throws {Error} if a correction does not match the words or overlaps another one
 * @example
 * const words = [{ text: 'off', start: 0, end: 0.2 }, { text: 'kit', start: 0.2, end: 0.4 }];
 * const edit = { firstWord: 0, lastWord: 1, before: 'off kit', after: 'AuthKit' };
 * correct(words, [edit]).words.map(({ text }) => text); // => ['AuthKit']
 * correct(words, [edit]).origins; // => [{ first: 0, last: 1 }]
 * correct(words, [{ ...edit, decision: 'rejected' }]).words; // => words
 */
export function correct(
  words: readonly TranscriptWord[],
  corrections: readonly (Edit & Partial<Pick<TermCorrection, 'decision'>>)[],
): Edited {
  const edits = corrections.filter(({ decision = 'accepted' }) => decision === 'accepted');
  const out: TranscriptWord[] = [];
  const origins: Edited['origins'] = [];
  let next = 0;
  for (const edit of edits.sort((a, b) => a.firstWord - b.firstWord)) {
    const { firstWord, lastWord } = edit;
    if (firstWord < next || lastWord < firstWord || lastWord >= words.length) {
      throw new Error(
        `A correction of words ${firstWord}–${lastWord} overlaps another or exceeds the transcript.`,
      );
    }
    if (spanText(words, firstWord, lastWord) !== edit.before) {
      throw new Error(
        `A correction of words ${firstWord}–${lastWord} does not match the transcript.`,
      );
    }
    for (; next < firstWord; next += 1) keep(next);
    const replaced = replaceSpan(words.slice(firstWord, lastWord + 1), edit.after);
    const oneToOne = replaced.length === lastWord - firstWord + 1;
    for (const [at, word] of replaced.entries()) {
      out.push(word);
      const own = firstWord + at;
      origins.push(oneToOne ? { first: own, last: own } : { first: firstWord, last: lastWord });
    }
    next = lastWord + 1;
  }
  for (; next < words.length; next += 1) keep(next);
  return { words: out, origins };

  function keep(at: number): void {
    const word = words[at];
    if (!word) return;
    out.push(word);
    origins.push({ first: at, last: at });
  }
}

/**
 * The words of a span after an edit. Words at either end that change only in case and punctuation keep their times, as
 * do all words if their number is unchanged. The others share the time from the first start to the last end in
 * proportion to their characters.
 */
function replaceSpan(heard: readonly TranscriptWord[], after: string): TranscriptWord[] {
  const texts = after.split(/\s+/).filter((text) => text !== '');
  if (texts.length === heard.length) return pairUp(heard, texts);
  const most = Math.min(texts.length, heard.length) - 1;
  let head = 0;
  while (head < most && sameLetters(heard[head]?.text, texts[head])) head += 1;
  let tail = 0;
  while (tail < most - head && sameLetters(heard.at(-1 - tail)?.text, texts.at(-1 - tail)))
    tail += 1;
  return [
    ...pairUp(heard.slice(0, head), texts.slice(0, head)),
    ...shareTime(heard.slice(head, heard.length - tail), texts.slice(head, texts.length - tail)),
    ...pairUp(heard.slice(heard.length - tail), texts.slice(texts.length - tail)),
  ];
}

const letters = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
const sameLetters = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && letters(a) === letters(b);

const heardTexts = (words: readonly TranscriptWord[]): string[] =>
  words.flatMap((word) => word.original ?? [word.text]);

function pairUp(heard: readonly TranscriptWord[], texts: readonly string[]): TranscriptWord[] {
  return heard.map((word, at) => {
    const text = texts[at] ?? word.text;
    return text === word.text ? word : { ...word, text, original: heardTexts([word]) };
  });
}

/**
 * Divides the time of a group among its new words, and records on each of them all the words that were recognised for
 * it.
 */
function shareTime(heard: readonly TranscriptWord[], texts: readonly string[]): TranscriptWord[] {
  const first = heard[0];
  const last = heard.at(-1);
  if (!first || !last) return [];
  const confidences = heard.flatMap((word) => word.confidence ?? []);
  const common = {
    ...(confidences.length > 0 ? { confidence: Math.min(...confidences) } : {}),
    ...(first.speaker === undefined ? {} : { speaker: first.speaker }),
    original: heardTexts(heard),
  };
  const end = Math.max(first.start, last.end);
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  let elapsed = 0;
  let start = first.start;
  return texts.map((text, at) => {
    elapsed += text.length;
    const share = first.start + ((end - first.start) * elapsed) / total;
    const wordEnd = at === texts.length - 1 ? end : clamp(wholeMilliseconds(share), start, end);
    const word = { text, start, end: wordEnd, ...common };
    start = wordEnd;
    return word;
  });
}

const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));
