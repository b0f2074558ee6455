/** Reads and writes SBV, the captions that YouTube lets people download. */
import type { Caption } from '../cue.ts';
import { readLooseTime } from './loose-times.ts';
import {
  cueOfRuns,
  fileLines,
  type Reading,
  type ReadCue,
  writableLines,
} from './portable-captions.ts';

/** Writes captions as an SBV document. */
export const toSbv = (cues: readonly Caption[]): string =>
  cues
    .map(({ start, end, lines }) => {
      const times = [start, end].map(timeOf).join(',');
      return `${times}\n${writableLines(lines).join('\n')}\n`;
    })
    .join('\n');

function timeOf(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(ms / 3_600_000)}:${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`;
}

const TIMES = /^\s*(\d+:\d\d:\d\d[.,]\d{1,3})\s*,\s*(\d+:\d\d:\d\d[.,]\d{1,3})\s*$/;

/** Matches times that cannot be read. */
const BROKEN = /^\s*\S{0,4}:\S{1,3}:\S{1,8}.{0,3},.{0,3}\S{0,4}:\S{1,3}:\S|^[\s\d:.,]{14,}$/;

/** Reads an SBV document: lines of two times, each with the lines of its caption below it. */
export function readSbv(document: string, { unread = () => {} }: Reading = {}): ReadCue[] {
  const found: { start: number; end: number; lines: string[] }[] = [];
  /** Whether the lines that follow belong to the last caption: until a blank one. */
  let isInside = false;
  for (const [at, line] of fileLines(document).entries()) {
    const [, from = '', to = ''] = TIMES.exec(line) ?? [];
    const [start, end] = [readLooseTime(from), readLooseTime(to)];
    if (start !== null && end !== null) {
      found.push({ start, end, lines: [] });
      isInside = true;
    } else if (BROKEN.test(line)) {
      unread({ line: at + 1, text: line, reason: 'its times cannot be read' });
      isInside = false;
    } else if (line.trim() === '') isInside &&= found.at(-1)!.lines.length === 0;
    else if (isInside) found.at(-1)!.lines.push(...line.split('[br]'));
    else unread({ line: at + 1, text: line, reason: 'there are no times above it' });
  }
  return found.map(({ start, end, lines }) =>
    cueOfRuns(
      start,
      end,
      lines.map((text) => [{ text }]),
    ),
  );
}
