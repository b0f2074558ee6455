/** What is wrong with a translation as a whole, which single sentences are too short to show. */
import { baseOf } from '../captions/language-tag.ts';
import { columns } from '../captions/width.ts';
import type { Fault } from './proof.ts';
import { withoutTags } from './sentences.ts';
import { isLatin } from './written-in.ts';

/** A sentence, what it became, and what was found out about that alone. */
interface Done {
  source: string;
  text: string;
  faults: readonly Fault[];
}

/** The fewest sentences that say something of all. */
const FEWEST = 10;
/** The share of sentences in another language that is no chance: of right ones, it is one in thousands. */
const FOREIGN = 0.2;
/** The columns of a translation for each of English, as people's translations have them. */
const COLUMNS: Readonly<Record<string, number>> = {
  ar: 0.83,
  en: 1,
  ja: 1,
  ko: 0.85,
  zh: 0.62,
};
/** The same for languages in Latin letters. */
const LATIN_COLUMNS = 1.12;
/** A translation with so much less than the usual length has lost something everywhere. */
const SHORT = 0.6;
/** The fewest columns of the sentences, of which lengths are compared. */
const FEWEST_COLUMNS = 500;
/** The languages that are not written without letters with marks, or other letters than those of English. */
const MARKED = new Set(
  'ast ca cs da de es et fi fr gl hr hu is lt lv nb no pl pt ro sk sl sv tr vi'.split(' '),
);
/** So many letters of such a language have several of them. */
const FEWEST_LETTERS = 1000;

/**
 * The fault that all sentences of a translation share; null if there is none.
 * @param from the language of the sentences
 */
export function faultOfAll(
  done: readonly Done[],
  { from, to }: { from: string | null; to: string },
): Fault | null {
  if (done.length < FEWEST) return null;
  const foreign = done.filter(({ faults }) => faults.some(({ kind }) => kind === 'wrong_language'));
  if (foreign.length >= FOREIGN * done.length) {
    return {
      kind: 'wrong_language',
      message: `Many other sentences of the translation are not in the language ${to}.`,
    };
  }
  const sum = (texts: readonly string[]) =>
    texts.reduce((all, text) => all + columns(withoutTags(text)), 0);
  const usual = (tag: string): number =>
    COLUMNS[baseOf(tag)] ?? (isLatin(tag) ? LATIN_COLUMNS : NaN);
  const spoken = sum(done.map(({ source }) => source));
  const expected = (spoken * usual(to)) / usual(from ?? 'en');
  if (spoken >= FEWEST_COLUMNS && sum(done.map(({ text }) => text)) < SHORT * expected) {
    return {
      kind: 'too_short',
      message:
        'The whole translation is much shorter than usual, so its sentences may leave something out.',
    };
  }
  if (MARKED.has(baseOf(to)) && !hasMarks(done)) {
    return {
      kind: 'punctuation',
      message:
        'The whole translation has no letter with a mark, without which its language is not written.',
    };
  }
  return null;
}

/** Whether translations have letters other than those of English, or are too short to need any. */
function hasMarks(done: readonly Done[]): boolean {
  let letters = 0;
  for (const { source, text } of done) {
    const kept = new Set(source.match(/\p{L}+/gu));
    for (const word of withoutTags(text).match(/\p{L}+/gu) ?? []) {
      if (kept.has(word)) continue;
      if (/[^a-z]/i.test(word)) return true;
      letters += word.length;
    }
  }
  return letters < FEWEST_LETTERS;
}
