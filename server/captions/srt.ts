/** SRT as every player reads it: LF, no BOM, indices from 1, a blank line after each cue. */
import { clock } from './clock.ts';
import { blockLine, readCueBlocks, type ReadCue } from './cue-blocks.ts';
import type { TimedLines } from './cue.ts';

/** The cues as an SRT document; empty for none. @throws {RangeError} past 99:59:59,999 */
export const toSrt = (cues: readonly TimedLines[]): string =>
  cues
    .map(
      ({ start, end, lines }, at) =>
        `${at + 1}\n${clock(start)} --> ${clock(end)}\n${lines.map(blockLine).join('\n')}\n`,
    )
    .join('\n');

/** Reads an SRT document; blocks that are no cue are passed over. */
export const readSrt = (text: string): ReadCue[] => readCueBlocks(text);
