/** Gives the words of a transcription the punctuation and case of its text. */
import type { RawWord } from './remote-provider.ts';
import { hasSpaceless } from '../../captions/width.ts';

/** A word that is not next in the text is searched for in the next so many characters. */
const LOOK_AHEAD = 120;

/** The place of a word in the text: its first character, and the one after its last. */
interface TextRange {
  from: number;
  to: number;
}

/**
 * Gives words the punctuation and case of their text. Words that the text writes as one ("well-known") are merged; a
 * word that is not in the text is unchanged.
 */
export function punctuate(words: readonly RawWord[], text: string): RawWord[] {
  const out: RawWord[] = [];
  let open: { word: RawWord; to: number } | null = null;
  const places = placesOf(words, text);
  for (const [at, word] of words.entries()) {
    const place = places[at];
    if (!place) {
      open = null;
      out.push(word);
      continue;
    }
    const shown = text.slice(place.from, place.to);
    if (open && open.to === place.from && !parts(open.word.text, shown)) {
      open.word.text += shown;
      open.word.end = word.end;
      open.to = place.to;
      continue;
    }
    open = { word: { ...word, text: shown }, to: place.to };
    out.push(open.word);
  }
  return out;
}

/** Whether two adjacent words of a text are separate although their script has no spaces. */
const parts = (left: string, right: string): boolean =>
  hasSpaceless(left.slice(-1)) || hasSpaceless(right.slice(0, 1));

/** The place of each word with its punctuation; null if it is not in the text. */
function placesOf(words: readonly RawWord[], text: string): (TextRange | null)[] {
  const lower = [...lowerUnits(text)];
  let next = 0;
  const found = words.map((word): TextRange | null => {
    const letters = [...lowerUnits(word.text)].filter(isLetter);
    if (letters.length === 0) return null;
    const place = find(lower, letters, next);
    if (place) next = place.to;
    return place;
  });
  const places = found.filter((place) => place !== null);
  for (const [at, place] of places.entries()) {
    place.from = opening(text, place.from, places[at - 1]?.to ?? 0);
    place.to = closing(text, place.to, places[at + 1]?.from ?? text.length);
  }
  return found;
}

/** The text in lower case, unit by unit, so that places stay the same. */
function* lowerUnits(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += 1) yield text.charAt(at).toLowerCase();
}

const isLetter = (unit: string): boolean => /[\p{L}\p{N}\p{M}\p{Cs}]/u.test(unit);

/** The first place at or after `from` that has these letters, with only punctuation between them. */
function find(text: readonly string[], letters: readonly string[], from: number): TextRange | null {
  const last = Math.min(text.length, from + LOOK_AHEAD);
  for (let start = from; start < last; start += 1) {
    if (!isBorder(text[start - 1], text[start])) continue;
    const to = matchAt(text, letters, start);
    if (to > 0 && isBorder(text[to - 1], text[to])) return { from: start, to };
  }
  return null;
}

/** Whether a word may begin or end between two characters. */
const isBorder = (left = ' ', right = ' '): boolean =>
  isLetter(left) !== isLetter(right) || hasSpaceless(left) || hasSpaceless(right);

/** The end of the last letter if the letters follow each other from `start` on without a space; otherwise 0. */
function matchAt(text: readonly string[], letters: readonly string[], start: number): number {
  let at = start;
  let matched = 0;
  for (; matched < letters.length && at < text.length; at += 1) {
    if (text[at] === letters[matched]) matched += 1;
    else if (at === start || isLetter(text[at] ?? '')) return 0;
  }
  return matched === letters.length ? at : 0;
}

/** The start of a word with the punctuation before it, back to the last space: “, (, $, ¿. */
function opening(text: string, from: number, least: number): number {
  let start = from;
  while (start > least && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** The end of a word with the punctuation after it, up to the next space. */
function closing(text: string, to: number, most: number): number {
  let end = to;
  while (end < most && !/\s/.test(text.charAt(end))) end += 1;
  return end;
}
