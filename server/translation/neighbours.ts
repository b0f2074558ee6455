/** Whether a translation says what belongs to another sentence. */
import { areAlike, COINCIDENCE, lettersOf } from './alike.ts';
import type { Fault } from './proof.ts';
import { withoutTags } from './sentences.ts';

/**
 * The fault of a translation that says what belongs to the sentence after or before it; null if it does not.
 * @example
 * repeats(['One is enough for us.', 'Eins reicht für uns.'], ['Go.', 'Geh. Eins reicht für uns.'])?.kind;
 * // => 'repeated'
 */
export function repeats(
  [source, text]: readonly [source: string, text: string],
  [otherSource, other]: readonly [source: string, text: string],
): Fault | null {
  const [mine, others] = [lettersOf(withoutTags(other)), lettersOf(withoutTags(text))];
  if (others.length < COINCIDENCE || !mine.includes(others)) return null;
  if (lettersOf(withoutTags(otherSource)).includes(lettersOf(withoutTags(source)))) return null;
  return { kind: 'repeated', message: 'The translation also says what another sentence says.' };
}

/**
 * Whether a fault is one that `repeats` finds, so that it depends on another sentence.
 * @example
 * isNeighbours({ kind: 'repeated', message: 'The translation says everything twice.' }); // => false
 */
export const isNeighbours = ({ kind, message }: Fault): boolean =>
  kind === 'repeated' && message.includes('another sentence');

/**
 * The fault of a translation that also says what one of the next two sentences says, or one of the two before: one or none.
 * @param pairs sentences and their translations, as far as they have any
 */
export function neighbourFaults(
  pairs: readonly (readonly [source: string, text: string | null])[],
  at: number,
): Fault[] {
  const [source, text] = pairs[at]!;
  if (text === null) return [];
  for (let other = Math.max(0, at - 2); other < Math.min(pairs.length, at + 3); other += 1) {
    const [otherSource, otherText] = pairs[other]!;
    if (other === at || otherText === null) continue;
    const fault = repeats([otherSource, otherText], [source, text]);
    if (fault) return [fault];
  }
  return [];
}

/** A translation this many times shorter than its sentence says nothing of it. */
const SAYS_NOTHING = 3;
/** The most other sentences that are compared with one. */
const MOST_COMPARED = 20;

/**
 * The sentences whose translation is word for word that of others that say something else.
 * @param pairs sentences and their translations, as far as they have any
 * @returns their places
 */
export function sameTranslations(
  pairs: readonly (readonly [source: string, text: string | null])[],
): number[] {
  const groups = new Map<string, number[]>();
  pairs.forEach(([, text], at) => {
    const letters = text === null ? '' : lettersOf(withoutTags(text));
    if (letters !== '') groups.set(letters, [...(groups.get(letters) ?? []), at]);
  });
  return Array.from(groups).flatMap(([letters, places]) => {
    const sources = new Map(places.map((at) => [lettersOf(withoutTags(pairs[at]![0])), at]));
    if (sources.size < 2) return [];
    const some = Array.from(sources.keys()).slice(0, MOST_COMPARED);
    return places.filter((at) => {
      const own = lettersOf(withoutTags(pairs[at]![0]));
      const isLong = letters.length >= COINCIDENCE;
      const isNothing = sources.size > 2 && own.length > SAYS_NOTHING * letters.length;
      return (isLong || isNothing) && some.some((other) => !areAlike(own, other));
    });
  });
}

/** The fault of such a sentence. */
export const SAME: Fault = {
  kind: 'repeated',
  message: 'The translation is word for word that of another sentence, which says something else.',
};
