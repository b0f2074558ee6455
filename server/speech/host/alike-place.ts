/** Finds the words of a plain recognition that sound like a term of a biased one, at the same time. */
import type { TranscriptWord } from '../../contract/results.ts';
import { compactKey } from '../../terminology/match/normalize.ts';
import { similarityOf } from '../../terminology/match/similarity.ts';
import { isAcronym } from '../../terminology/match/english-words.ts';
import { isOrdinaryText } from '../../terminology/match/ordinary-words.ts';
import { type ComparedStretch, stretchesAt, plainIndex } from './compared-stretches.ts';

/**
 * Replaces words only with a term that sounds at least so much like them (0 to 1): “cooper netties” becomes Kubernetes.
 * It can be low, because the biased search found the term there too.
 */
const MIN_SIMILARITY = 0.5;
/** The same between their ends, if they begin alike. */
const MIN_SIMILARITY_OF_END = 0.3;
/** The same for ordinary words if no other term was recognised, so that nothing else is evidence of the subject. */
const MIN_SIMILARITY_ALONE = 0.55;
/** Ordinary words with this confidence or more are kept; the audit decides whether they are a term after all. */
const SURE = 0.8;
/** The greatest difference between the times of a term in the two recognitions, in seconds. */
const SAME_TIME = 0.8;
/** The most words that a term may replace in addition to the number of its own. */
const MORE_WORDS = 2;

/** A term in the biased words, from `first` up to but not including `end`. */
export interface TermMatch {
  term: string;
  first: number;
  end: number;
}

/** A range of words that excludes its end. */
export type WordRange = Pick<TermMatch, 'first' | 'end'>;

/** The words of both recognitions. */
interface Recognitions {
  plain: readonly TranscriptWord[];
  biased: readonly TranscriptWord[];
  /** The first plain word that may be replaced. */
  from: number;
  /** Whether the plain words contain no other term. */
  isAlone: boolean;
}

/** A text without a possessive ending. */
export const withoutEnding = (text: string): string => text.replace(/['’]s$/, '');

/** The plain words that a term from the biased recognition replaces; null if it replaces none. */
export function alikePlace(
  found: TermMatch,
  stretches: readonly ComparedStretch[],
  { plain, biased, from, isAlone }: Recognitions,
): WordRange | null {
  const differing = stretchesAt(found, stretches);
  if (!differing) return null;
  const { term, first, end } = found;
  const { head, tail } = differing;
  // Where the recognitions differ, look for words that sound like the term.
  const starts = head.equal ? [plainIndex(head, first), plainIndex(head, first)] : head.plain;
  const ends = tail.equal ? [plainIndex(tail, end), plainIndex(tail, end)] : tail.plain;
  let best: (WordRange & { similarity: number }) | null = null;
  const most = end - first + MORE_WORDS;
  for (let p = Math.max(from, starts[0] ?? 0); p <= (starts[1] ?? 0); p += 1) {
    for (let q = Math.max(p + 1, ends[0] ?? 0); q <= Math.min(ends[1] ?? 0, p + most); q += 1) {
      const old = plain.slice(p, q);
      if (!atSameTime(old, biased.slice(first, end))) continue;
      if (unlikeEnd(old, term)) continue;
      const similarity = similarityOf(withoutEnding(old.map(({ text }) => text).join(' ')), term);
      if (similarity >= Math.max(MIN_SIMILARITY, best?.similarity ?? 0)) {
        best = { first: p, end: q, similarity };
      }
    }
  }
  if (!best) return null;
  const old = plain.slice(best.first, best.end);
  const isSure = meanOf(old) >= SURE;
  // Without another term, a name that is a word ("Wrangler") cannot be told from that word, nor GDPR from a confident
  // "GDP".
  const isOrdinaryName = !term.includes(' ') && isOrdinaryText(term);
  if (isAlone && (isOrdinaryName || (isSure && old.some(isAcronym)))) return null;
  if (!old.every(({ text }) => isOrdinaryText(text))) return best;
  return isSure || (isAlone && best.similarity < MIN_SIMILARITY_ALONE) ? null : best;
}

/**
 * Whether words begin like a term but continue quite differently, or end there: neither “cloud flare team” nor “cloud
 * flare” is Cloudflare Queues, however similar the whole is.
 */
function unlikeEnd(old: readonly TranscriptWord[], term: string): boolean {
  const [begin, ...rest] = term.split(' ');
  if (rest.length === 0) return false;
  let key = '';
  const last = old.findIndex(({ text }) => (key += compactKey(text)) === compactKey(begin!));
  if (last < 0) return false;
  const end = old.slice(last + 1).map(({ text }) => withoutEnding(text));
  return similarityOf(end.join(' '), rest.join(' ')) < MIN_SIMILARITY_OF_END;
}

function atSameTime(a: readonly TranscriptWord[], b: readonly TranscriptWord[]): boolean {
  const start = Math.abs((a[0]?.start ?? 0) - (b[0]?.start ?? 0));
  const end = Math.abs((a.at(-1)?.end ?? 0) - (b.at(-1)?.end ?? 0));
  return start <= SAME_TIME && end <= SAME_TIME;
}

/** The geometric mean of the confidences; 1 if there are none. */
export const meanOf = (words: readonly TranscriptWord[]): number =>
  Math.exp(
    words.reduce((sum, { confidence = 1 }) => sum + Math.log(Math.max(confidence, 1e-6)), 0) /
      Math.max(1, words.length),
  );
