/** Chooses among the terms that were weighed for a window, and writes them into its text. */
import { type SpokenToken } from '../search/text.ts';
import { type Weighed } from './weigh-terms.ts';
import { wordParts } from '../../terminology/match/normalize.ts';
import { isOrdinaryText } from '../../terminology/match/ordinary-words.ts';

/**
 * The evidence for a term is the margin after a prompt that names it, plus these weights: of the margin without that
 * prompt, of the similarity of the sounds beyond one half, and of a near word. A prompt makes the names in it more
 * probable than the sound justifies, similar words are confused more often, and a term is likely where people speak
 * about its subject.
 */
const MARGIN = 0.25;
const SIMILARITY = 6;
const NEAR = 4;
/**
 * The evidence that is added for a model without prompts. With Moonshine, all terms that were not spoken had at most -6
 * before in measurements, and most of those that were spoken more than that.
 */
const UNNAMED = 11;
/**
 * The least similarity: words that sound quite unlike a term are other words, however improbable the recognised ones.
 */
const MIN_ALIKE = 0.1;
/**
 * The same for a term that is alone in its window: nonsense recognised for another word is often slightly similar to
 * some term.
 */
const MIN_SIMILARITY_ALONE = 0.4;
/**
 * The least evidence for a term, and for a short one, to which many words are slightly similar. Less is enough in
 * company: if the window contains another term, it is probably about their subject. For short terms it has to contain
 * several.
 */
const LEAST = 5;
const SHORT_MARGIN = 8;
const MIN_IN_COMPANY = -1;
const MIN_SHORT_BESIDE_ONE = 4.5;
/**
 * The same in company for a pronunciation of a term, which often consists of ordinary words, and for one that is short
 * or replaces ordinary words. Without company, a pronunciation never replaces ordinary words.
 */
const MIN_SAYING = 1;
const MIN_DOUBTFUL_SAYING = 3;
/**
 * With so many other terms, a window is certainly about their subject, and even less is enough, except for ordinary
 * words that have no near word and at least this confidence.
 */
const MANY = 3;
const LESS_AMONG_MANY = 1;
const DOUBTED = 0.5;
const SHORT_LETTERS = 4;
/**
 * Ordinary words with at least this confidence were probably meant: a term then needs so much more evidence.
 */
const SURE = 0.8;
const SURE_SURCHARGE = 2.5;

/**
 * The least margin for words that differ from the term only in case, which cannot be heard. In company, several words
 * that are a name in another case are judged like all others.
 */
const MIN_OF_CASE = -1;
/**
 * The least margin for a model without prompts, also for words in another case if they are several or not ordinary.
 */
const MIN_UNNAMED = -9;

/**
 * Whether a term was spoken, judged by the sound.
 * @param company the number of other terms in the window
 */
function isTermSpoken(weighed: Weighed, company: number): boolean {
  const { term, saying, margin, heard, similarity, confidence, near } = weighed;
  const isCaseOnly = heard.toLowerCase() === term.toLowerCase();
  const isOrdinary = isOrdinaryText(heard);
  if (isCaseOnly && !(company > 0 && term.includes(' '))) {
    const isName = weighed.named === null && (term.includes(' ') || !isOrdinary);
    return margin >= (isName ? MIN_UNNAMED : MIN_OF_CASE);
  }
  if (similarity < (company === 0 ? MIN_SIMILARITY_ALONE : MIN_ALIKE)) return false;
  if (weighed.named === null && margin < MIN_UNNAMED) return false;
  const surcharge = confidence >= SURE && isOrdinary ? SURE_SURCHARGE : 0;
  const isShort = (saying ?? term).length <= SHORT_LETTERS;
  return evidenceFor(weighed) >= leastEvidence() + surcharge;

  function leastEvidence(): number {
    const alone = isShort ? SHORT_MARGIN : LEAST;
    if (company === 0) return saying !== undefined && isOrdinary ? Infinity : alone;
    if (isShort && company === 1) return MIN_SHORT_BESIDE_ONE;
    const isDoubtful = !isOrdinary || near || confidence < DOUBTED;
    const less = company >= MANY && isDoubtful ? LESS_AMONG_MANY : 0;
    if (saying === undefined) return MIN_IN_COMPANY - less;
    return (isShort || isOrdinary ? MIN_DOUBTFUL_SAYING : MIN_SAYING) - less;
  }
}

const evidenceFor = ({ named, margin, similarity, near }: Weighed): number =>
  (named === null ? margin + UNNAMED : named + MARGIN * margin) +
  SIMILARITY * (similarity - 0.5) +
  (near ? NEAR : 0);

/** The number of terms that the words contain as written and that are not ordinary words. */
export function countTerms(words: readonly { text: string }[], terms: readonly string[]): number {
  const spoken = words.map(({ text }) => wordParts(text).core);
  let all = ` ${spoken.join(' ')} `;
  // The longest first, so that a term within another one does not count.
  const longest = terms.toSorted((one, other) => other.length - one.length);
  return longest.filter((term) => {
    const before = all;
    all = all.replaceAll(` ${term} `, ' | ');
    return all !== before && !isOrdinaryText(term);
  }).length;
}

/**
 * The terms that were spoken, in order and without overlaps; of those that overlap, the best ones.
 * @param company the number of terms in the text as recognised
 */
export function saidTerms(weighed: readonly Weighed[], company: number): Weighed[] {
  const kept: Weighed[] = [];
  for (const one of weighed.toSorted((a, b) => evidenceFor(b) - evidenceFor(a))) {
    if (!isTermSpoken(one, company + kept.length)) continue;
    if (kept.every(({ first, end }) => end <= one.first || first >= one.end)) kept.push(one);
  }
  return kept.toSorted((a, b) => a.first - b.first);
}

/** The tokens of a text with terms in place of recognised words; each term shares the time of what it replaces. */
export function withTerms(
  tokens: readonly SpokenToken[],
  said: readonly Weighed[],
  bytes: readonly Uint8Array[],
): SpokenToken[] {
  const out: SpokenToken[] = [];
  let at = 0;
  for (const { first, end, tokens: own } of said) {
    const old = tokens.slice(first, end);
    const [start, until] = [old[0]!.start, tokens[end]?.start ?? old.at(-1)!.start];
    const logProbability = old.reduce((sum, token) => sum + token.logProbability, 0) / old.length;
    out.push(...tokens.slice(at, first));
    for (const [place, id] of own.entries()) {
      out.push({
        bytes: bytes[id]!,
        start: start + ((until - start) * place) / own.length,
        logProbability,
      });
    }
    at = end;
  }
  return [...out, ...tokens.slice(at)];
}
