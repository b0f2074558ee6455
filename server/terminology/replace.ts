/** How a span of words reads once its term is put right. */
import type { TranscriptWord } from '../contract/transcript.ts';
import { endsSentence, wordParts } from './normalize.ts';

/** The text of words as they stand. */
export const spanText = (
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): string =>
  words
    .slice(firstWord, lastWord + 1)
    .map((word) => word.text.trim())
    .join(' ');

/** The same without the punctuation around it. */
export const surfaceText = (
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): string => wordParts(spanText(words, firstWord, lastWord)).core;

/**
 * The text of a span and what replaces it: the term between the punctuation that stood around the
 * words, with the possessive or plural they had. A term without capitals gets one where it begins a
 * sentence whose first word had one.
 */
export function replacementFor(
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
  canonical: string,
  suffix: '' | "'s" | 's',
): { text: string; replacement: string } {
  const text = spanText(words, firstWord, lastWord);
  const { lead, core, trail } = wordParts(text);
  // The apostrophe stays the one that was written.
  const ending = suffix === '' ? '' : core.slice(-suffix.length).toLowerCase();
  const after = spelledWithStops(core, words[lastWord + 1]) ? trail.replace(/^\./, '') : trail;
  return {
    text,
    replacement: `${lead}${sentenceCase(words, firstWord, canonical)}${ending}${after}`,
  };
}

/** The last stop of "S. L. A." is the letter's, unless a sentence may end there. */
function spelledWithStops(core: string, next: TranscriptWord | undefined): boolean {
  return (
    /^(?:\p{L}\.\s*)+\p{L}$/u.test(core) && next !== undefined && !/^\p{Lu}/u.test(next.text.trim())
  );
}

function sentenceCase(words: readonly TranscriptWord[], at: number, canonical: string): string {
  if (canonical !== canonical.toLowerCase()) return canonical;
  const before = words[at - 1];
  const begins = before === undefined || endsSentence(before.text.trim());
  const heard = wordParts(words[at]?.text ?? '').core;
  if (!begins || !/^\p{Lu}/u.test(heard)) return canonical;
  return canonical.charAt(0).toUpperCase() + canonical.slice(1);
}

/**
 * Whether something within a span keeps its words apart: another speaker, the end of a sentence, a
 * comma or a dash. The dots and commas of letters that are spelled out ("M, C, P") do not, nor does
 * a full stop that no capital follows: recognisers put such stops anywhere.
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
    if (
      core === '' ? !/^[-‐‑]$/.test(here.text.trim()) : trail !== '' && breaks(core, trail, next)
    ) {
      return true;
    }
    if (wordParts(next.text).core !== '' && wordParts(next.text).lead !== '') return true;
  }
  return false;
}

function breaks(core: string, trail: string, next: TranscriptWord): boolean {
  if ([...core].length === 1) return /[?!]/.test(trail);
  if (/^\.$/.test(trail)) return /^\p{Lu}/u.test(next.text.trim());
  // An apostrophe or a hyphen that stands at the end belongs to the word.
  return !/^['’‐‑-]+$/.test(trail);
}
