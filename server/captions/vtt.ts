/** WebVTT. */
import type { CaptionCue } from '../contract/captions.ts';
import { clock } from './clock.ts';
import { readCueBlocks, type ReadCue } from './read.ts';

/** The cues as a WebVTT document. @throws {RangeError} past 99:59:59,999 */
export const toVtt = (cues: readonly CaptionCue[]): string =>
  `WEBVTT\n${cues
    .map(
      ({ start, end, lines }, at) =>
        `\n${at + 1}\n${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map(escape).join('\n')}\n`,
    )
    .join('')}`;

/** WebVTT text is markup: what would begin a tag or an entity is escaped. */
const escape = (line: string): string =>
  line
    .replaceAll('-->', '→')
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Reads a WebVTT document: its cues, without notes, styles and tags. */
export const readVtt = (text: string): ReadCue[] =>
  readCueBlocks(text).map((cue) => ({ ...cue, lines: cue.lines.map(unescape) }));

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

const unescape = (line: string): string =>
  line
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ENTITIES[name] ?? '');
