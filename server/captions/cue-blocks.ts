/** What SRT and WebVTT have in common: blocks of lines with a line of times, parted by blank lines. */
import { readClock } from './clock.ts';
import { italicRuns } from './italics.ts';
import { withoutDirectionControls } from './shown-text.ts';

/** A cue as a file holds it; seconds. */
export interface ReadCue {
  start: number;
  end: number;
  lines: string[];
}

/** What one reader or another takes for the end of a line: also VT, FF, NEL, LS and PS. */
const LINE_ENDS = /[\n-\r\u0085\u2028\u2029]+/g;

/**
 * The lines of a cue as a block may hold them: a blank one would end the cue, an arrow would begin
 * another, a direction control would turn the line round in a player. Italics keep their tags.
 * @param escape writes text so that the format reads no markup in it
 */
export const blockLines = (lines: readonly string[], escape: (text: string) => string): string[] =>
  italicRuns(lines.map(cleanLine)).map((runs) => {
    const line = runs.map(({ text, italic }) => (italic ? `<i>${escape(text)}</i>` : escape(text)));
    return line.join('').trim() || '…';
  });

const cleanLine = (line: string): string =>
  withoutDirectionControls(line.replaceAll('\0', ''))
    .replace(LINE_ENDS, ' ')
    .replaceAll('-->', '→');

/** The cues of a document: each block that has a line of times, with the lines after it. */
export function readCueBlocks(text: string): ReadCue[] {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/);
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '');
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) return [];
    const [from = '', to = ''] = (lines[at] ?? '').split('-->');
    const start = readClock(from);
    // Settings of a WebVTT cue follow its end.
    const end = readClock(to.trim().split(/\s+/)[0] ?? '');
    if (start === null || end === null) return [];
    return [{ start, end, lines: lines.slice(at + 1) }];
  });
}
