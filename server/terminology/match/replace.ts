/** Builds the text of a span of words after its term is corrected. */
import type { TranscriptWord } from '../../contract/results.ts';
import { wordParts } from './normalize.ts';
import type { Surroundings } from './token-stream.ts';
import { endsSentence } from '../../captions/punctuation.ts';

/**
 * The text of words, unchanged.
 * @example
 * const words = [{ text: 'Use' }, { text: '“off' }, { text: 'kit”.' }].map((word) => ({ ...word, start: 0, end: 0 }));
 * spanText(words, 1, 2); // => '“off kit”.'
 */
export const spanText = (
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): string =>
  words
    .slice(firstWord, lastWord + 1)
    .map((word) => word.text.trim())
    .join(' ');

/**
 * The same text without its outer punctuation.
 * @example
 * const words = [{ text: 'Use' }, { text: '“off' }, { text: 'kit”.' }].map((word) => ({ ...word, start: 0, end: 0 }));
 * surfaceText(words, 1, 2); // => 'off kit'
 */
export const surfaceText = (
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): string => wordParts(spanText(words, firstWord, lastWord)).core;

/** The replacement for a span of words. */
interface Replacement extends Surroundings {
  firstWord: number;
  lastWord: number;
  canonical: string;
  /** The ending of the term as recognised. */
  suffix: '' | "'s" | 's';
}

/**
 * The text of a span, the part of it that was recognised for the term, and its replacement: the term with the
 * surrounding punctuation and the possessive or plural of the original. Hyphens within a phrase are grammatical ("an
 * MCP-server author") and are kept. A term without capitals gets one at the start of a sentence whose first word had
 * one.
 * @example
 * const words = [{ text: 'Use' }, { text: '“off' }, { text: 'kit”.' }].map((word) => ({ ...word, start: 0, end: 0 }));
 * const span = { firstWord: 1, lastWord: 2, canonical: 'AuthKit', suffix: '', head: '', tail: '' } as const;
 * replacementFor(words, span).replacement; // => '“AuthKit”.'
 */
export function replacementFor(
  words: readonly TranscriptWord[],
  { firstWord, lastWord, canonical, suffix, head, tail }: Replacement,
): { text: string; heard: string; replacement: string } {
  const text = spanText(words, firstWord, lastWord);
  const { lead, core, trail } = wordParts(text);
  const heard = core.slice(head.length, core.length - tail.length);
  // Keeps the kind of apostrophe in the original.
  const ending = suffix === '' ? '' : heard.slice(-suffix.length).toLowerCase();
  const after = spelledWithStops(core, words[lastWord + 1]) ? trail.replace(/^\./, '') : trail;
  const hyphenated = sameWords(heard.slice(0, heard.length - ending.length), canonical);
  const term = hyphenated ? canonical.replaceAll(' ', '-') : canonical;
  const cased = head === '' ? sentenceCase(words, firstWord, term) : term;
  return { text, heard, replacement: `${lead}${head}${cased}${ending}${tail}${after}` };
}

/** Whether a text is a phrase with hyphens instead of spaces. */
const sameWords = (heard: string, phrase: string): boolean =>
  heard.includes('-') && heard.replaceAll('-', ' ').toLowerCase() === phrase.toLowerCase();

/** Whether the last full stop of "S. L. A." belongs to the letter, as it does unless a sentence may end there. */
function spelledWithStops(core: string, next: TranscriptWord | undefined): boolean {
  return (
    /^(?:\p{L}\.\s*)+\p{L}$/u.test(core) && next !== undefined && !/^\p{Lu}/u.test(next.text.trim())
  );
}

function sentenceCase(words: readonly TranscriptWord[], at: number, canonical: string): string {
  if (canonical !== canonical.toLowerCase()) return canonical;
  const before = words[at - 1];
  const begins = before === undefined || endsSentence(before.text);
  const heard = wordParts(words[at]!.text).core;
  if (!begins || !/^\p{Lu}/u.test(heard)) return canonical;
  return canonical.charAt(0).toUpperCase() + canonical.slice(1);
}

/**
 * Whether something within a span separates its words: a change of speaker, a full stop, a comma, a dash or any other
 * mark, except for those of spelled-out letters ("S. S. O.", "M, C, P").
 */
export function spanIsBroken(
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): boolean {
  for (let at = firstWord; at < lastWord; at += 1) {
    const here = words[at];
    const next = words[at + 1];
    if (!here || !next) return true;
    if (here.speaker !== next.speaker) return true;
    const { core, trail } = wordParts(here.text);
    if (core === '') {
      if (!/^[-‐‑]$/.test(here.text.trim())) return true;
    } else if (trail !== '' && !BELONGS.test(trail) && !isSpelled(words, at, firstWord, lastWord)) {
      return true;
    }
    const after = wordParts(next.text);
    if (after.core !== '' && after.lead !== '') return true;
  }
  return isPartOfList(words, firstWord, lastWord);
}

/** Matches the words before the last item of a list, in the languages that write one letter after them. */
const AND = /^(?:and|or|und|oder|y|o|et|ou|e|en|of)$/i;

/** Whether a span of letters with commas is a part of a longer list ("m, c, p, and q"). */
function isPartOfList(
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): boolean {
  const parts = (index: number) => wordParts(words[index]?.text ?? '');
  const isItem = (index: number) =>
    LETTER.test(parts(index).core) && !/^[aI]$/.test(parts(index).core);
  if (firstWord === lastWord || parts(firstWord).trail !== ',') return false;
  if (isItem(firstWord - 1) && parts(firstWord - 1).trail === ',') return true;
  if (AND.test(parts(lastWord + 1).core)) return isItem(lastWord + 2);
  return parts(lastWord).trail === ',' && isItem(lastWord + 1);
}

/** Matches an apostrophe or a hyphen at the end of a word, which belongs to the word. */
const BELONGS = /^['’‐‑-]+$/;
const LETTER = /^\p{L}$/u;
const SPELLING_MARK = /^[.,]$/;

/**
 * Whether the mark after a word of a span belongs to spelled-out letters: at least three letters, or two with the same
 * mark ("A. I. is", but not "plan A. I think"). The last letter's full stop may precede a word ("M. C. P. server"), but
 * its comma may not.
 */
function isSpelled(
  words: readonly TranscriptWord[],
  at: number,
  firstWord: number,
  lastWord: number,
): boolean {
  const parts = (index: number) => wordParts(words[index]?.text ?? '');
  const isLetter = (index: number) => LETTER.test(parts(index).core);
  if (!isLetter(at) || !SPELLING_MARK.test(parts(at).trail)) return false;
  let first = at;
  while (first > firstWord && isLetter(first - 1)) first -= 1;
  let last = at;
  while (last < lastWord && isLetter(last + 1)) last += 1;
  if (at === last) return first < last && parts(at).trail === '.' && parts(at - 1).trail === '.';
  return last - first >= 2 || (last > first && SPELLING_MARK.test(parts(last).trail));
}
