/** Determines the times of the tokens of a text, and makes words of them. */
import type { FoundText, SearchRules } from './found-text.ts';
import { spokenWords, type SpokenToken, type SpokenWord } from './text.ts';
import { tokenStarts } from './align.ts';

/** The words of a text that was found for a window. */
export function wordsOf(found: FoundText, rules: SearchRules, language: string): SpokenWord[] {
  const { tokens, end } = timedTokens(found, rules);
  return spokenWords(tokens, language, end);
}

/** The tokens of a text with their times, and the time of its end. */
export function timedTokens(
  found: FoundText,
  { prompt, frames, frameSeconds, bytes }: SearchRules,
): { tokens: SpokenToken[]; end: number } {
  const [row] = found.attention;
  if (!row || frames === 0) return { tokens: [], end: 0 };
  const attention = {
    heads: row.length / frames,
    frames,
    frameSeconds,
    tokens: found.attention,
  };
  const starts = tokenStarts(attention, prompt.length - 1);
  const tokens = found.tokens.map((id, at): SpokenToken => ({
    bytes: bytes[id] ?? new Uint8Array(),
    start: starts[at] ?? 0,
    logProbability: found.logProbabilities[at] ?? 0,
  }));
  return { tokens, end: starts[found.tokens.length] ?? frames * frameSeconds };
}
