/** Puts together what an audit says about a talk: the same words in place of the same term, once with all their places. */
import type { TermCorrection } from '../../contract/terminology.ts';
import { clock } from '../../contract/clock.ts';
import { phraseKey, wordParts } from '../match/normalize.ts';

/** What was heard, the term that it may stand for, and everywhere it was heard. */
export interface TermOffer<C> {
  heard: string;
  meant: string;
  /** In order, at least one. */
  places: readonly C[];
}

/** The fields of a correction by which it is put together with others. */
type Wording = Pick<TermCorrection, 'before' | 'after'>;

/** Both texts without the punctuation around them, and without a possessive that both have: “Monroe’s, → Monro’s,”. */
function bare({ before, after }: Wording): [heard: string, meant: string] {
  const [heard, meant] = [wordParts(before).core || before, wordParts(after).core || after];
  return POSSESSIVE.test(heard) && POSSESSIVE.test(meant)
    ? [heard.replace(POSSESSIVE, ''), meant.replace(POSSESSIVE, '')]
    : [heard, meant];
}

const POSSESSIVE = /['’]s$/i;

/**
 * Corrections put together by what was heard and what may be meant, in order of their first places. Their capitals,
 * punctuation and possessives may differ; the most common wording names them.
 * @example
 * const corrections = [
 *   { before: 'Monroe', after: 'Monro' },
 *   { before: 'monroe,', after: 'Monro,' },
 *   { before: "monroe's", after: "Monro's" },
 * ];
 * offersOf(corrections).map(({ heard, meant, places }) => [heard, meant, places.length]); // => [['monroe', 'Monro', 3]]
 */
export function offersOf<C extends Wording>(corrections: readonly C[]): TermOffer<C>[] {
  const found = new Map<string, { places: C[]; wordings: Map<string, number> }>();
  for (const correction of corrections) {
    const [heard, meant] = bare(correction);
    const key = JSON.stringify([phraseKey(heard) || heard, meant.toLowerCase()]);
    const offer = found.get(key) ?? { places: [], wordings: new Map<string, number>() };
    const wording = JSON.stringify([heard, meant]);
    offer.places.push(correction);
    offer.wordings.set(wording, (offer.wordings.get(wording) ?? 0) + 1);
    found.set(key, offer);
  }
  return [...found.values()].map(({ places, wordings }) => {
    const [most] = [...wordings].reduce((a, b) => (b[1] > a[1] ? b : a));
    const [heard, meant]: [string, string] = JSON.parse(most);
    return { heard, meant, places };
  });
}

/** The corrections that a person has to decide on, each term once. */
export const openOffersOf = (corrections: readonly TermCorrection[]): TermOffer<TermCorrection>[] =>
  offersOf(corrections.filter(({ decision }) => decision === 'needs_review'));

/** The most places that a sentence names. */
const MOST_NAMED = 12;

/**
 * An offer as people read it: what was heard, what may be meant, and where.
 * @example
 * offerInWords({ heard: 'monroe', meant: 'Monro', places: [{ start: 41 }, { start: 80.2 }] });
 * // => 'monroe → Monro, 2 places: 0:41, 1:20'
 */
export function offerInWords({ heard, meant, places }: TermOffer<{ start: number }>): string {
  const named = places.slice(0, MOST_NAMED).map(({ start }) => clock(start));
  const more = places.length - named.length;
  const count = places.length === 1 ? '1 place' : `${places.length} places`;
  return `${heard} → ${meant}, ${count}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
