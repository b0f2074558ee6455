/** Searches for words as people type them, regardless of line breaks. */

/** The characters of words: letters, digits and combining marks. */
const WORD_CHARACTER = String.raw`[\p{L}\p{N}\p{M}]`;

export interface PhraseOptions {
  matchCase: boolean;
  /** Do not match parts of longer words. */
  wholeWord: boolean;
}

/**
 * The regular expression that finds a phrase literally, except that white space matches any white
 * space, line breaks included, and either apostrophe matches both. Null for a blank phrase.
 */
export function phraseExpression(
  phrase: string,
  { matchCase, wholeWord }: PhraseOptions,
): RegExp | null {
  if (phrase.trim() === '') return null;
  const literal = phrase
    .replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`)
    .replace(/['’]/g, "['’]");
  const whole = wholeWord ? `(?<!${WORD_CHARACTER})${literal}(?!${WORD_CHARACTER})` : literal;
  return new RegExp(whole, matchCase ? 'gu' : 'giu');
}
