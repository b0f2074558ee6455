/**
 * Divides key terms into tokens, and passes them to Whisper like openai-whisper's `initial_prompt`: as a text before
 * the one to be recognised.
 */
import { fitKeyterms, promptOf } from '../../terminology/packs/keyterms.ts';

/**
 * The most tokens of terms; the decoder has room for 223, but each costs memory, and few terms sound like words in a
 * window.
 */
const MAX_TOKENS = 100;

/** Divides a text into tokens. */
export type Tokenizer = (text: string) => number[];

/** The tokens of the terms that fit into the prompt, the best last. Empty if none fits. */
export function promptTokens(terms: readonly string[], tokenize: Tokenizer): number[] {
  const { injected } = fitKeyterms(terms, {
    tokens: MAX_TOKENS,
    vocabulary: 'whisper',
    separator: 1,
  });
  return injected.length === 0 ? [] : tokenize(` ${promptOf(injected)}.`);
}

/** The parts into which GPT-2 divides a text before they become tokens (openai-whisper, tokenizer.py). */
const PARTS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/**
 * Divides a text into tokens by byte pair encoding: the pair with the lowest number is joined first.
 * @param bytes the bytes of each token of text
 * @param parts matches the parts that are divided separately
 */
export function createTokenizer(bytes: readonly Uint8Array[], parts = PARTS): Tokenizer {
  const ids = new Map(bytes.map((token, id) => [token?.join() ?? '', id]));
  const encoder = new TextEncoder();
  return (text) =>
    (text.match(parts) ?? []).flatMap((part) => {
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
