/** The rules for terms in a payload. */
import { glossaryTerms } from './glossary.ts';
import { MAX_TERM_CHARS, MAX_TERM_WORDS, MAX_TERMS } from './limits.ts';
import { Type, type ValidationIssue } from './schema.ts';

/** One term. `termIssues` counts its words, because no schema can do so in linear time. */
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

/** A list of terms as the client sent it. */
export interface TermField {
  /** Its JSON path. */
  path: string;
  value: string | readonly string[] | undefined;
}

/**
 * Finds the errors in terms that a schema cannot express: a term of more than 20 words, and a glossary in one string
 * with more or longer terms than a list may have.
 * @example
 * termIssues([{ path: 'glossary', value: ['x'.repeat(201)] }]);
 * // => [{ path: 'glossary.0', message: 'must not have a term of more than 200 characters' }]
 */
export function termIssues(fields: readonly TermField[], most = 50): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const { path, value = [] } of fields) {
    const inOneString = typeof value === 'string';
    const terms = glossaryOrTerm(path, value);
    if (inOneString && terms.filter((text) => text.trim() !== '').length > MAX_TERMS) {
      issues.push({ path, message: `must not have more than ${MAX_TERMS} terms` });
    }
    for (const [at, raw] of terms.entries()) {
      if (issues.length >= most) return issues;
      const place = inOneString ? path : `${path}.${at}`;
      const text = raw.trim();
      if (isTooLong(text)) {
        issues.push({ path: place, message: `${TERM} ${MAX_TERM_CHARS} characters` });
      } else if (hasTooManyWords(text)) {
        issues.push({ path: place, message: `${TERM} ${MAX_TERM_WORDS} words` });
      }
    }
  }
  return issues;
}

const TERM = 'must not have a term of more than';

const glossaryOrTerm = (path: string, value: string | readonly string[]): readonly string[] =>
  path === 'glossary' ? glossaryTerms(value) : typeof value === 'string' ? [value] : value;

/** The kinds of terms, which are also categories of observations. */
export const TERM_KINDS = [
  'company_name',
  'product_name',
  'project_name',
  'person_name',
  'technical_term',
  'acronym',
] as const;
