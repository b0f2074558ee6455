/** Breaks one text into lines, by the same rules as new cues. */
import type { CaptionSettings } from '../../contract/captions.ts';
import { breaksOf } from './breaks.ts';
import { readItalics, writeItalics } from '../italics.ts';
import { languageOf } from '../language.ts';
import { lineSetter } from './lines.ts';
import { lineColumns, measure, type Measures } from './measures.ts';
import { shownText } from '../shown-text.ts';
import { textOfTokens, tokensOf, type Token } from './tokens.ts';
import { joinWords } from '../width.ts';

/** The assumed time to speak a character, in seconds. Any value works, as long as it creates no pauses. */
const SECONDS_PER_CHARACTER = 0.06;
/** A text that needs more lines than this is too long for a caption, and is simply filled line by line. */
const MAX_LINES = 12;

/**
 * Breaks a text into new lines of at most `maxLineChars`, as few as possible. A line is too long only if a single word
 * is. Keeps all words, but not the previous line breaks. A blank text gives one empty line. Italics stay with their
 * words, and their tags do not count as characters.
 * @param language BCP 47; the language's small words show where a break reads well
 * @example
 * const settings = { ...DEFAULT_CAPTION_SETTINGS, maxLineChars: 24 };
 * breakLines('One two three four five six.', settings); // => ['One two three', 'four five six.']
 */
export function breakLines(
  text: string,
  { maxLineChars }: Pick<CaptionSettings, 'maxLineChars'>,
  language = 'en',
): string[] {
  // Cleaned in the same way as the tokens, so that the italic marks stay aligned with their characters.
  const { lines, marks } = readItalics(text.split('\n').map(shownText));
  const tokens = textTokens(lines.join('\n'));
  if (tokens.length === 0) return [''];
  const measures = measure(tokens);
  const filled = fillLines(measures, maxLineChars);
  const starts =
    filled.length < MAX_LINES
      ? bestStarts(tokens, measures, filled.length + 1, maxLineChars, language)
      : filled;
  const bounds = [0, ...starts, tokens.length];
  const set = bounds
    .slice(0, -1)
    .map((begin, index) => textOfTokens(tokens, begin, bounds[index + 1]!));
  return writeItalics(set, marks);
}

/**
 * The last word of a text with its punctuation, where a line may break before it; empty if there is none.
 * @example
 * lastWordOf('Hello there.'); // => 'there.'
 */
export const lastWordOf = (text: string): string => textTokens(text).at(-1)?.text ?? '';

/**
 * The first word of a text with its punctuation; empty if there is none.
 * @example
 * firstWordOf('Hello there.'); // => 'Hello'
 */
export const firstWordOf = (text: string): string => textTokens(text)[0]?.text ?? '';

function textTokens(text: string): Token[] {
  // In scripts without spaces, a line break does not replace a space.
  const running = joinWords(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
  return tokensOf([{ text: running, start: 0, end: running.length * SECONDS_PER_CHARACTER }]);
}

/** Fills each line as far as possible; returns the tokens that begin the second and later lines. */
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
  setter.set(0, tokens.length);
  return setter.starts(tokens.length);
}
