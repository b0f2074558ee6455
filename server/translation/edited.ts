/**
 * Translations that people have changed: sentence by sentence, so that no caption can be shifted, dropped or merged. The
 * changed sentences are proved again, and all captions divided again.
 */
import type { Profile } from '../captions/rules/profiles/profile.ts';
import { isTermSized } from '../contract/terms.ts';
import type {
  TranslationCounts,
  TranslationEdits,
  TranslationResult,
} from '../contract/translations.ts';
import { isNeighbours, namesLostHere, neighbourFaults } from './neighbours.ts';
import { faultsOf, type Fault } from './proof.ts';
import { type TranslationTerm, holdsTerm, termKeyOf, termsIn } from './terms.ts';
import { type MadeTranslation, translatedResult } from './result.ts';
import { type Sentence, wordsOf, withoutTags } from './sentences.ts';
import { fitted } from './tidy.ts';
import { stateOf } from './translate.ts';

/** A sentence of a result with its translation. */
type Translated = TranslationResult['sentences'][number];

/** A term that a person called something else than the engine did. */
export interface TermEvidence {
  /** The number of the sentence, from 1. */
  sentence: number;
  term: string;
  translation: string;
}

/** A translation as people have changed it. */
interface EditedTranslation extends MadeTranslation {
  evidence: TermEvidence[];
}

/** The sentence of a stored one. */
const sentenceOf = ({
  source,
  start,
  end,
  speaker,
  kind,
  italic,
  beats,
}: Translated): Sentence => ({
  text: source,
  start,
  end,
  ...(speaker === undefined ? {} : { speaker }),
  kind,
  italic,
  beats: beats.map(([characters = 0, from = 0, to = 0]) => [characters, from, to] as const),
});

const remembered = ({ remembered: by }: TranslationResult['sentences'][number]) =>
  by === undefined ? {} : { remembered: by };

/** The terms of a stored result, as the proof needs them. */
const termsOf = ({ terms = [] }: TranslationResult): TranslationTerm[] =>
  terms.map(({ term, translation, aliases, person }) => ({
    canonical: term,
    ...(aliases && { aliases }),
    ...(translation !== undefined && { translation }),
    ...(person && { isPerson: true }),
  }));

/**
 * A result with what people have changed.
 * @param result as the engine gave it
 * @param counts those of that result
 * @param profile in the language of the translation
 */
export function editedTranslation(
  result: TranslationResult,
  counts: TranslationCounts,
  { sentences: edits }: TranslationEdits,
  { from, to, profile }: { from: string | null; to: string; profile: Profile },
): EditedTranslation {
  const rules = { from, to, terms: termsOf(result) };
  const changes = new Map(edits.map((edit) => [edit.sentence - 1, edit]));
  const sentences = result.sentences.map(sentenceOf);
  const texts = result.sentences.map(({ text }, at) => {
    const wished = fitted(sentences[at]!, changes.get(at)?.text ?? text, 'person');
    return wished === '' ? text : wished;
  });
  const isChanged = (at: number): boolean => texts[at] !== result.sentences[at]?.text;
  const known = Map.groupBy(result.doubts, ({ sentence }) => sentence - 1);
  const pairs = sentences.map(({ text }, at) => [text, texts[at]!] as const);
  const namesLost = namesLostHere(pairs, rules.from);
  const translated = sentences.map((sentence, at) => {
    const text = texts[at]!;
    if (changes.get(at)?.confirmed) return { text, faults: [] };
    const earlier: Fault[] = (known.get(at) ?? []).map(({ kind, message }) => ({
      kind,
      message,
    }));
    // What is said again by a neighbour changes with the neighbour.
    const around = [-2, -1, 0, 1, 2].some((step) => isChanged(at + step));
    if (!around || sentence.kind === 'as_is') return { text, faults: earlier };
    const own = isChanged(at)
      ? faultsOf(sentence, text, rules)
      : earlier.filter((fault) => !isNeighbours(fault));
    const beside = [...neighbourFaults(pairs, at), ...(namesLost.get(at) ?? [])];
    return { text, faults: [...own, ...beside] };
  });
  const { calls, tokens, cached, mended, shortened } = counts;
  const usage = { calls, tokens, cached };
  const made = translatedResult(
    sentences,
    {
      sentences: translated.map((one, at) => ({
        ...one,
        state: stateOf({ sentence: sentences[at]!, ...one }),
        ...(!isChanged(at) && remembered(result.sentences[at]!)),
        mended: false,
        shortened: false,
      })),
      usage,
    },
    profile,
    rules.terms,
  );
  const isSettled = (at: number): boolean => changes.get(at)?.confirmed === true;
  return {
    result: {
      ...made.result,
      sentences: made.result.sentences.map((sentence, at) => ({
        ...sentence,
        ...(isChanged(at) && { edited: result.sentences[at]!.text }),
        ...(isSettled(at) && { confirmed: true }),
      })),
    },
    counts: {
      ...made.counts,
      mended,
      shortened,
      edited: sentences.filter((_, at) => isChanged(at) || isSettled(at)).length,
    },
    evidence: sentences
      .flatMap(({ text }, at) =>
        isChanged(at)
          ? renamedTerms(text, result.sentences[at]!.text, texts[at]!, rules).map((found) => ({
              sentence: at + 1,
              ...found,
            }))
          : [],
      )
      .slice(0, MAX_EVIDENCE),
  };
}

/** The term that a person called something else in a sentence in which nothing else was changed. */
function renamedTerms(
  source: string,
  before: string,
  after: string,
  { to, terms }: { to: string; terms: readonly TranslationTerm[] },
): Omit<TermEvidence, 'sentence'>[] {
  const [old, fresh] = [before, after].map((text) => wordsOf(withoutTags(text), to));
  const isSame = (a: number, b: number): boolean => old![a]?.text === fresh![b]?.text;
  const least = Math.min(old!.length, fresh!.length);
  let [head, tail] = [0, 0];
  while (head < least && isSame(head, head)) head += 1;
  while (tail < least - head && isSame(old!.length - 1 - tail, fresh!.length - 1 - tail)) tail += 1;
  const [was, now] = [old!, fresh!].map((words) =>
    words
      .slice(head, words.length - tail)
      .map(({ text, spaced }, at) => (at > 0 && spaced ? ` ${text}` : text))
      .join('')
      .replace(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}+#])[^\p{L}\p{N}+#]+$/gu, ''),
  ) as [string, string];
  if (!/\p{L}/u.test(now) || !isTermSized(now)) return [];
  return termsIn(withoutTags(source), terms).flatMap(({ canonical, translation = canonical }) => {
    const isIt =
      holdsTerm(was, translation) &&
      termKeyOf(was).length <= termKeyOf(translation).length + SPARE &&
      !holdsTerm(after, translation);
    return isIt ? [{ term: canonical, translation: now }] : [];
  });
}

/** The most evidence from one translation. */
const MAX_EVIDENCE = 500;
/** The letters that a replaced text may have more than the term: endings, an article. */
const SPARE = 6;
