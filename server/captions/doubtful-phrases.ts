/**
 * Which words of a transcript are doubtful, as phrases: misheard words lie beside each other, and a single unsure word
 * among sure ones is mostly right.
 */
import { logit, UNSURE_BELOW } from '../contract/confidence.ts';
import type { TranscriptWord } from '../contract/results.ts';

type Word = Partial<Pick<TranscriptWord, 'confidence' | 'certainty' | 'original'>>;

/**
 * The logit of the probability that a word is wrong: `base`, less `own` times the logit of its confidence and `near`
 * times the mean of those of the words around it. Measured on half of the recordings in shared/audio with our
 * recognisers, in silence and in eight kinds of noise, and checked on the other half.
 */
const WRONG = { base: 0.99, own: 0.78, near: 0.54 };
/** The words before and after a word that count. */
const NEAR = 2;
/** A phrase begins at a word that is less sure by this much than those that go on with it. */
const BEGINS = 0.1;

/** How sure each word is, by its confidence and those around it; by its own where they have not been measured. */
function surenessOf(words: readonly Word[]): number[] {
  const logits = words.map(({ confidence }) =>
    confidence === undefined ? Number.NaN : logit(confidence),
  );
  return words.map(({ confidence = 1, certainty }, at) => {
    if (certainty === undefined) return confidence;
    let [sum, count] = [0, 0];
    for (let other = Math.max(0, at - NEAR); other <= at + NEAR; other += 1) {
      const value = logits[other] ?? Number.NaN;
      if (other === at || Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    const near = count === 0 ? logits[at]! : sum / count;
    return 1 / (1 + Math.exp(WRONG.base - WRONG.own * logits[at]! - WRONG.near * near));
  });
}

/**
 * The number of the doubtful phrase in which each word stands, from 1; 0 for a word that is not doubtful, such as one
 * that a correction replaced, which is decided with the correction.
 * @param below how sure a word has to be
 * @example
 * [...doubtfulPhrases([{ confidence: 0.9 }, { confidence: 0.2 }, { confidence: 0.3 }])]; // => [0, 1, 1]
 */
export function doubtfulPhrases(words: readonly Word[], below: number = UNSURE_BELOW): Uint32Array {
  const sure = surenessOf(words);
  const phrases = new Uint32Array(words.length);
  let count = 0;
  for (let from = 0; from < words.length;) {
    let to = from;
    let begins = false;
    while (to < words.length && sure[to]! < below && words[to]!.original === undefined) {
      const margin = words[to]!.certainty === undefined ? 0 : BEGINS;
      begins ||= sure[to]! < below - margin;
      to += 1;
    }
    if (begins) phrases.fill((count += 1), from, to);
    from = to + 1;
  }
  return phrases;
}
