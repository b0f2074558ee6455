/** Faults of a translation that only its other sentences show: what belongs to another one, and names that others keep. */
import { baseOf } from '../captions/language-tag.ts';
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
  const isPart = others.length >= COINCIDENCE && mine.includes(others);
  if (!isPart && !endsWith(withoutTags(other), withoutTags(text))) return null;
  if (lettersOf(withoutTags(otherSource)).includes(lettersOf(withoutTags(source)))) return null;
  return { kind: 'repeated', message: 'The translation also says what another sentence says.' };
}

/** Whether a text ends with another one as a sentence of its own, however short that is. */
function endsWith(text: string, other: string): boolean {
  const begins = text.length - other.length;
  const isSentence = begins > 0 && /[.!?…]["”»’']?\s$/u.test(text.slice(0, begins));
  return isSentence && /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(other) && text.endsWith(other);
}

/** What is said of a name that is lost, though it is kept elsewhere. */
const KEPT_ELSEWHERE = 'other sentences keep it';

/**
 * Whether a fault depends on another sentence.
 * @example
 * isNeighbours({ kind: 'repeated', message: 'The translation says everything twice.' }); // => false
 */
export const isNeighbours = ({ kind, message }: Fault): boolean =>
  (kind === 'repeated' && message.includes('another sentence')) ||
  (kind === 'name' && message.includes(KEPT_ELSEWHERE));

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

/** So many letters at the beginning of a word are those of one family, and so many more are no coincidence. */
const STEM = { some: 4, sure: 7 };

/** The beginnings of the words of a text in Latin letters, without marks. */
function stemsOf(text: string): { some: Set<string>; sure: Set<string> } {
  const plain = withoutTags(text).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z]{4,}/g) ?? [];
  const begun = (length: number) =>
    new Set(words.flatMap((word) => (word.length < length ? [] : word.slice(0, length))));
  return { some: begun(STEM.some), sure: begun(STEM.sure) };
}

/**
 * The sentences whose translation has words that are spelled alike in a sentence beside them, and none of their own.
 * @param pairs sentences and their translations, as far as they have any
 * @returns their places
 */
export function movedTranslations(
  pairs: readonly (readonly [source: string, text: string | null])[],
): number[] {
  const sources = pairs.map(([source]) => stemsOf(source));
  return pairs.flatMap(([, text], at) => {
    if (text === null) return [];
    const own = stemsOf(text);
    const shared = (other: number, length: 'some' | 'sure'): number =>
      Array.from(sources[other]?.[length] ?? []).filter((stem) => own[length].has(stem)).length;
    const isOf = (other: number): boolean => shared(other, 'some') > 1 || shared(other, 'sure') > 0;
    return shared(at, 'some') === 0 && [at - 2, at - 1, at + 1, at + 2].some(isOf) ? [at] : [];
  });
}

/** The fault of such a sentence. */
export const MOVED: Fault = {
  kind: 'repeated',
  message: 'The translation has words of another sentence beside this one, and none of its own.',
};

/** Matches a word that begins with a capital though no sentence or quotation begins with it. */
const NAMED = /(?<=[\p{L}\p{N},;]\s)\p{Lu}\p{Ll}{3,}(?![\p{L}\p{N}])/gu;
/** The languages that write every noun with a capital. */
const NOUNS = new Set(['de', 'lb', 'gsw']);

/**
 * The faults of translations without a name that the translations of other sentences keep: a person called by name in
 * all of them but one. A name that is translated, or written in other letters, is kept nowhere.
 * @param pairs sentences and their translations, as far as they have any
 * @param from the language of the sentences
 * @returns by the place of the sentence
 */
export function namesLostHere(
  pairs: readonly (readonly [source: string, text: string | null])[],
  from: string | null,
): Map<number, Fault[]> {
  const found = new Map<number, Fault[]>();
  if (from === null || NOUNS.has(baseOf(from))) return found;
  const places = new Map<string, number[]>();
  pairs.forEach(([source, text], at) => {
    if (text === null) return;
    for (const name of new Set(withoutTags(source).match(NAMED))) {
      places.set(name, [...(places.get(name) ?? []), at]);
    }
  });
  for (const [name, all] of places) {
    const lost = all.filter((at) => !keeps(pairs[at]![1]!, name));
    if (lost.length === 0 || 2 * lost.length > all.length) continue;
    const message = `“${name}” is not in the translation, though ${KEPT_ELSEWHERE}.`;
    for (const at of lost) found.set(at, [...(found.get(at) ?? []), { kind: 'name', message }]);
  }
  return found;
}

/** The letters at the end of a name that languages change. */
const ENDING = 2;
const SHORTEST_STEM = 3;

/** Whether a text has a name, with any ending. */
const keeps = (text: string, name: string): boolean =>
  withoutTags(text).includes(name.slice(0, Math.max(SHORTEST_STEM, name.length - ENDING)));
