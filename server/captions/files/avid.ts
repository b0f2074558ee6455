/** Reads and writes the captions of Avid Media Composer (“Avid DS”): time code and lines, between two marks. */
import type { Caption } from '../cue.ts';
import { frameAt, secondsAtFrame } from '../timestamps.ts';
import { frameCountOf, frameOfTimeCode, timeCodeOf } from '../time-code.ts';
import {
  type CaptionFileOptions,
  cueOfRuns,
  fileLines,
  type Reading,
  type ReadCue,
  writableLines,
} from './portable-captions.ts';

const [BEGIN, END] = ['<begin subtitles>', '<end subtitles>'];

/** Writes captions as an Avid DS document. */
export function toAvid(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const { frameRate = 25, dropFrame = false, firstFrame = 0 } = options;
  const count = frameCountOf(frameRate, dropFrame);
  const body = cues.map((cue) => {
    const start = frameAt(cue.start, count.rate) + firstFrame;
    const end = Math.max(start + 1, frameAt(cue.end, count.rate) + firstFrame);
    const lines = writableLines(cue.lines).map((line) =>
      line.startsWith('<') ? ` ${line}` : line,
    );
    return `${timeCodeOf(start, count)} ${timeCodeOf(end, count)}\n${lines.join('\n')}\n`;
  });
  return `@ This file written with the Avid Caption plugin, version 1\n\n${BEGIN}\n\n${body.map((each) => `${each}\n`).join('')}${END}\n`;
}

/** Reads an Avid DS document. */
export function readAvid(
  document: string,
  { unread = () => {}, details, frameRate = 25 }: Reading = {},
): ReadCue[] {
  const found: { start: number; end: number; lines: string[] }[] = [];
  /** Whether the lines that follow belong to the last caption: until a blank one. */
  let isOpen = false;
  let dropFrame = false;
  for (const [at, line] of fileLines(document).entries()) {
    const plain = line.trim();
    if (plain === '') isOpen &&= found.at(-1)!.lines.length === 0;
    if (plain === '' || plain.startsWith('@ This file written')) continue;
    if (plain === BEGIN || plain === END) continue;
    const [, from, to] = /^(\d\d:\d\d:\d\d[:;]\d\d)\s+(\d\d:\d\d:\d\d[:;]\d\d)$/.exec(plain) ?? [];
    if (from === undefined || to === undefined) {
      const isBroken = /^\S{0,3}:?\S\S:\S\S[:;]?\S*\s+\S\S?:?\S\S:\S\S/.test(plain);
      isOpen &&= !isBroken;
      const reason = isBroken ? 'its time code cannot be read' : 'there are no times above it';
      if (isOpen) found.at(-1)!.lines.push(plain);
      else unread({ line: at + 1, text: line, reason });
      continue;
    }
    isOpen = true;
    dropFrame ||= from.includes(';');
    const count = frameCountOf(frameRate, dropFrame);
    const [start, end] = [frameOfTimeCode(from, count), frameOfTimeCode(to, count)];
    if (start === null || end === null) {
      unread({
        line: at + 1,
        text: line,
        reason: `its time code is not one of ${frameRate} frames`,
      });
      isOpen = false;
    } else {
      const { rate } = count;
      found.push({ start: secondsAtFrame(start, rate), end: secondsAtFrame(end, rate), lines: [] });
    }
  }
  details?.({ frameRate, dropFrame });
  return found.map(({ start, end, lines }) =>
    cueOfRuns(
      start,
      end,
      lines.map((text) => [{ text }]),
    ),
  );
}
