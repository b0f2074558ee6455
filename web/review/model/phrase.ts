/** Looking for words as people type them, not as lines happen to break. */

/** Letters, figures and marks upon letters: what words are made of. */
const WORD_CHARACTER = String.raw`[\p{L}\p{N}\p{M}]`;

export interface PhraseOptions {
  matchCase: boolean;
  /** No part of a longer word. */
  wholeWord: boolean;
}

/**
 * The expression that finds a phrase: it is literal, but any white space of its finds any other, line
 * breaks too, and either apostrophe finds both. Null for a blank one.
 */
export function phraseExpression(
  phrase: string,
  { matchCase, wholeWord }: PhraseOptions,
): RegExp | null {
  if (phrase.trim() === '') return null;
  const literal = phrase
    .replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`)
    .replace(/['’]/g, "['’]");
  const whole = wholeWord ? `(?<!${WORD_CHARACTER})${literal}(?!${WORD_CHARACTER})` : literal;
  return new RegExp(whole, matchCase ? 'gu' : 'giu');
}
