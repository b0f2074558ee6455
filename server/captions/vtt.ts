/** Reads and writes WebVTT. */
import { clock } from './clock.ts';
import { blockLines, readCueBlocks, type ReadCue } from './cue-blocks.ts';
import type { TimedLines } from './cue.ts';

/**
 * The cues as a WebVTT document.
 * @throws {RangeError} past 99:59:59,999
 * @example
 * toVtt([{ start: 0, end: 1.5, lines: ['Hello'] }]);
 * // => 'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nHello\n'
 */
export const toVtt = (cues: readonly TimedLines[]): string =>
  `WEBVTT\n${cues
    .map(
      ({ start, end, lines }, at) =>
        `\n${at + 1}\n${clock(start, '.')} --> ${clock(end, '.')}\n${blockLines(lines, escape).join('\n')}\n`,
    )
    .join('')}`;

/** WebVTT text is markup, so characters that would begin a tag or an entity are escaped. */
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Reads the cues of a WebVTT document, without notes, styles and tags other than italics.
 * @example
 * readVtt('WEBVTT\n\n00:00.000 --> 00:01.500\nHello\n');
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export const readVtt = (text: string): ReadCue[] =>
  readCueBlocks(text).map((cue) => ({ ...cue, lines: cue.lines.map(unescape) }));

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

const unescape = (line: string): string =>
  line
    .replace(/<[^<>]*>/g, (tag) =>
      /^<\/i>$/i.test(tag) ? '</i>' : /^<i[.\s>]/i.test(tag) ? '<i>' : '',
    )
    .replace(/&(?:(\w+)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (entity, name, decimal, hex) => {
      if (name) return ENTITIES[name] ?? entity;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
    });
