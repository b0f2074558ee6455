/**
 * Reads caption files that the program wrote, line by line and strictly: anything but the form that every player reads
 * is an error. Shares no code with the program.
 */
import type { Shown } from './published-faults.ts';

const BLOCK = /^(\d+)\n([\d:.,]+) --> ([\d:.,]+)(?: (?:line|align):\S+)*\n([^]+)$/;

const seconds = (time: string, separator: string): number => {
  const [, hours, minutes, rest] =
    new RegExp(`^(\\d\\d):([0-5]\\d):([0-5]\\d\\${separator}\\d{3})$`).exec(time) ?? [];
  if (rest === undefined) throw new Error(`${time} is not a time`);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest.replace(',', '.'));
};

/** The blocks of a file, numbered from 1, each with one blank line after it. */
function blocksOf(text: string, separator: string): { start: number; end: number; text: string }[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new Error('the file does not end with a line break');
  return text
    .slice(0, -1)
    .split('\n\n')
    .map((block, at) => {
      const [, index, start, end, lines] = BLOCK.exec(block) ?? [];
      if (lines === undefined || Number(index) !== at + 1) throw new Error(`no caption: ${block}`);
      return { start: seconds(start!, separator), end: seconds(end!, separator), text: lines };
    });
}

/** The captions of an SRT file, without italics. */
export const readSrtFile = (file: string): Shown[] =>
  blocksOf(file, ',').map(({ start, end, text }) => ({
    start,
    end,
    lines: text.replaceAll(/<\/?i>/g, '').split('\n'),
  }));

/** The captions of a WebVTT file with their voices, without italics. */
export function readVttFile(file: string): Shown[] {
  const [head, ...rest] = file.split('\n\n');
  if (head?.trimEnd() !== 'WEBVTT') throw new Error('a WebVTT file begins with WEBVTT');
  return blocksOf(rest.join('\n\n'), '.').map(({ start, end, text }) => {
    let speaker = '';
    const read = text.split('\n').map((line) => {
      const [, voice] = /^<v ([^>]*)>/.exec(line) ?? [];
      if (voice !== undefined) speaker = voice;
      const said = { text: plainVtt(line), speaker };
      if (line.endsWith('</v>')) speaker = '';
      return said;
    });
    return {
      start,
      end,
      lines: read.map((line) => line.text),
      speakers: read.map((line) => line.speaker),
    };
  });
}

const plainVtt = (line: string): string =>
  line
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('\u2060', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
