/** Tells Whisper key terms as openai-whisper's `initial_prompt` does: as a text before the one to be recognised. */
import { fitKeyterms, promptOf } from '../../../terminology/keyterms.ts';
import { likenessAtLeast, spokenForms, type SpokenForm } from '../../../terminology/sounds.ts';

/**
 * The least likeness of words to a term that is told. It can be low, because nothing is replaced without a second look.
 */
const LEAST_LIKENESS = 0.5;
/** The same for a term of few letters, which ordinary words are always a little like. */
const LEAST_SHORT = 0.75;
const FEW_LETTERS = 5;
/** The most tokens of terms; the decoder has room for 223, but each costs memory, and few terms sound like a window. */
const MOST_TOKENS = 100;
/** The most words that may have been heard in addition to the number of a term's own. */
const MORE_WORDS = 2;

/**
 * The terms that something in the words sounds like, the most similar first. Empty where no term can have been
 * misheard; terms that were heard as they are written are left out.
 */
export function termsAlike(words: readonly string[], terms: readonly string[]): string[] {
  const said = words.map(withoutMarks);
  const formOf = spokenForms();
  const spans = spansOf(said, MORE_WORDS + Math.max(0, ...terms.map(wordCount)), formOf);
  const heard = new Set(spans.map(({ text }) => text));
  const best = terms.flatMap((term) => {
    if (heard.has(term)) return [];
    const closeness = closest(spans, term, formOf(term));
    return closeness > 0 ? [{ term, closeness }] : [];
  });
  return best.toSorted((a, b) => b.closeness - a.closeness).map(({ term }) => term);
}

/** Words that follow each other. */
interface Span {
  text: string;
  words: number;
  form: SpokenForm;
}

const wordCount = (term: string): number => term.split(/\s+/).length;

/** All spans of at most so many words. */
function spansOf(
  words: readonly string[],
  most: number,
  formOf: (text: string) => SpokenForm,
): Span[] {
  const spans = new Map<string, Span>();
  for (let first = 0; first < words.length; first += 1) {
    for (let end = first + 1; end <= Math.min(words.length, first + most); end += 1) {
      const text = words.slice(first, end).join(' ');
      if (!spans.has(text)) spans.set(text, { text, words: end - first, form: formOf(text) });
    }
  }
  return [...spans.values()];
}

/** A word from its first to its last letter or digit. */
function withoutMarks(word: string): string {
  const characters = [...word];
  const isSpoken = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
  const first = characters.findIndex(isSpoken);
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex(isSpoken) + 1).join('');
}

const leastFor = (term: string): number =>
  term.length <= FEW_LETTERS ? LEAST_SHORT : LEAST_LIKENESS;

/** The likeness of a term to the span that is most like it; 0 if none is like it enough. */
function closest(spans: readonly Span[], term: string, form: SpokenForm): number {
  const most = wordCount(term) + MORE_WORDS;
  const least = leastFor(term);
  let best = 0;
  for (const { text, words, form: said } of spans) {
    if (words > most) continue;
    if (Math.min(text.length, term.length) < Math.max(text.length, term.length) / 2) continue;
    best = Math.max(best, likenessAtLeast(Math.max(best, least), said, form));
  }
  return best;
}

/** Divides a text into tokens. */
export type Tokenizer = (text: string) => number[];

/** The tokens of the terms that fit into the prompt, the best last. Empty if none fits. */
export function promptTokens(terms: readonly string[], tokenize: Tokenizer): number[] {
  const { injected } = fitKeyterms(terms, {
    tokens: MOST_TOKENS,
    vocabulary: 'whisper',
    separator: 1,
  });
  return injected.length === 0 ? [] : tokenize(` ${promptOf(injected)}.`);
}

/** How GPT-2 divides a text before its parts become tokens (openai-whisper, tokenizer.py). */
const PARTS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/**
 * Divides a text into tokens by byte pair encoding: the pair with the lowest number is joined first.
 * @param bytes the bytes of each token of text
 */
export function createTokenizer(bytes: readonly Uint8Array[]): Tokenizer {
  const ids = new Map(bytes.map((token, id) => [token?.join() ?? '', id]));
  const encoder = new TextEncoder();
  return (text) =>
    (text.match(PARTS) ?? []).flatMap((part) => {
      const pieces = Array.from(encoder.encode(part), String);
      for (;;) {
        let [at, lowest] = [-1, Infinity];
        for (let place = 0; place + 1 < pieces.length; place += 1) {
          const id = ids.get(`${pieces[place]},${pieces[place + 1]}`) ?? Infinity;
          if (id < lowest) [at, lowest] = [place, id];
        }
        if (at < 0) break;
        pieces.splice(at, 2, `${pieces[at]},${pieces[at + 1]}`);
      }
      return pieces.flatMap((piece) => ids.get(piece) ?? []);
    });
}
