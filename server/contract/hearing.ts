/** What a result says about how its speech was heard: in its metadata, and as sentences for people. */
import type { CaptionerResult } from './results.ts';
import { clock } from './clock.ts';
import type { Stretch } from './unheard.ts';

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

/** A stretch with the share of its words that are probably wrong, 0..1. */
export interface HeardStretch extends Stretch {
  wrong: number;
}

/** How well the speech was heard: the share of words that are probably wrong or missing, 0..1, and its range. */
export interface HearingEstimate {
  wrong: number;
  atLeast: number;
  atMost: number;
  stretches: HeardStretch[];
}

/** The entries in `transcript.metadata`. */
export interface HearingFigures extends Record<string, unknown> {
  languageDoubt?: LanguageDoubt;
  /** In order; absent if there are none. */
  otherLanguages?: OtherLanguage[];
  /** Absent if the confidences of the recogniser have not been measured. */
  hearing?: HearingEstimate;
  /** The share of the detected speech that has no words, 0..1; absent if speech was not detected. */
  missing?: number;
}

/** Fewer wrong or missing words than this do not lower the score: clear speech is never heard perfectly. */
const TOLERATED = 0.05;
/** A larger share of wrong words is told in a sentence, and a stretch with so many in another. */
const TOLD = 0.1;
const BAD_STRETCH = 0.25;

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
 * The score of captions whose words were heard like this: what is nonsense, wrong or missing does not count.
 * @param score of their format, 0..1
 * @example
 * scoreAsHeard(1, { languageDoubt: { language: 'en', whole: false, stretches: [], share: 0.25 } }); // => 0.75
 */
export function scoreAsHeard(score: number, metadata: Readonly<Record<string, unknown>>): number {
  const { languageDoubt, hearing, missing = 0 } = metadata as HearingFigures;
  const beyond = (share: number): number => Math.max(0, share - TOLERATED);
  const made =
    score *
    (1 - (languageDoubt?.share ?? 0)) *
    (1 - beyond(hearing?.wrong ?? 0)) *
    (1 - beyond(missing));
  return Math.round(made * 1000) / 1000;
}

const percent = (share: number): number => Math.round(share * 100);

function estimateInWords({ wrong, atLeast, atMost, stretches }: HearingEstimate): string[] {
  const bad = stretches.filter((stretch) => stretch.wrong >= BAD_STRETCH);
  const range = `${percent(atLeast)} to ${percent(atMost)} %`;
  return [
    `About ${percent(wrong)} % of the words are probably wrong (${range}).`,
    ...(bad.length > 0 && bad.length < stretches.length
      ? [`Heard worst from ${stretchesInWords(bad)}.`]
      : []),
  ];
}

/**
 * What people should know about how the speech was heard, one sentence each; none if it was heard well.
 * @example
 * hearingSentences({ otherLanguages: [{ language: 'de', start: 31, end: 60 }] });
 * // => ['German is spoken from 0:31 to 1:00, and was recognised as that.']
 */
export function hearingSentences(metadata: Readonly<Record<string, unknown>>): string[] {
  const { languageDoubt, otherLanguages = [], hearing, missing = 0 } = metadata as HearingFigures;
  const { speakersNote } = metadata;
  const others = [...new Set(otherLanguages.map(({ language }) => language))];
  return [
    ...(languageDoubt ? [languageDoubtInWords(languageDoubt)] : []),
    ...(hearing && hearing.wrong > TOLD ? estimateInWords(hearing) : []),
    ...(missing > TOLERATED ? [`${percent(missing)} % of the speech has no words.`] : []),
    ...(typeof speakersNote === 'string' ? [speakersNote] : []),
    ...others.map((other) => {
      const stretches = otherLanguages.filter(({ language }) => language === other);
      return `${languageName(other)} is spoken from ${stretchesInWords(stretches)}, and was recognised as that.`;
    }),
  ];
}

/** The most sentences that stand outside a result, and the most characters of each. */
export const HEARING_NOTES = { maxItems: 20, maxLength: 500 };

/** The sentences about the result of a run, in a number and a length that lists of runs can carry. */
export function hearingNotesOf(result: CaptionerResult): string[] {
  if (!('transcript' in result)) return [];
  return hearingSentences(result.transcript.metadata)
    .slice(0, HEARING_NOTES.maxItems)
    .map((sentence) => sentence.slice(0, HEARING_NOTES.maxLength));
}

/**
 * The number of warnings, with those about what was heard named apart.
 * @param format the warnings about the captions' format
 * @param heard the sentences of {@link hearingSentences}
 * @example
 * warningsInWords(0, ['German is spoken.']); // => '0 warnings of format, 1 of hearing'
 */
export const warningsInWords = (format: number, heard: readonly string[]): string =>
  heard.length === 0
    ? `${format} warnings`
    : `${format} warnings of format, ${heard.length} of hearing`;
