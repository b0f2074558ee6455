/** The rules for terms in a payload. */
import {
  MAX_TERM_FORMS,
  MAX_GLOSSARY_CHARS,
  MAX_TERM_CHARS,
  MAX_TERM_WORDS,
  MAX_TERMS,
} from './limits.ts';
import { Type } from './schema.ts';

/** One term. `fittedTerms` counts its words, because no schema can do so in linear time. */
const term = () => Type.String({ maxLength: MAX_TERM_CHARS });

/** A list of terms. */
export const termList = () => Type.Array(term(), { maxItems: MAX_TERMS });

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
  terms.slice(0, MAX_TERMS).filter(isTermSized);

/** Checks the length in string units first, which is cheap: a character is one or two units. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * MAX_TERM_CHARS ||
  (text.length > MAX_TERM_CHARS && [...text].length > MAX_TERM_CHARS);

/** @param text of bounded length */
const hasTooManyWords = (text: string): boolean =>
  text.split(BETWEEN_WORDS).filter((word) => word !== '').length > MAX_TERM_WORDS;

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
  if (given.length === 1 && only.length <= MAX_GLOSSARY_CHARS && !isTermSized(only)) {
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
  const note = `${field}: ${lost} ${lost === 1 ? 'term was' : 'terms were'} left out; ${TERM_BOUNDS}${given.length > MAX_TERMS ? `, a list at most ${MAX_TERMS} terms` : ''}.`;
  return { terms, note };
}

/** The limits of a term in words. */
export const TERM_BOUNDS = `a term has at most ${MAX_TERM_CHARS} characters and ${MAX_TERM_WORDS} words`;

/** What a term is called in other languages, by BCP 47 tag. */
export const termTranslations = () =>
  Type.Record(
    Type.String(),
    Type.String({ minLength: 1, maxLength: MAX_TERM_CHARS, pattern: '\\S' }),
    {
      description:
        'what it is called in translations, by language; in all others it stays as it is',
      propertyNames: { type: 'string', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$' },
      maxProperties: MAX_TERM_FORMS,
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
