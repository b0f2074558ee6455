/** Adds terms to the text of the glossary field, and removes them. */
import { trimmedTerms } from '../../server/contract/terms.ts';

/** Whether a glossary contains a term in exactly this spelling. */
export const hasTerm = (glossary: string, term: string): boolean =>
  trimmedTerms(glossary).includes(term);

/** Appends the missing terms to the glossary, each on its own line. */
export function withTerms(glossary: string, terms: readonly string[]): string {
  const added = terms.filter((term) => !hasTerm(glossary, term));
  return [glossary.trimEnd(), ...added].filter((line) => line !== '').join('\n');
}

/** Removes a term from the glossary; the rest keeps its separators. */
export const withoutTerm = (glossary: string, term: string): string =>
  glossary
    .split(/(?=[,;\n])/)
    .filter((part) => part.replace(/^[,;\n]/, '').trim() !== term)
    .join('')
    .replace(/^[,;\n]/, '');
