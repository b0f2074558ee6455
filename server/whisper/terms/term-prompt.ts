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

// Raises the probability of key terms while Whisper searches for a text: slightly for their first tokens, and more for
// the others once the text contains all tokens before them, as transducers do with hotwords.

/** The additions to the logits of a term's first token, and of its others. */
const FIRST = 1;
const FOLLOWING = 3;

/** The additions to the logits of tokens that may come next, given the tokens of the text so far. */
type Boost = (said: readonly number[]) => ReadonlyMap<number, number>;

/** Creates the boost for terms, each as it is written after a space. */
export function boostOf(terms: readonly string[], tokenize: Tokenizer): Boost {
  const all = terms.map((term) => tokenize(` ${term}`));
  const firsts = new Map(all.flatMap(([first]) => (first === undefined ? [] : [[first, FIRST]])));
  return (said) => {
    const boosts = new Map(firsts);
    for (const term of all) {
      for (let done = Math.min(term.length - 1, said.length); done > 0; done -= 1) {
        const from = said.length - done;
        if (said.slice(from).every((token, at) => token === term[at])) {
          boosts.set(term[done]!, FOLLOWING);
        }
      }
    }
    return boosts;
  };
}
