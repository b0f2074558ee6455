/** What a result says about how its speech was heard: in its metadata, and as sentences for people. */
import { clock, type Stretch } from './unheard.ts';

/** A doubt about the language of a transcript, or of parts of it. */
export interface LanguageDoubt {
  /** The language as which it was recognised, a primary subtag. */
  language: string;
  /** Whether all of it is in doubt. */
  whole: boolean;
  stretches: Stretch[];
  /** The share of the transcript's words that are in it, 0..1. */
  share: number;
  /** The share of the words there that are unsure, 0..1; absent if the recogniser reports no confidences. */
  unsure?: number;
  /** The language that it sounds like; absent if that is not known. */
  heard?: string;
}

/** A stretch that was recognised in another language than the one that was asked for. */
export interface OtherLanguage extends Stretch {
  language: string;
}

/** The entries in `transcript.metadata`. */
export interface HearingFigures extends Record<string, unknown> {
  languageDoubt?: LanguageDoubt;
  /** In order; absent if there are none. */
  otherLanguages?: OtherLanguage[];
}

const names = new Intl.DisplayNames(['en'], { type: 'language' });

/** The English name of a language, or its tag. */
function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

const MOST_NAMED = 10;

/** The stretches as a person reads them: “0:31 to 1:00”. */
function stretchesInWords(stretches: readonly Stretch[]): string {
  const named = stretches
    .slice(0, MOST_NAMED)
    .map(({ start, end }) => `${clock(start)} to ${clock(end)}`);
  const more = stretches.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * A doubt about the language as a sentence or two.
 * @example
 * languageDoubtInWords({ language: 'en', whole: true, stretches: [], share: 1, unsure: 0.4, heard: 'de' });
 * // => 'This does not sound like English: 40 % of the words are unsure. It sounds like German.'
 */
export function languageDoubtInWords(doubt: LanguageDoubt): string {
  const { language, whole, stretches, unsure, heard } = doubt;
  const where = whole ? 'This' : `What is said from ${stretchesInWords(stretches)}`;
  const why = unsure ? `: ${Math.round(unsure * 100)} % of the words are unsure` : '';
  const instead = heard === undefined ? '' : ` It sounds like ${languageName(heard)}.`;
  return `${where} does not sound like ${languageName(language)}${why}.${instead}`;
}

/**
 * The score of captions whose words were heard like this: words that are nonsense do not count.
 * @param score of their format, 0..1
 * @example
 * scoreAsHeard(1, { languageDoubt: { language: 'en', whole: false, stretches: [], share: 0.25 } }); // => 0.75
 */
export function scoreAsHeard(score: number, metadata: Readonly<Record<string, unknown>>): number {
  const { languageDoubt } = metadata as HearingFigures;
  const made = score * (1 - (languageDoubt?.share ?? 0));
  return Math.round(made * 1000) / 1000;
}

/**
 * What people should know about how the speech was heard, one sentence each; none if it was heard well.
 * @example
 * hearingSentences({ otherLanguages: [{ language: 'de', start: 31, end: 60 }] });
 * // => ['German is spoken from 0:31 to 1:00, and was recognised as that.']
 */
export function hearingSentences(metadata: Readonly<Record<string, unknown>>): string[] {
  const { languageDoubt, otherLanguages = [] } = metadata as HearingFigures;
  const byLanguage = Map.groupBy(otherLanguages, ({ language }) => language);
  return [
    ...(languageDoubt ? [languageDoubtInWords(languageDoubt)] : []),
    ...Array.from(
      byLanguage,
      ([language, stretches]) =>
        `${languageName(language)} is spoken from ${stretchesInWords(stretches)}, and was recognised as that.`,
    ),
  ];
}
