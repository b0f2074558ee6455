/** Writes captions as plain text, with a paragraph at each longer pause. */
import type { TimedLines } from './cue.ts';
import { withoutItalics } from './italics.ts';
import { joinWords } from './width.ts';

/** A silence that begins a new paragraph, in seconds. */
const PARAGRAPH_PAUSE = 2;

/**
 * The text of the cues, without times and italics; empty for none.
 * @example
 * toPlainText([{ start: 0, end: 1, lines: ['Hello', 'there.'] }]); // => 'Hello there.\n'
 */
export function toPlainText(cues: readonly TimedLines[]): string {
  const paragraphs: string[][] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const { start, end, lines } of cues) {
    if (start - lastEnd >= PARAGRAPH_PAUSE) paragraphs.push([]);
    paragraphs.at(-1)?.push(...withoutItalics(lines));
    lastEnd = end;
  }
  return paragraphs.map((lines) => `${joinWords(lines)}\n`).join('\n');
}
