/** SRT as every player reads it: LF, no BOM, indices from 1, a blank line after each cue. */
import type { CaptionCue } from '../contract/captions.ts';
import { clock } from './clock.ts';
import { readCueBlocks, type ReadCue } from './read.ts';

/** The cues as an SRT document; empty for none. @throws {RangeError} past 99:59:59,999 */
export const toSrt = (cues: readonly CaptionCue[]): string =>
  cues
    .map(
      ({ start, end, lines }, at) =>
        `${at + 1}\n${clock(start)} --> ${clock(end)}\n${lines.map(safeLine).join('\n')}\n`,
    )
    .join('\n');

/** A blank line would end the cue, an arrow would begin another. */
const safeLine = (line: string): string =>
  line
    .replaceAll('-->', '→')
    .replace(/[\r\n]+/g, ' ')
    .trim() || '…';

/** Reads an SRT document; blocks that are no cue are passed over. */
export const readSrt = (text: string): ReadCue[] => readCueBlocks(text);
