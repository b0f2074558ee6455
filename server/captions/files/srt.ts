/**
 * Reads and writes SRT in the form that every player reads: LF, no BOM, indices from 1, and a blank line after each
 * cue.
 */
import { formatTimestamp, parseTimestamp } from '../timestamps.ts';
import type { Caption } from '../cue.ts';
import {
  placeBlock,
  portableRuns,
  readCue,
  type ReadCue,
  readOverrides,
  withoutOverrides,
} from './portable-captions.ts';

/**
 * Writes captions as an SRT document; empty if there are none. A position other than the bottom is written as `{\an8}`,
 * which VLC, mpv, FFmpeg and YouTube understand. SRT has no speakers.
 * @throws {RangeError} past 99:59:59,999
 * @example
 * toSrt([{ start: 0, end: 1.5, lines: ['Hello'] }]);
 * // => '1\n00:00:00,000 --> 00:00:01,500\nHello\n'
 */
export const toSrt = (cues: readonly Caption[]): string =>
  cues
    .map(
      (cue, at) =>
        `${at + 1}\n${formatTimestamp(cue.start)} --> ${formatTimestamp(cue.end)}\n${placeBlock(cue.placement)}${linesOf(cue)}\n`,
    )
    .join('\n');

const linesOf = ({ lines }: Caption): string =>
  portableRuns(lines)
    .map((runs) =>
      runs
        .map(({ text, italic }) => (italic ? `<i>${withoutMarkup(text)}</i>` : withoutMarkup(text)))
        .join(''),
    )
    .join('\n');

/**
 * Replaces text that a player would read as markup with look-alikes, because SRT has no escapes: angle quotes for tags
 * (FFmpeg takes even `a < b > c` for one), and for braces and backslashes the same as in ASS.
 */
const withoutMarkup = (text: string): string =>
  withoutOverrides(
    text.replace(/<(\s*[\p{L}/!?][^<>]*)>/gu, '‹$1›').replace(/<(?=\s*[\p{L}/!?])/gu, '‹'),
  );

/** Matches the tags of SRT other than italics; the text inside them is kept. */
const OTHER_TAGS = /<\/?(?:b|u|s|font|c|v)(?:[\s.=][^<>]*)?>/gi;
/** Matches a block that players take for markup: those of ASS, and MicroDVD's such as `{y:i}`. Others are text. */
const isMarkup = (block: string): boolean => /^\{(?:\\|[a-z]:)/i.test(block);
const TIMES = /^\s*([\d:.,]+)\s*-{2,}>\s*([\d:.,]+)/;

/**
 * Reads an SRT document as leniently as players do: everything between two lines of times is text, apart from indices
 * and blank lines. Of tags and of blocks such as `{\an8}`, only italics and a position are kept.
 * @example
 * readSrt('1\n00:00:00,000 --> 00:00:01,500\nHello\n');
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export function readSrt(document: string): ReadCue[] {
  const cues: { start: number; end: number; lines: string[] }[] = [];
  let before = '';
  for (const line of document.split(/\r\n?|\n/)) {
    const times = timesOf(line);
    if (times) {
      // The line above the times is the index.
      if (/^\s*\d+\s*$/.test(before)) cues.at(-1)?.lines.pop();
      cues.push({ ...times, lines: [] });
    } else cues.at(-1)?.lines.push(line);
    before = line;
  }
  return cues.map(({ start, end, lines }) => {
    const shown = lines.filter((line) => line.trim() !== '').join('\n');
    const { text, placement } = readOverrides(shown.replace(OTHER_TAGS, ''), isMarkup);
    const read = text === '' ? [] : text.split('\n').map((line) => ({ text: line, speaker: '' }));
    return readCue(start, end, read, placement);
  });
}

function timesOf(line: string): { start: number; end: number } | null {
  const [, from = '', to = ''] = TIMES.exec(line) ?? [];
  const [start, end] = [parseTimestamp(from), parseTimestamp(to)];
  return start === null || end === null ? null : { start, end };
}
