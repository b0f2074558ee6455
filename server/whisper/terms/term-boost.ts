/**
 * Raises the probability of key terms while Whisper searches for a text: slightly for their first tokens, and more for
 * the others once the text contains all tokens before them, as transducers do with hotwords.
 */
import { type Tokenizer } from './term-prompt.ts';

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
