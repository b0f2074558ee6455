/**
 * Reads SRT as people and programs write it, with every odd time, and writes it in the form that every player reads: LF,
 * no BOM, indices from 1, and a blank line after each cue.
 */
import { formatTimestamp } from '../timestamps.ts';
import type { Caption } from '../cue.ts';
import { italicRuns } from '../italics.ts';
import { readColour } from './colours.ts';
import { lineInDirection } from './direction.ts';
import { readLooseTime } from './loose-times.ts';
import {
  type CaptionFileOptions,
  colouredRuns,
  cueOfRuns,
  fileLines,
  placeBlock,
  type Reading,
  type ReadCue,
  readOverrides,
  type ReadRun,
  WHITE,
} from './portable-captions.ts';

/**
 * Writes captions as an SRT document; empty if there are none. A position other than the bottom is written as `{\an8}`,
 * which VLC, mpv, FFmpeg and YouTube understand. SRT has no speakers.
 * @throws {RangeError} for a time before the beginning
 * @example
 * toSrt([{ start: 0, end: 1.5, lines: ['Hello'] }]);
 * // => '1\n00:00:00,000 --> 00:00:01,500\nHello\n'
 */
export const toSrt = (
  cues: readonly Caption[],
  { language = '' }: Pick<CaptionFileOptions, 'language'> = {},
): string =>
  cues
    .map(
      (cue, at) =>
        `${at + 1}\n${formatTimestamp(cue.start)} --> ${formatTimestamp(cue.end)}\n${placeBlock(cue.placement)}${linesOf(cue, language)}\n`,
    )
    .join('\n');

const linesOf = (cue: Caption, language: string): string =>
  colouredRuns(cue)
    .map((runs) => {
      const line = runs.map(({ text, italic, colour }) => {
        const shown = italic ? `<i>${withoutMarkup(text)}</i>` : withoutMarkup(text);
        return colour && colour !== WHITE ? `<font color="${colour}">${shown}</font>` : shown;
      });
      return lineInDirection(line.join(''), runs, language);
    })
    .join('\n');

/**
 * Replaces text that a player would read as markup with look-alikes, because SRT has no escapes: angle quotes for tags
 * (FFmpeg takes even `a < b > c` for one), a full-width brace where a block such as `{\an8}` would begin, and ∖ for the
 * backslash of a line break. Other braces are text in every player.
 */
const withoutMarkup = (text: string): string =>
  text
    .replace(/<(\s*[\p{L}/!?][^<>]*)>/gu, '‹$1›')
    .replace(/<(?=\s*[\p{L}/!?])/gu, '‹')
    .replace(/\{(?=\\|[a-z]:)/gi, '｛')
    .replace(/\\(?=[Nnh])/g, '∖');

/** Matches the tags of SRT other than italics and colours; the text inside them is kept. */
const OTHER_TAGS = /<\/?(?:b|u|s|c|v)(?:[\s.=][^<>]*)?>/gi;
/** Matches a block that players take for markup: those of ASS, and MicroDVD's such as `{y:i}`. Others are text. */
const isMarkup = (block: string): boolean => /^\{(?:\\|[a-z]:)/i.test(block);

/** A caption while its lines are read. */
interface Begun {
  start: number;
  /** Null if the file does not say. */
  end: number | null;
  /** The line of its times, from 1. */
  line: number;
  lines: string[];
}

/** A caption without an end lasts until the next one, at most this many seconds. */
const LONGEST_OPEN = 5;

/**
 * Reads an SRT document as leniently as players do: everything between two lines of times is text, apart from indices
 * and blank lines. Of tags and of blocks such as `{\an8}`, only italics, colours and a position are kept. A line of times
 * that cannot be read is reported with its text, and so is text before the first caption.
 * @example
 * readSrt('1\n00:00:00,000 --> 00:00:01,500\nHello\n');
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export function readSrt(document: string, { unread = () => {} }: Reading = {}): ReadCue[] {
  const lines = fileLines(document);
  const cues: Begun[] = [];
  /** Why the lines that follow belong to no caption; empty if they do. */
  let lost = 'there are no times above it';
  const report = (line: number, reason: string) =>
    unread({ line: line + 1, text: lines[line]!, reason });
  for (const [at, line] of lines.entries()) {
    const times = timesOf(line);
    if (times === undefined) {
      if (lost === '') cues.at(-1)!.lines.push(line);
      else if (line.trim() !== '' && !isIndexOf(lines, at)) report(at, lost);
      continue;
    }
    if (lost === '' && isIndex(lines[at - 1] ?? '')) cues.at(-1)!.lines.pop();
    if (times === null) {
      report(at, 'its times cannot be read');
      lost = 'its caption has no times that can be read';
    } else if (times.end !== null && times.end <= 0 && times.start < 0) {
      report(at, 'it is over before the recording begins');
      lost = 'its caption is over before the recording begins';
    } else {
      cues.push({ ...times, start: Math.max(0, times.start), line: at, lines: [] });
      lost = '';
    }
  }
  return cues.map(({ start, end, lines: own }, at) => {
    const next = cues[at + 1]?.start ?? Number.POSITIVE_INFINITY;
    const until = next > start ? Math.min(next, start + LONGEST_OPEN) : start + LONGEST_OPEN;
    const shown = own.filter((line) => line.trim() !== '');
    const { lines: read, placement } = readOverrides(runsOf(shown), isMarkup);
    return cueOfRuns(start, end ?? until, read, placement);
  });
}

const isIndex = (line: string): boolean => /^\s*\d+\s*$/.test(line);

/** Whether a line is the number above the times of a caption. */
const isIndexOf = (lines: readonly string[], at: number): boolean =>
  isIndex(lines[at]!) && timesOf(lines[at + 1] ?? '') !== undefined;

/** Matches what stands between two times: an arrow of dashes. */
const ARROW = /-{1,9} ?>|[–—]{1,3} ?>/;
/** Matches what may follow the times: a coordinate, as in `X1:40`, or a setting of WebVTT. */
const SETTING = /^[A-Za-z]+\d?:/;
/** Matches the beginning of a time with hours, even one that cannot be read. */
const CLOCK = /^[-−]?\s?\d\w*\s?[:：]\s?\w+\s?[:：]\s?\w/;

/**
 * The times of a line; null if it means times but they cannot be read, undefined if it is text: an arrow in a sentence, or
 * between numbers.
 */
function timesOf(line: string): { start: number; end: number | null } | null | undefined {
  const arrow = ARROW.exec(line);
  if (!arrow) return undefined;
  const before = line.slice(0, arrow.index).trim();
  const after = line
    .slice(arrow.index + arrow[0].length)
    .replace(/^>+/, '')
    .trim();
  const [to = ''] = /^[-−]?\s?\d[\d\s:：.,，;；]*/.exec(after) ?? [];
  const start = readLooseTime(before);
  const end = readLooseTime(to);
  const rest = after.slice(to.length).split(/\s+/);
  const isWhole = rest.every((each) => each === '' || SETTING.test(each));
  if (start !== null && end !== null && isWhole) return { start, end };
  if (start !== null && after === '') return { start, end: null };
  return CLOCK.test(before) || CLOCK.test(after) ? null : undefined;
}

/** The parts of lines with one look: italics whose tags have partners, and colours. */
function runsOf(lines: readonly string[]): ReadRun[] {
  const runs: ReadRun[] = [];
  const colours: (string | undefined)[] = [];
  for (const [at, line] of italicRuns(
    lines.map((each) => each.replace(OTHER_TAGS, '')),
  ).entries()) {
    if (at > 0) runs.push({ text: '\n' });
    for (const { text, italic } of line) {
      for (const part of text.split(/(<\/?font(?:[\s=][^<>]*)?>)/i)) {
        if (/^<\/font/i.test(part)) colours.pop();
        else if (/^<font[\s=>][^<>]*>?$/i.test(part)) {
          const [, value = ''] = /color\s*=\s*["']?([^"'>]*)/i.exec(part) ?? [];
          // More than people nest; the rest keeps the colour around it.
          if (colours.length < 100) colours.push(readColour(value) ?? colours.at(-1));
        } else if (part !== '') runs.push({ text: part, italic, colour: colours.at(-1) });
      }
    }
  }
  return runs;
}
