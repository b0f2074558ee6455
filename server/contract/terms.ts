/** What counts as a term of a payload, and how a glossary in one string is taken apart. */
import { MAX_TERM_CHARS, MAX_TERM_WORDS, MAX_TERMS } from './limits.ts';
import { Type, type Fault } from './schema.ts';

/** One term. Its words are counted apart (`termFaults`): no schema says that in linear time. */
const term = () => Type.String({ maxLength: MAX_TERM_CHARS });

/** A list of terms. */
export const termList = () => Type.Array(term(), { maxItems: MAX_TERMS });

/** One term, or a list of them. */
export const termOrTerms = (description: string) =>
  Type.Union([term(), termList()], { description });

/** The terms of a glossary: one string is what people paste, parted by commas, semicolons or lines. */
export const glossaryTerms = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? value.split(/[,;\n]/) : value;

const BETWEEN_WORDS = /[\s\-‐‑‒–—/_]+/;

/** Whether a text is short enough for a term: at most 200 characters and 20 words. */
export const isTermSized = (text: string): boolean => !isTooLong(text) && !hasTooManyWords(text);

/** The terms of a list that are within the bounds: what was stored before there were bounds may not be. */
export const boundedTerms = (terms: readonly string[]): string[] =>
  terms.slice(0, MAX_TERMS).filter(isTermSized);

/** A character is one or two units of a string; the units are looked at first, as they cost nothing. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * MAX_TERM_CHARS ||
  (text.length > MAX_TERM_CHARS && [...text].length > MAX_TERM_CHARS);

/** @param text of bounded length */
const hasTooManyWords = (text: string): boolean =>
  text.split(BETWEEN_WORDS).filter((word) => word !== '').length > MAX_TERM_WORDS;

/** A field of terms as it was sent. */
export interface TermField {
  /** Its JSON path. */
  path: string;
  value: string | readonly string[] | undefined;
}

/**
 * What a schema cannot say of terms: that each has at most 20 words, and that a glossary in one string
 * holds no more and no longer terms than a list may.
 */
export function termFaults(fields: readonly TermField[], most = 50): Fault[] {
  const faults: Fault[] = [];
  for (const { path, value = [] } of fields) {
    const inOneString = typeof value === 'string';
    const terms = glossaryOrTerm(path, value);
    if (inOneString && terms.filter((text) => text.trim() !== '').length > MAX_TERMS) {
      faults.push({ path, message: `must not hold more than ${MAX_TERMS} terms` });
    }
    for (const [at, raw] of terms.entries()) {
      if (faults.length >= most) return faults;
      const place = inOneString ? path : `${path}.${at}`;
      const text = raw.trim();
      if (isTooLong(text)) {
        faults.push({ path: place, message: `${TERM} ${MAX_TERM_CHARS} characters` });
      } else if (hasTooManyWords(text)) {
        faults.push({ path: place, message: `${TERM} ${MAX_TERM_WORDS} words` });
      }
    }
  }
  return faults;
}

const TERM = 'must not hold a term of more than';

const glossaryOrTerm = (path: string, value: string | readonly string[]): readonly string[] =>
  path === 'glossary' ? glossaryTerms(value) : typeof value === 'string' ? [value] : value;
