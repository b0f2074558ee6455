/** The rules for terms. */
import { Type } from './schema.ts';
import { TERM } from './limits.ts';

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
