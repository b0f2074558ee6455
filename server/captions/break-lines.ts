/** One text → lines, set by the same rules as those of new cues. */
import type { CaptionSettings } from '../contract/captions.ts';
import { breaksOf } from './breaks.ts';
import { readItalics, writeItalics } from './italics.ts';
import { languageOf } from './language.ts';
import { lineColumns, lineSetter, measure, type Measures } from './lines.ts';
import { shownText } from './shown-text.ts';
import { textOfTokens, tokensOf, type Token } from './tokens.ts';
import { joinWords } from './width.ts';

/** What a character takes to say, in seconds: any length will do, no pause must come of it. */
const SECONDS_PER_CHARACTER = 0.06;
/** A text that needs more lines is no caption, and is filled line by line. */
const MOST_LINES = 12;

/**
 * Sets a text in lines anew: at most `maxLines` of `maxLineChars` where it fits, else in as few lines
 * as it takes; only a word that is too long by itself makes a line too long. All words are kept; the
 * line breaks it had are not. A blank text is one empty line. Italics stay with their words, and no tag counts.
 * @param language BCP 47; its small words tell where a break reads well
 */
export function breakLines(
  text: string,
  { maxLines, maxLineChars }: CaptionSettings,
  language = 'en',
): string[] {
  // Cleaned as the tokens will be, so that the marks of italics stay with their characters.
  const { lines, marks } = readItalics(text.split('\n').map(shownText));
  const tokens = textTokens(lines.join('\n'));
  if (tokens.length === 0) return [''];
  const measures = measure(tokens);
  const filled = fillLines(measures, maxLineChars);
  const starts =
    filled.length < MOST_LINES
      ? bestStarts(tokens, measures, Math.max(maxLines, filled.length + 1), maxLineChars, language)
      : filled;
  const bounds = [0, ...starts, tokens.length];
  const set = bounds
    .slice(0, -1)
    .map((begin, index) => textOfTokens(tokens, begin, bounds[index + 1]!));
  return writeItalics(set, marks);
}

/** The last word of a text with its marks, as a line may be broken before it; empty for none. */
export const lastWordOf = (text: string): string => textTokens(text).at(-1)?.text ?? '';

/** The first word of a text with its marks; empty for none. */
export const firstWordOf = (text: string): string => textTokens(text)[0]?.text ?? '';

function textTokens(text: string): Token[] {
  // In scripts without spaces a line break stands for nothing.
  const running = joinWords(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
  return tokensOf([{ text: running, start: 0, end: running.length * SECONDS_PER_CHARACTER }]);
}

/** The tokens that begin further lines where each line takes as much as it holds. */
function fillLines(measures: Measures, maxColumns: number): number[] {
  const starts: number[] = [];
  let begin = 0;
  for (let at = 1; at < measures.left.length; at += 1) {
    if (lineColumns(measures, begin, at + 1) <= maxColumns) continue;
    starts.push(at);
    begin = at;
  }
  return starts;
}

function bestStarts(
  tokens: readonly Token[],
  measures: Measures,
  lines: number,
  maxColumns: number,
  language: string,
): number[] {
  const setter = lineSetter(measures, breaksOf(tokens, languageOf(language)), lines, maxColumns);
  setter.begin(0);
  for (let to = 1; to <= tokens.length; to += 1) setter.grow(to);
  return setter.starts(tokens.length);
}
