/** SRT as every player reads it: LF, no BOM, indices from 1, a blank line after each cue. */
import { clock } from './clock.ts';
import { blockLines, readCueBlocks, type ReadCue } from './cue-blocks.ts';
import type { TimedLines } from './cue.ts';

/** The cues as an SRT document; empty for none. @throws {RangeError} past 99:59:59,999 */
export const toSrt = (cues: readonly TimedLines[]): string =>
  cues
    .map(
      ({ start, end, lines }, at) =>
        `${at + 1}\n${clock(start)} --> ${clock(end)}\n${blockLines(lines, withoutMarkup).join('\n')}\n`,
    )
    .join('\n');

/**
 * SRT has no escapes, so what a player would take for markup is written with look-alikes: tags in
 * angle quotes (FFmpeg reads even `a < b > c` as one), braces full width (libass hides what is in
 * them), and the backslash of `\\N`, `\\n` and `\\h`, which are line breaks and spaces to it.
 */
const withoutMarkup = (text: string): string =>
  text
    .replace(/<(\s*[\p{L}/!?][^<>]*)>/gu, '‹$1›')
    .replace(/<(?=\s*[\p{L}/!?])/gu, '‹')
    .replaceAll('{', '｛')
    .replaceAll('}', '｝')
    .replace(/\\(?=[Nnh])/g, '∖');

/** Reads an SRT document; blocks that are no cue are passed over. */
export const readSrt = (text: string): ReadCue[] => readCueBlocks(text);
