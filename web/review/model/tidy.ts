/** Cues while they are typed → cues as a file holds them. */
import type { TimedLines } from '../../../server/captions/cue.ts';

/**
 * The cues for a file: without the spaces and empty lines that typing left, and without cues that
 * have no text.
 */
export const tidyCues = (cues: readonly TimedLines[]): TimedLines[] =>
  cues.flatMap(({ start, end, lines }) => {
    const tidy = lines.map((line) => line.trim()).filter((line) => line !== '');
    return tidy.length === 0 ? [] : [{ start, end, lines: tidy }];
  });
