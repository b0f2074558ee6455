/** Cleans up cues for a file. */
import type { Caption } from '../../../server/captions/cue.ts';
import type { ReviewCue } from './cue.ts';
import { speakersOf } from './cue-speakers.ts';

/**
 * The cues for a file: without the spaces and empty lines left from typing, and without cues that
 * have no text.
 */
export const tidyCues = (cues: readonly ReviewCue[]): Caption[] =>
  cues.flatMap((cue) => {
    const { start, end, lines, placement } = cue;
    const names = speakersOf(cue);
    const kept = lines.flatMap((line, at) => (line.trim() === '' ? [] : [at]));
    if (kept.length === 0) return [];
    const speakers = kept.map((at) => names[at] ?? '');
    return [
      {
        start,
        end,
        lines: kept.map((at) => lines[at]?.trim() ?? ''),
        ...(speakers.some((name) => name !== '') ? { speakers } : {}),
        ...(placement ? { placement } : {}),
      },
    ];
  });
