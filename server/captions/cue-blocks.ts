/**
 * The common part of SRT and WebVTT: blocks of lines with a line of times, separated by blank
 * lines.
 */
import { readClock } from './clock.ts';
import { italicRuns } from './italics.ts';
import { withoutDirectionControls } from './shown-text.ts';

/** A cue as stored in a file, in seconds. */
export interface ReadCue {
  start: number;
  end: number;
  lines: string[];
}

/**
 * All characters that some player treats as the end of a line, including VT, FF, NEL, LS and PS.
 */
const LINE_ENDS = /[\n-\r\u0085\u2028\u2029]+/g;

/**
 * Makes a cue's lines safe for a block: a blank line would end the cue, an arrow would begin
 * another, a direction control would reverse the line in a player. Italics keep their tags.
 * @param escape escapes text so that the format sees no markup in it
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
    // A WebVTT cue may have settings after its end time.
    const end = readClock(to.trim().split(/\s+/)[0] ?? '');
    if (start === null || end === null) return [];
    return [{ start, end, lines: lines.slice(at + 1) }];
  });
}
