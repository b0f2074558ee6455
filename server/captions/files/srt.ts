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
import { hidesWords, withoutTags } from './missing-text.ts';
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
const OTHER_TAGS = /<\/?(?:b|u|s|c)(?:[\s.=][^<>]*)?>/gi;
/** Matches the tags without anything that could be text, and the start of one with a colour, a size or a font. */
const PLAIN_TAGS =
  /<\/?(?:[biusvc]|c\.[\w.]+|font)>|<font(?= )|(?:color|size|face) ?= ?(?:"[^"<>]*"|'[^'<>]*'|[#\w]+)/gi;
/** Matches a block that players take for markup: those of ASS, and MicroDVD's such as `{y:i}`. Others are text. */
const isMarkup = (block: string): boolean => /^\{(?:\\|[a-z]:)/i.test(block);

/** A caption while its lines are read. */
interface Begun {
  start: number;
  /** Null if the file does not say. */
  end: number | null;
  /** The first line of its text, from 0. */
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
export function readSrt(
  document: string,
  { unread = () => {}, frameRate: said }: Reading = {},
): ReadCue[] {
  const lines = fileLines(document);
  const inFrames = lines.filter((line) => IN_FRAMES.test(line));
  const frameRate = said ?? (inFrames.some((line) => OF_THIRTY.test(line)) ? 30 : 25);
  if (inFrames.length > 0 && said === undefined) {
    const reason = `its times have frames, which are read as ${frameRate} a second`;
    unread({ line: 0, text: '', reason });
  }
  const cues: Begun[] = [];
  /** Why the lines that follow belong to no caption; empty if they do. */
  let lost = 'there are no times above it';
  /** The number of the last caption. */
  let index = Number.NaN;
  const report = (line: number, reason: string) =>
    unread({ line: line + 1, text: lines[line]!, reason });
  for (const [at, line] of lines.entries()) {
    const times = timesOf(line, frameRate);
    if (times === undefined) {
      // The next number without times below it: what follows is none of the caption before it.
      const isNext = isIndex(line) && Number(line) === index + 1 && !isIndexOf(lines, at);
      if (lost === '' && isNext && lines[at - 1]?.trim() === '' && filledAfter(lines, at)) {
        lost = 'there are no times above it';
        index += 1;
      } else if (lost === '') cues.at(-1)!.lines.push(line);
      else if (line.trim() !== '' && !isIndexOf(lines, at)) report(at, lost);
      continue;
    }
    let above = at - 1;
    while (above > 0 && lines[above]!.trim() === '') above -= 1;
    if (isIndex(lines[above] ?? '')) {
      index = Number(lines[above]);
      if (lost === '') cues.at(-1)!.lines.splice(above - at);
    }
    if (times === null) {
      report(at, 'its times cannot be read');
      lost = 'its caption has no times that can be read';
    } else if (times.end !== null && times.end <= 0 && times.start < 0) {
      report(at, 'it is over before the recording begins');
      lost = 'its caption is over before the recording begins';
    } else {
      const { start, text } = times;
      const isBack = times.end !== null && times.end < start;
      if (isBack) report(at, 'it ends before it begins: it is shown until the next');
      const end = isBack ? null : times.end;
      const own = text === undefined ? [] : [text];
      cues.push({ start: Math.max(0, start), end, line: at + 1 - own.length, lines: own });
      lost = '';
    }
  }
  return cues.map(({ start, end, line, lines: own }, at) => {
    const next = cues[at + 1]?.start ?? Number.POSITIVE_INFINITY;
    const until = next > start ? Math.min(next, start + LONGEST_OPEN) : start + LONGEST_OPEN;
    const shown = own.filter((line) => line.trim() !== '');
    const { lines: read, placement } = readOverrides(runsOf(shown), isMarkup);
    const cue = cueOfRuns(start, end ?? until, read, placement);
    for (const [n, each] of own.entries()) {
      if (MARKS.test(each) && hidesWords(withoutMarks(each), cue)) {
        report(line + n, 'a part of it is in markup that is not known');
      }
    }
    return cue;
  });
}

/** Matches what begins markup. */
const MARKS = /[<{]/;

/** A line without its markup, except for what is unknown in it. */
const withoutMarks = (line: string): string =>
  line
    .replaceAll(PLAIN_TAGS, '')
    .replaceAll(/\{\\[^{}]*\}/g, withoutTags)
    .replaceAll(/\{[a-z]:[^{}]{0,12}\}/gi, '');

const isIndex = (line: string): boolean => /^\s*\d+\s*$/.test(line);

/** Matches a line of times whose last digits are frames, and frames that there are only at 30 a second. */
const IN_FRAMES = /^\s{0,9}\d{1,3}:\d\d:\d\d:\d\d\s{0,9}-/;
const OF_THIRTY = /:\d\d:\d\d:2[5-9](?!\d)/;

/** Whether a line is the number above the times of a caption. */
const isIndexOf = (lines: readonly string[], at: number): boolean =>
  isIndex(lines[at]!) && timesOf(filledAfter(lines, at)) !== undefined;

/** The next line that is not blank, among the two that follow. */
const filledAfter = (lines: readonly string[], at: number): string =>
  lines.slice(at + 1, at + 3).find((line) => line.trim() !== '') ?? '';

/** Matches what stands between two times: an arrow of dashes. */
const ARROW = /[-=]{1,9} ?>|[–—]{1,3} ?>/;
/** Matches the number of a caption in the line of its times. */
const NUMBER_BEFORE = /^\d{1,6}[.)]?\s{1,9}(?=\d{1,3}:\d\d:\d\d)/;
/** Matches the marks of direction and of byte order. */
const INVISIBLE = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** Matches two clocks with anything short between them, but for the arrow that we write in texts. */
const BROKEN = /^\s?[\d:.,]{7,13}[^\p{L}→]{1,8}[\d:.,]{7,13}\s?$/u;
/** Matches what may follow the times: a coordinate, as in `X1:40`, or a setting of WebVTT. */
const SETTING = /^[A-Za-z]+\d?:/;
/** Matches the beginning of a time with hours, even one that cannot be read. */
const CLOCK = /^[-−]?\s?\d\w*\s?[:：]\s?\w+\s?[:：]\s?\w/;

/**
 * The times of a line; null if it means times but they cannot be read, undefined if it is text: an arrow in a sentence, or
 * between numbers.
 */
function timesOf(
  given: string,
  frameRate?: number,
): { start: number; end: number | null; text?: string } | null | undefined {
  const line = given.replace(INVISIBLE, '');
  const arrow = ARROW.exec(line);
  // An arrow that is damaged, between what were times.
  if (!arrow) return BROKEN.test(line) ? null : undefined;
  const before = line
    .slice(0, arrow.index)
    .replace(/^[\s[]+/, '')
    .replace(NUMBER_BEFORE, '')
    .trim();
  const after = line
    .slice(arrow.index + arrow[0].length)
    .replace(/^>+/, '')
    .trim();
  const [to = ''] = /^[-−]?\s?\d[\d\s:：.,，;；]*/.exec(after) ?? [];
  const start = readLooseTime(before, frameRate);
  const end = readLooseTime(to, frameRate);
  const rest = after.slice(to.length).split(/\s+/);
  const isWhole = rest.every((each) => each === '' || SETTING.test(each));
  if (start !== null && end !== null && isWhole) return { start, end };
  // Some programs write the text beside its times; without hours, they are spoken of.
  if (start !== null && end !== null && CLOCK.test(before) && CLOCK.test(to)) {
    return { start, end, text: after.slice(to.length).replace(/^\]/, '') };
  }
  if (start !== null && after === '') return { start, end: null };
  return CLOCK.test(before) || CLOCK.test(after) ? null : undefined;
}

/** The parts of lines with one look: italics whose tags have partners, colours, and the voices of WebVTT. */
function runsOf(lines: readonly string[]): ReadRun[] {
  const runs: ReadRun[] = [];
  let speaker = '';
  const colours: (string | undefined)[] = [];
  for (const [at, line] of italicRuns(
    lines.map((each) => each.replace(OTHER_TAGS, '')),
  ).entries()) {
    if (at > 0) runs.push({ text: '\n' });
    for (const { text, italic } of line) {
      for (const part of text.split(/(<\/?(?:font|v)(?:[\s.=][^<>]*)?>)/i)) {
        const [, voice] = /^<v(?:\.[^\s>]*)?(?: ([^<>]*))?>$/i.exec(part) ?? [];
        if (/^<\/?v\b/i.test(part)) speaker = voice?.trim() ?? '';
        else if (/^<\/font/i.test(part)) colours.pop();
        else if (/^<font[\s=>][^<>]*>?$/i.test(part)) {
          const [, value = ''] = /color\s*=\s*["']?([^"'>]*)/i.exec(part) ?? [];
          // More than people nest; the rest keeps the colour around it.
          if (colours.length < 100) colours.push(readColour(value) ?? colours.at(-1));
        } else if (part !== '') runs.push({ text: part, italic, colour: colours.at(-1), speaker });
      }
    }
  }
  return runs;
}
