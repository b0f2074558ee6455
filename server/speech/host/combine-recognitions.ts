/** Takes the terms, and nothing else, from a recognition that was biased towards them: such a search finds rare names, but also invents and loses text (sherpa-onnx issue 3267). */
import { wholeMilliseconds, type TranscriptWord } from '../../contract/results.ts';
import { compactKey, wordParts } from '../../terminology/match/normalize.ts';
import { isOrdinaryText } from '../../terminology/match/ordinary-words.ts';
import {
  type ComparedStretch,
  stretchesOf,
  stretchesAt,
  plainIndex,
} from './compared-stretches.ts';
import {
  type TermMatch,
  type WordRange,
  withoutEnding,
  alikePlace,
  meanOf,
} from './alike-place.ts';

/** Finds the plain words from `from` on that a term replaces; null if it replaces none. */
type PlaceOf = (
  found: TermMatch,
  stretches: readonly ComparedStretch[],
  from: number,
) => WordRange | null;

/** The combined words, and the number of plain words that were replaced. */
interface Combined {
  words: TranscriptWord[];
  replaced: number;
}

/**
 * Returns the plain words with the terms that only the biased recognition has, each replacing words that sound similar
 * at the same time. A term gets the times of the words it replaces, and their confidence, because a biased search
 * raises the probabilities of its terms.
 * @param areWeighed whether the terms were also weighed by the sound. If so, the biased search decides nothing where
 * the plain words contain no other term.
 */
export const combineRecognitions = (
  plain: readonly TranscriptWord[],
  biased: readonly TranscriptWord[],
  terms: readonly string[],
  { areWeighed = false } = {},
): Combined => {
  const known = new Set(terms.map(compactKey));
  // Words that are already a term, or part of one, are not replaced by another.
  const isTerm = (old: readonly TranscriptWord[]): boolean =>
    known.has(old.map(({ text }) => withoutEnding(compactKey(text))).join(''));
  const heard = termsAmong(
    plain.map(({ text }) => compactKey(text)),
    terms,
  );
  const isAlone = heard.every(({ term }) => isOrdinaryText(term));
  if (isAlone && areWeighed) return { words: [...plain], replaced: 0 };
  const isPart = ({ first, end }: WordRange): boolean =>
    heard.some((one) => one.first < end && one.end > first && (one.first < first || one.end > end));
  return combine(
    plain,
    biased,
    terms,
    ({ text }) => compactKey(text),
    (found, stretches, from) => {
      const place = alikePlace(found, stretches, { plain, biased, from, isAlone });
      if (!place || isPart(place)) return null;
      return isTerm(plain.slice(place.first, place.end)) ? null : place;
    },
  );
};

/** The same with words that differ from the plain ones only by terms that the sound itself makes probable. */
export const takeWeighed = (
  plain: readonly TranscriptWord[],
  weighed: readonly TranscriptWord[],
  terms: readonly string[],
): Combined => combine(plain, weighed, terms, ({ text }) => text, exactPlaceOf(plain, weighed));

function combine(
  plain: readonly TranscriptWord[],
  biased: readonly TranscriptWord[],
  terms: readonly string[],
  keyOf: (word: TranscriptWord) => string,
  placeOfTerm: PlaceOf,
): Combined {
  const heard = termsAmong(
    biased.map(({ text }) => compactKey(text)),
    terms,
  );
  if (heard.length === 0 || plain.length === 0) return { words: [...plain], replaced: 0 };
  const stretches = stretchesOf(plain.map(keyOf), biased.map(keyOf));
  const words: TranscriptWord[] = [];
  let replaced = 0;
  let at = 0;
  for (const found of heard) {
    const place = placeOfTerm(found, stretches, at);
    if (!place) continue;
    words.push(...plain.slice(at, place.first));
    const old = plain.slice(place.first, place.end);
    words.push(...inPlaceOf(old, biased.slice(found.first, found.end)));
    replaced += old.length;
    at = place.end;
  }
  words.push(...plain.slice(at));
  return { words, replaced };
}

/** The terms among words, by key, in order and without overlaps. If several begin at one word, the longest is taken. */
function termsAmong(keys: readonly string[], terms: readonly string[]): TermMatch[] {
  const known = new Map(terms.map((term) => [compactKey(term), term]));
  known.delete('');
  const longest = Math.max(0, ...[...known.keys()].map((key) => key.length));
  const found: TermMatch[] = [];
  for (let first = 0; first < keys.length;) {
    let best: TermMatch | null = null;
    let key = '';
    for (let end = first + 1; end <= keys.length; end += 1) {
      key += keys[end - 1];
      if (key.length > longest + 2) break;
      const term = known.get(key) ?? known.get(withoutEnding(key));
      if (term !== undefined) best = { term, first, end };
    }
    if (best) found.push(best);
    first = best?.end ?? first + 1;
  }
  return found;
}

/** Finds the plain words that a weighed term replaces; null if they already are the term. */
const exactPlaceOf =
  (plain: readonly TranscriptWord[], weighed: readonly TranscriptWord[]): PlaceOf =>
  (found, stretches) => {
    const differing = stretchesAt(found, stretches);
    if (!differing) return null;
    const indexOf = (stretch: ComparedStretch, at: number): number => {
      const [first, end] = stretch.plain;
      if (stretch.equal) return plainIndex(stretch, at);
      if (at === stretch.biased[0]) return first;
      if (at === stretch.biased[1]) return end;
      // Terms that follow each other divide the words at the time at which the later one begins. The times of weighed
      // words are less exact, so that each term gets at least a word.
      const { start } = weighed[at]!;
      const earlier = plain.slice(first, end).filter((word) => centre(word) < start);
      return Math.max(first + 1, Math.min(end - 1, first + earlier.length));
    };
    const first = indexOf(differing.head, found.first);
    const end = indexOf(differing.tail, found.end);
    return end > first ? { first, end } : null;
  };

const centre = ({ start, end }: TranscriptWord): number => (start + end) / 2;

/** The words of a term with the times, confidence and outer punctuation of the words they replace. */
function inPlaceOf(
  old: readonly TranscriptWord[],
  term: readonly TranscriptWord[],
): TranscriptWord[] {
  const [start, end] = [old[0]?.start ?? 0, old.at(-1)?.end ?? 0];
  const known = old.every(({ confidence }) => confidence !== undefined);
  const confidence = Math.round(100 * meanOf(old)) / 100;
  const last = term.length - 1;
  // The same number of words keep their times; otherwise the words share the time in proportion to their letters.
  const letters = term.map(({ text }) => text.length);
  const all = letters.reduce((sum, count) => sum + count, 0);
  let passed = 0;
  return term.map(({ text }, at) => {
    const shared = (count: number) => wholeMilliseconds(start + ((end - start) * count) / all);
    const own = term.length === old.length ? old[at] : undefined;
    const from = own?.start ?? (at === 0 ? start : shared(passed));
    passed += letters[at] ?? 0;
    const { core } = wordParts(text);
    const lead = at === 0 ? wordParts(old[0]?.text ?? '').lead : '';
    const trail = at === last ? wordParts(old.at(-1)?.text ?? '').trail : '';
    return {
      text: `${lead}${core === '' ? text : core}${trail}`,
      start: from,
      end: own?.end ?? (at === last ? end : shared(passed)),
      ...(known ? { confidence } : {}),
    };
  });
}

/** The same for terms that were also weighed by the sound. */
export const combineWeighed: typeof combineRecognitions = (plain, biased, terms) =>
  combineRecognitions(plain, biased, terms, { areWeighed: true });
