/**
 * Reads and writes SRT as every player reads it: LF, no BOM, indices from 1, a blank line after
 * each cue.
 */
import { clock } from './clock.ts';
import { blockLines, readCueBlocks, type ReadCue } from './cue-blocks.ts';
import type { TimedLines } from './cue.ts';

/**
 * The cues as an SRT document; empty for none.
 * @throws {RangeError} past 99:59:59,999
 * @example
 * toSrt([{ start: 0, end: 1.5, lines: ['Hello'] }]);
 * // => '1\n00:00:00,000 --> 00:00:01,500\nHello\n'
 */
export const toSrt = (cues: readonly TimedLines[]): string =>
  cues
    .map(
      ({ start, end, lines }, at) =>
        `${at + 1}\n${clock(start)} --> ${clock(end)}\n${blockLines(lines, withoutMarkup).join('\n')}\n`,
    )
    .join('\n');

/**
 * SRT has no escapes, so text that a player would read as markup is written with look-alikes: tags
 * in angle quotes (FFmpeg reads even `a < b > c` as one), braces in full width (libass hides their
 * content), and the backslash of `\\N`, `\\n` and `\\h`, which libass reads as line breaks and
 * spaces.
 */
const withoutMarkup = (text: string): string =>
  text
    .replace(/<(\s*[\p{L}/!?][^<>]*)>/gu, '‹$1›')
    .replace(/<(?=\s*[\p{L}/!?])/gu, '‹')
    .replaceAll('{', '｛')
    .replaceAll('}', '｝')
    .replace(/\\(?=[Nnh])/g, '∖');

/**
 * Reads an SRT document; blocks that are not cues are skipped.
 * @example
 * readSrt('1\n00:00:00,000 --> 00:00:01,500\nHello\n');
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export const readSrt = (text: string): ReadCue[] => readCueBlocks(text);
