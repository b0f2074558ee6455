/** The rules for terms in a payload. */
import { Type } from './schema.ts';
import { TERM } from './limits.ts';

/** One term. `fittedTerms` counts its words, because no schema can do so in linear time. */
const term = () => Type.String({ maxLength: TERM.maxChars });

/** A list of terms. */
export const termList = () => Type.Array(term(), { maxItems: TERM.maxTerms });

/** One term, or a list of them. */
export const termOrTerms = (description: string) =>
  Type.Union([term(), termList()], { description });

const BETWEEN_WORDS = /[\s\-‐‑‒–—/_]+/;

/**
 * Whether a text is short enough to be a term: at most 200 characters and 20 words.
 * @example
 * isTermSized('Model Context Protocol'); // => true
 * isTermSized('very '.repeat(20) + 'long'); // => false
 */
export const isTermSized = (text: string): boolean => !isTooLong(text) && !hasTooManyWords(text);

/**
 * The terms of a list that are within the limits; lists stored by older versions may contain others.
 * @example
 * boundedTerms(['AuthKit', 'x'.repeat(201)]); // => ['AuthKit']
 */
export const boundedTerms = (terms: readonly string[]): string[] =>
  terms.slice(0, TERM.maxTerms).filter(isTermSized);

/** Checks the length in string units first, which is cheap: a character is one or two units. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * TERM.maxChars ||
  (text.length > TERM.maxChars && [...text].length > TERM.maxChars);

/** @param text of bounded length */
const hasTooManyWords = (text: string): boolean =>
  text.split(BETWEEN_WORDS).filter((word) => word !== '').length > TERM.maxWords;

/** Terms of a payload, and what was changed about them. */
interface FittedTerms {
  terms: string[];
  /** A sentence for people; absent if nothing was changed. */
  note?: string;
}

/**
 * Fits terms into the limits. Those that are too long are left out, because no recogniser looks for them. A single text
 * that is too long but has no separators is a list of words separated by spaces.
 * @param field the path of the terms in the payload
 * @example
 * fittedTerms('glossary', ['AuthKit', 'very '.repeat(20) + 'long']);
 * // => { terms: ['AuthKit'], note: 'glossary: 1 term was left out; a term has at most 200 characters and 20 words.' }
 */
export function fittedTerms(field: string, given: readonly string[]): FittedTerms {
  const [only = ''] = given;
  if (given.length === 1 && only.length <= TERM.maxGlossaryChars && !isTermSized(only)) {
    const words = only.split(/[\s,;]+/);
    const names = words.filter((word) => /[\p{Lu}\p{N}]/u.test(word));
    if (names.length * 2 > words.length) {
      const note = `${field}: the text has no commas or line breaks, so each of its names is a term.`;
      return { terms: boundedTerms(names), note };
    }
  }
  const terms = boundedTerms(given);
  const lost = given.length - terms.length;
  if (lost === 0) return { terms };
  const note = `${field}: ${lost} ${lost === 1 ? 'term was' : 'terms were'} left out; ${TERM_BOUNDS}${given.length > TERM.maxTerms ? `, a list at most ${TERM.maxTerms} terms` : ''}.`;
  return { terms, note };
}

/** The limits of a term in words. */
export const TERM_BOUNDS = `a term has at most ${TERM.maxChars} characters and ${TERM.maxWords} words`;

/** What a term is called in other languages, by BCP 47 tag. */
export const termTranslations = () =>
  Type.Record(
    Type.String(),
    Type.String({ minLength: 1, maxLength: TERM.maxChars, pattern: '\\S' }),
    {
      description:
        'what it is called in translations, by language; in all others it stays as it is',
      propertyNames: { type: 'string', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$' },
      maxProperties: TERM.maxForms,
    },
  );

/** The kinds of terms, which are also categories of observations. */
export const TERM_KINDS = [
  'company_name',
  'product_name',
  'project_name',
  'person_name',
  'technical_term',
  'acronym',
] as const;
