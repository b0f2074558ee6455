/** What SRT and WebVTT have in common: blocks of lines with a line of times. */
import { readClock } from './clock.ts';

/** A cue as a file holds it; seconds. */
export interface ReadCue {
  start: number;
  end: number;
  lines: string[];
}

/** The cues of a document: each block that has a line of times, with the lines after it. */
export function readCueBlocks(text: string): ReadCue[] {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/);
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line, at, all) => line !== '' || at < all.length - 1);
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) return [];
    const [from = '', to = ''] = (lines[at] ?? '').split('-->');
    const start = readClock(from);
    // Settings of a WebVTT cue follow its end.
    const end = readClock(to.trim().split(/\s+/)[0] ?? '');
    if (start === null || end === null) return [];
    return [{ start, end, lines: lines.slice(at + 1).filter((line) => line !== '') }];
  });
}
