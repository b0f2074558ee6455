/** Adds terms to the glossary as it stands in its field, and takes them out again. */
import { trimmedTerms } from '../../server/contract/glossary.ts';

/** Whether a glossary has a term, spelled like this. */
export const hasTerm = (glossary: string, term: string): boolean =>
  trimmedTerms(glossary).includes(term);

/** The glossary with terms on lines of their own at its end; those that it has are left out. */
export function withTerms(glossary: string, terms: readonly string[]): string {
  const added = terms.filter((term) => !hasTerm(glossary, term));
  return [glossary.trimEnd(), ...added].filter((line) => line !== '').join('\n');
}

/** The glossary without a term; what else was typed keeps its separators. */
export const withoutTerm = (glossary: string, term: string): string =>
  glossary
    .split(/(?=[,;\n])/)
    .filter((part) => part.replace(/^[,;\n]/, '').trim() !== term)
    .join('')
    .replace(/^[,;\n]/, '');
