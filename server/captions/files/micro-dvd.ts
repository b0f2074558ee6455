/** Reads and writes MicroDVD, whose times are numbers of frames: `{0}{25}one|two`. */
import type { Caption } from '../cue.ts';
import { frameAt, frameRateOf, secondsAtFrame } from '../timestamps.ts';
import { readColour } from './colours.ts';
import { hidesWords } from './missing-text.ts';
import {
  type CaptionFileOptions,
  colouredRuns,
  cueOfRuns,
  fileLines,
  type LookRun,
  type Reading,
  type ReadCue,
  type ReadRun,
  WHITE,
} from './portable-captions.ts';

/** The frame rate of a file that does not say: that of the films for which the format was made. */
const DEFAULT_RATE = 23.976;

/** Writes captions as a MicroDVD document, whose first line names the frame rate. */
export function toMicroDvd(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const { frameRate = DEFAULT_RATE, firstFrame = 0, lost = () => {} } = options;
  const { rate } = frameRateOf(frameRate);
  const lines = cues.map((cue, at) => {
    const [start, end] = [frameAt(cue.start, rate), frameAt(cue.end, rate)];
    const runs = colouredRuns(cue);
    const what = [
      ...(runs.some((line) => differ(line, ({ italic }) => italic)) ? ['italics'] : []),
      ...(runs.some((line) => differ(line, ({ colour = WHITE }) => colour)) ? ['colours'] : []),
    ];
    if (what.length > 0) {
      const message = `Its ${what.join(' and ')} of single words are lost: a line has one look.`;
      lost({ cue: at + 1, message });
    }
    const text = runs.map(lineOf).join('|');
    return `{${start + firstFrame}}{${Math.max(start + 1, end) + firstFrame}}${text}\n`;
  });
  return `{1}{1}${frameRate}\n${lines.join('')}`;
}

/** Whether the words of a line differ in something. */
const differ = (runs: readonly LookRun[], of: (run: LookRun) => unknown): boolean =>
  new Set(runs.filter(({ text }) => text.trim() !== '').map(of)).size > 1;

/** A line with its look, which the format has only for whole lines, and without its signs. */
function lineOf(runs: readonly LookRun[]): string {
  const text = runs
    .map((run) => run.text.replaceAll('|', '¦').replaceAll('{', '(').replaceAll('}', ')'))
    .join('');
  const [{ colour = WHITE }] = runs as [LookRun];
  const isItalic = runs.every(({ italic }) => italic);
  const isColoured = colour !== WHITE && runs.every((run) => run.colour === colour);
  const bgr = `${colour.slice(5)}${colour.slice(3, 5)}${colour.slice(1, 3)}`;
  return `${isItalic ? '{y:i}' : ''}${isColoured ? `{c:$${bgr}}` : ''}${text}`;
}

const CAPTION = /^\s*\{(\d{1,9})\}\{(\d{0,9})\}(.*)$/;

/** Matches the place of frames within a line: the end of the line above is missing. */
const INSIDE = /(?<=\S)(?=\{\d{1,9}\}\{\d{1,9}\})(?<!\})/;

/** Matches blocks of styles, colours, fonts, sizes, places and code pages. */
const BLOCK = /^\{(?:y:[ibus,]*|c:\$[\da-f]{6}|f:[\w .-]+|s:\d+|[phob]:[\d, -]*)\}$/i;

/** A caption without an end lasts this many seconds. */
const OPEN = 3;

/** Reads a MicroDVD document: a caption in each line. */
export function readMicroDvd(
  document: string,
  { unread = () => {}, details, frameRate }: Reading = {},
): ReadCue[] {
  const cues: ReadCue[] = [];
  let said = frameRate ?? DEFAULT_RATE;
  const numbered = fileLines(document).flatMap((line, at) =>
    line.split(INSIDE).map((part) => [at, part] as const),
  );
  for (const [at, line] of numbered) {
    if (line.trim() === '') continue;
    const [whole, from = '', to = '', text = ''] = CAPTION.exec(line) ?? [];
    if (whole === undefined) {
      unread({ line: at + 1, text: line, reason: 'its frames cannot be read' });
      continue;
    }
    const named = Number(text.trim().replace(',', '.'));
    if (cues.length === 0 && Number(from) <= 1 && Number(to) <= 1 && named >= 1 && named <= 240) {
      if (frameRate === undefined) said = named;
      continue;
    }
    const { rate } = frameRateOf(said);
    const start = secondsAtFrame(Number(from), rate);
    const end = to === '' ? start + OPEN : secondsAtFrame(Number(to), rate);
    const cue = cueOfRuns(start, end, linesOf(text));
    cues.push(cue);
    const blocks = text.match(/\{[A-Za-z]:[^{}]*\}/g) ?? [];
    if (blocks.some((block) => !BLOCK.test(block) && hidesWords(block.slice(3), cue))) {
      unread({ line: at + 1, text: line, reason: 'a part of it is in blocks that are not known' });
    }
  }
  details?.({ frameRate: said });
  return cues;
}

/** Lines with the look of their blocks: `{y:i}` and `{c:$…}` for a line, `{Y:i}` and `{C:$…}` for all after it. */
function linesOf(text: string): ReadRun[][] {
  let [allItalic, allColour] = [false, WHITE];
  return text.split('|').map((line) => {
    let [italic, colour] = [allItalic, allColour];
    // A slash before a line is that of players for italics.
    const plain = line
      .replace(/^\//, () => ((italic = true), ''))
      .replace(/\{([A-Za-z]):([^{}]*)\}/g, (_, tag: string, value: string) => {
        if (/^y$/i.test(tag)) italic = /i/i.test(value);
        const [, bgr] = /^\$([\da-f]{6})$/i.exec(value) ?? [];
        if (/^c$/i.test(tag) && bgr) {
          colour = readColour(`#${bgr.slice(4)}${bgr.slice(2, 4)}${bgr.slice(0, 2)}`) ?? colour;
        }
        if (tag === 'Y') allItalic = italic;
        if (tag === 'C') allColour = colour;
        return '';
      });
    return [{ text: plain, italic, colour }];
  });
}
