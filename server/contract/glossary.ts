/** Splits a glossary into terms, in a file of its own: the browser app uses it too, and loads no schemas. */

/**
 * Splits a glossary, often pasted as one string, at commas, semicolons and line breaks.
 * @example
 * glossaryTerms('AuthKit,SCIM'); // => ['AuthKit', 'SCIM']
 */
export const glossaryTerms = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? value.split(/[,;\n]/) : value;

/**
 * The terms of a glossary, trimmed and without empty ones.
 * @example
 * trimmedTerms('WorkOS, AuthKit,'); // => ['WorkOS', 'AuthKit']
 */
export const trimmedTerms = (value: string | readonly string[]): string[] =>
  glossaryTerms(value)
    .map((term) => term.trim())
    .filter((term) => term !== '');
