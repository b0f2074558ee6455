/** Reads and writes WebVTT (https://www.w3.org/TR/webvtt1/). */
import { formatTimestamp, parseTimestamp } from '../timestamps.ts';
import type { Caption, Placement } from '../cue.ts';
import {
  placementOf,
  readCue,
  type ReadCue,
  type ReadLine,
  spokenLines,
} from './portable-captions.ts';

/**
 * Writes captions as a WebVTT document. Speakers become voices, `<v Ada>`; a position is written with the two settings
 * that browsers follow, `line` and `align`.
 * @throws {RangeError} past 99:59:59,999
 * @example
 * toVtt([{ start: 0, end: 1.5, lines: ['Hello'] }]);
 * // => 'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nHello\n'
 */
export const toVtt = (cues: readonly Caption[]): string =>
  `WEBVTT\n${cues
    .map(
      (cue, at) =>
        `\n${at + 1}\n${formatTimestamp(cue.start, '.')} --> ${formatTimestamp(cue.end, '.')}${settingsOf(cue.placement)}\n${textOf(cue)}\n`,
    )
    .join('')}`;

const textOf = (cue: Caption): string =>
  spokenLines(cue)
    .map(({ speaker, lines }) => {
      const text = lines
        .map((runs) =>
          runs
            .map(({ text, italic }) => (italic ? `<i>${escape(text)}</i>` : escape(text)))
            .join(''),
        )
        .join('\n');
      return speaker === '' ? text : `<v ${withoutMarkup(speaker)}>${text}</v>`;
    })
    .join('\n');

/**
 * Escapes characters that would begin a tag or an entity. FFmpeg passes backslashes on to libass, for which `\N` is a
 * line break, so an invisible word joiner separates the two characters.
 */
const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\\(?=[Nnh])/g, '\\\u2060');

/**
 * Replaces the markup characters of a name with look-alikes, because FFmpeg shows the rest of a name that contains an
 * entity.
 */
const withoutMarkup = (name: string): string =>
  name.replaceAll('&', '＆').replaceAll('<', '‹').replaceAll('>', '›');

function settingsOf({ vertical, align }: Placement = {}): string {
  const line = vertical === 'top' ? ' line:0' : vertical === 'middle' ? ' line:50%' : '';
  return `${line}${align ? ` align:${align}` : ''}`;
}

/**
 * Reads the cues of a WebVTT document with their italics, voices and positions. Ignores notes, styles, regions and
 * other tags.
 * @example
 * readVtt('WEBVTT\n\n00:00.000 --> 00:01.500\nHello\n');
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export function readVtt(document: string): ReadCue[] {
  const blocks = document
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n\n+/);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) return [];
    const [from = '', rest = ''] = lines[at]!.split('-->');
    const [to = '', ...settings] = rest.trim().split(/\s+/);
    const [start, end] = [parseTimestamp(from), parseTimestamp(to)];
    if (start === null || end === null) return [];
    const text = lines.slice(at + 1).filter((line) => line.trim() !== '');
    const read = readVttText(text.join('\n').replaceAll('\u2060', ''));
    return [readCue(start, end, read, readSettings(settings))];
  });
}

/** The position in the settings of a cue; a `line` in the top half of the picture means the top. */
function readSettings(settings: readonly string[]): Placement {
  let vertical: 'top' | 'middle' | 'bottom' = 'bottom';
  let align: 'start' | 'center' | 'end' = 'center';
  for (const setting of settings) {
    const [name = '', value = ''] = setting.split(':');
    if (name === 'line') vertical = verticalOf(value.split(',')[0]!);
    if (name !== 'align') continue;
    if (value === 'start' || value === 'left') align = 'start';
    if (value === 'end' || value === 'right') align = 'end';
  }
  return placementOf(vertical, align);
}

/** The rows of text in a picture, in which browsers count the `line` of a cue. */
const ROWS = 15;

function verticalOf(line: string): 'top' | 'middle' | 'bottom' {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(line);
  const share = percent ? Number(percent[1]) / 100 : /^\d+$/.test(line) ? Number(line) / ROWS : 1;
  return share < 1 / 3 ? 'top' : share < 2 / 3 ? 'middle' : 'bottom';
}

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

/** Matches a tag up to its end or the end of the text, an entity, a line break, or anything else. */
const PARTS = /<([^>]*)>?|(&(?:\w+|#\d{1,7}|#x[\da-f]{1,6});)|(\n)|[^<&\n]+|&/gi;

/**
 * Reads the text of a cue. Italics keep their tags, voices become the speakers of their lines, and other tags are
 * removed but not their text. An unknown entity stays as it is.
 */
function readVttText(text: string): ReadLine[] {
  if (text === '') return [];
  const lines: ReadLine[] = [{ text: '', speaker: '' }];
  let voice = '';
  let italics = 0;
  const say = (part: string) => {
    const line = lines.at(-1)!;
    if (line.text === '') line.speaker = voice;
    line.text += part;
  };
  for (const [part, tag, entity, lineBreak] of text.matchAll(PARTS)) {
    if (lineBreak) {
      lines.push({ text: '', speaker: voice });
    } else if (tag === undefined) {
      const plain = entity ? readEntity(entity) : part;
      say(italics > 0 ? `<i>${plain}</i>` : plain);
    } else if (/^v[.\s]/i.test(tag)) {
      voice = nameOf(tag);
    } else if (/^\/v$/i.test(tag)) voice = '';
    else if (/^i(?:[.\s]|$)/i.test(tag)) italics += 1;
    else if (/^\/i$/i.test(tag)) italics = Math.max(0, italics - 1);
  }
  return lines;
}

/** The name in `v.loud Ada`. */
const nameOf = (tag: string): string =>
  tag
    .replace(/^\S+/, '')
    .replace(/&(?:\w+|#\d{1,7}|#x[\da-f]{1,6});/gi, readEntity)
    .replace(/\s+/g, ' ')
    .trim();

/** The character that an entity stands for; an unknown entity is returned as it is. */
function readEntity(entity: string): string {
  const [, name, decimal, hex] = /^&(?:(\w+)|#(\d+)|#x([\da-f]+));$/i.exec(entity) ?? [];
  if (name) return ENTITIES[name] ?? entity;
  const code = decimal ? Number(decimal) : Number.parseInt(hex!, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
}
