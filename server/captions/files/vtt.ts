/** Reads WebVTT exactly as its recommendation says (https://www.w3.org/TR/webvtt1/), and writes it. */
import { decodeHTML } from 'entities/decode';
import { formatTimestamp } from '../timestamps.ts';
import type { Caption, Placement, Row } from '../cue.ts';
import { EIGHT_COLOURS, nearestColour } from './colours.ts';
import { lineInDirection } from './direction.ts';
import { hidesWords } from './missing-text.ts';
import {
  cueOfRuns,
  fileLines,
  placementOf,
  type CaptionFileOptions,
  type LookRun,
  type Reading,
  type ReadCue,
  type ReadRun,
  spokenLines,
  WHITE,
} from './portable-captions.ts';

/**
 * Writes captions as a WebVTT document. Speakers become voices, `<v Ada>`; a position is written with the two settings
 * that browsers follow, `line` and `align`.
 * @throws {RangeError} for a time before the beginning
 * @example
 * toVtt([{ start: 0, end: 1.5, lines: ['Hello'] }]);
 * // => 'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nHello\n'
 */
export const toVtt = (
  cues: readonly Caption[],
  { language = '' }: Pick<CaptionFileOptions, 'language'> = {},
): string =>
  `WEBVTT\n${cues
    .map(
      (cue, at) =>
        `\n${at + 1}\n${formatTimestamp(cue.start, '.')} --> ${formatTimestamp(cue.end, '.')}${settingsOf(cue)}\n${textOf(cue, language)}\n`,
    )
    .join('')}`;

const textOf = (cue: Caption, language: string): string =>
  spokenLines(cue, ['colours', 'ruby', 'words'])
    .map(({ speaker, lines }) => {
      const text = lines
        .map((runs) => lineInDirection(runs.map((run) => runOf(run, cue)).join(''), runs, language))
        .join('\n');
      return speaker === '' ? text : `<v ${withoutMarkup(speaker)}>${text}</v>`;
    })
    .join('\n');

function runOf({ text, italic, colour, reading, starts }: LookRun, { start }: Caption): string {
  const base = escape(text);
  const read = reading ? `<ruby>${base}<rt>${escape(reading)}</rt></ruby>` : base;
  const shown = italic ? `<i>${read}</i>` : read;
  const coloured = colour && colour !== WHITE ? `<c.${nearestColour(colour)}>${shown}</c>` : shown;
  // A time must be within those of its cue.
  const isLater = starts !== undefined && Math.round((starts - start) * 1000) > 0;
  return isLater ? `<${formatTimestamp(starts, '.')}>${coloured}` : coloured;
}

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

/** The rows of text in a picture, in which browsers count the `line` of a cue. */
const ROWS = 15;

function settingsOf({ placement: { vertical, align } = {}, row, columns }: Caption): string {
  const line = columns
    ? ` vertical:rl${columns === 'right' ? ' line:0' : ''}`
    : row
      ? ` line:${row.of === ROWS ? row.first - 1 : `${Math.round(((row.first - 1) / row.of) * 10_000) / 100}%`}`
      : vertical === 'top'
        ? ' line:0'
        : vertical === 'middle'
          ? ' line:50%'
          : '';
  return `${line}${align ? ` align:${align}` : ''}`;
}

/** A cue as the recommendation reads it. */
interface VttCue {
  /** The line of its times, from 1. */
  line: number;
  /** What stands above its times. */
  name: string;
  start: number;
  end: number;
  settings: string;
  /** Its text with its markup. */
  text: string;
}

/** What lines of a file without captions are. */
type Block = VttCue | { region: string } | null;

/** The lines of a document while they are collected into blocks. */
interface Lines {
  lines: readonly string[];
  /** The next line. */
  at: number;
  unread: NonNullable<Reading['unread']>;
}

/**
 * Reads the cues of a WebVTT document with their italics, colours, voices and positions. What is no cue by the
 * recommendation is reported, except for notes, styles, regions and the header.
 * @example
 * readVtt('WEBVTT\n\n00:00.000 --> 00:01.500\nHello\n');
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export function readVtt(document: string, { unread = () => {} }: Reading = {}): ReadCue[] {
  const lines = withPoints(fileLines(document.replaceAll('\u0000', '\ufffd')));
  const from: Lines = { lines, at: 0, unread };
  const isBlank = () => from.at < lines.length && lines[from.at] === '';
  const skipBlank = () => {
    while (isBlank()) from.at += 1;
  };
  skipBlank();
  from.at += 1;
  if (from.at < lines.length && !isBlank()) collectBlock(from, true);
  skipBlank();
  const found: VttCue[] = [];
  const regions = new Map<string, Row>();
  while (from.at < lines.length) {
    const block = collectBlock(from, false);
    if (block && 'region' in block) addRegion(block.region, regions);
    else if (block) found.push(block);
    skipBlank();
  }
  // Where others have numbers or nothing, a name with letters is a text that is not where it should be.
  const named = found.filter(({ name }) => /\p{L}{2}/u.test(name));
  if (named.length * 2 < found.length) {
    for (const { line, name } of named) {
      unread({ line: line - 1, text: name, reason: 'it stands above the times of a caption' });
    }
  }
  return found.map(({ line, start, end, settings, text }) => {
    const { placement, row, columns } = readSettings(settings, regions);
    const cue = cueOfRuns(start, end, runsOf(text), placement);
    // A reading is none of the text around it.
    const plain = () => decodeHTML(text.replaceAll(/<\/?rt>/g, ' ').replaceAll(KNOWN_TAGS, ''));
    if (text.includes('<') && hidesWords(plain(), cue)) {
      unread({ line: line + 1, text, reason: 'a part of it is in tags that are not known' });
    }
    return { ...cue, ...(row && { row }), ...(columns && { columns }) };
  });
}

/** The lines of a file whose times all have the commas of SRT, with full stops instead; otherwise as they are. */
function withPoints(lines: readonly string[]): readonly string[] {
  const arrows = lines.filter((line) => line.includes('-->'));
  if (arrows.length === 0 || !arrows.every((line) => COMMAS.test(line))) return lines;
  return lines.map((line) => line.replace(COMMAS, '$1.$2.$3'));
}

const COMMAS = /^([ \t]*[\d:]+),(\d{3}[ \t]*-->[ \t]*[\d:]+),(\d{3})(?!\d)/;

/** The recommendation's “collect a WebVTT block”; reports its lines if they are neither a cue nor a known block. */
function collectBlock(from: Lines, isHeader: boolean): Block {
  const first = from.at;
  let buffer: string[] = [];
  let cue: VttCue | null = null;
  let seenArrow = false;
  let kind = '';
  for (let count = 1; from.at < from.lines.length; count += 1) {
    const line = from.lines[from.at]!;
    if (line.includes('-->')) {
      if (isHeader || !(count === 1 || (count === 2 && !seenArrow))) break;
      seenArrow = true;
      cue = readTimes(line);
      if (cue) {
        cue.line = from.at + 1;
        cue.name = buffer[0] ?? '';
        buffer = [];
        const rest = cue.settings.split(/[ \t\f]+/).filter((each) => each !== '');
        if (rest.some((each) => !SETTINGS.has(each.slice(0, Math.max(0, each.indexOf(':')))))) {
          from.unread({ line: from.at + 1, text: cue.settings, reason: 'it is no setting' });
        }
      }
    } else if (line === '') break;
    else {
      if (!isHeader && count === 2 && !cue) [, kind = ''] = BLOCK.exec(buffer[0] ?? '') ?? [];
      buffer.push(line);
    }
    from.at += 1;
  }
  if (cue) {
    cue.text = withoutNextIndex(buffer, from).join('\n');
    return cue;
  }
  if (kind === 'REGION') return { region: buffer.slice(1).join(' ') };
  if (isHeader) {
    for (const [at, text] of buffer.entries()) {
      if (!/[:=]/.test(text)) {
        from.unread({ line: first + at + 1, text, reason: 'there are no times above it' });
      }
    }
    return null;
  }
  if (kind === 'STYLE' || /^NOTE(?:[ \t]|$)/.test(from.lines[first]!)) return null;
  for (let at = first; at < from.at; at += 1) {
    const text = from.lines[at]!;
    const reason = text.includes('-->')
      ? 'its times are not those of WebVTT'
      : seenArrow
        ? 'its caption has no valid times'
        : 'there are no times above it';
    from.unread({ line: at + 1, text, reason });
  }
  return null;
}

/**
 * Without the number of the next caption, where a file has no blank lines between captions.
 */
const withoutNextIndex = (lines: readonly string[], { lines: all, at }: Lines): readonly string[] =>
  lines.length > 1 && /^\d+$/.test(lines.at(-1)!) && all[at]?.includes('-->')
    ? lines.slice(0, -1)
    : lines;

const BLOCK = /^(STYLE|REGION)[ \t\n\f]*$/;

/** The settings of cues. */
const SETTINGS = new Set(['vertical', 'line', 'position', 'size', 'align', 'region']);

/** Two times, with hours of any length or without hours. */
const TIMES =
  /^[ \t\f]*(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t\f]*-->[ \t\f]*(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})(?!\d)/;

/** The times and settings of a line; null if they are invalid. */
function readTimes(line: string): VttCue | null {
  const match = TIMES.exec(line);
  if (!match) return null;
  const start = secondsOf(match.slice(1, 5));
  const end = secondsOf(match.slice(5, 9));
  if (start === null || end === null) return null;
  return { line: 0, name: '', start, end, settings: line.slice(match[0].length), text: '' };
}

function secondsOf([hours = '0', minutes, seconds, ms]: readonly (string | undefined)[]):
  | number
  | null {
  const [m, s] = [Number(minutes), Number(seconds)];
  if (m > 59 || s > 59) return null;
  return (Number(hours) * 3_600_000 + m * 60_000 + s * 1000 + Number(ms)) / 1000;
}

/** Adds a region with its place: that of its anchor in the picture. */
function addRegion(source: string, regions: Map<string, Row>): void {
  const settings = new Map(
    source.split(/[ \t\n\f]+/).flatMap((each): [string, string][] => {
      const at = each.indexOf(':');
      return at > 0 && at < each.length - 1 ? [[each.slice(0, at), each.slice(at + 1)]] : [];
    }),
  );
  const id = settings.get('id');
  if (id === undefined || id.includes('-->')) return;
  const [, y = '100%'] = (settings.get('viewportanchor') ?? '').split(',');
  regions.set(id, { first: Math.floor(percentOf(y) ?? 100) + 1, of: 100 });
}

/** A percentage from 0 to 100; null for anything else. */
function percentOf(text: string): number | null {
  const [, number] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  return number !== undefined && Number(number) <= 100 ? Number(number) : null;
}

/** The position in the settings of a cue; a `line` in the top third of the picture means the top. */
function readSettings(
  source: string,
  regions: ReadonlyMap<string, Row>,
): Pick<Caption, 'row' | 'columns'> & { placement: Placement } {
  let share = 1;
  let row: Row | undefined;
  let growing = '';
  let align: 'start' | 'center' | 'end' = 'center';
  for (const setting of source.split(/[ \t\f]+/)) {
    const at = setting.indexOf(':');
    if (at < 1 || at === setting.length - 1) continue;
    const [name, value] = [setting.slice(0, at), setting.slice(at + 1)];
    if (name === 'line') {
      const line = readLine(value);
      if (!line) continue;
      ({ share } = line);
      row = line.row;
    } else if (name === 'vertical') {
      if (value === 'rl' || value === 'lr') growing = value;
    } else if (name === 'region') {
      const anchor = regions.get(value);
      if (anchor) share = (anchor.first - 1) / anchor.of;
    } else if (name === 'align') {
      if (value === 'start' || value === 'left') align = 'start';
      else if (value === 'end' || value === 'right') align = 'end';
      else if (value === 'center') align = 'center';
    }
  }
  if (growing !== '') {
    const columns = share < 1 / 2 === (growing === 'rl') ? 'right' : 'left';
    return { placement: placementOf('bottom', align), columns };
  }
  const vertical = share < 1 / 3 ? 'top' : share < 2 / 3 ? 'middle' : 'bottom';
  return { placement: placementOf(vertical, align), ...(row && { row }) };
}

/** The height that a `line` means, from 0 at the top to 1, and the row, unless it is simply the top or the middle. */
function readLine(value: string): { share: number; row?: Row } | null {
  const [position = '', edge] = value.split(',');
  if (edge !== undefined && !['start', 'center', 'end'].includes(edge)) return null;
  if (position.endsWith('%')) {
    const percent = percentOf(position);
    if (percent === null) return null;
    const exact = edge === undefined && percent !== 50;
    return {
      share: percent / 100,
      ...(exact && { row: { first: Math.round(percent) + 1, of: 100 } }),
    };
  }
  if (!/^-?\d+(?:\.\d+)?$/.test(position)) return null;
  const line = Number(position);
  if (line < 0) return { share: line <= -ROWS + 1 ? 0 : (ROWS + line) / ROWS };
  const first = Math.floor(line) + 1;
  return {
    share: Math.min(1, line / ROWS),
    ...(line > 0 && first <= ROWS && { row: { first, of: ROWS } }),
  };
}

/** Matches a tag up to its end or the end of the text, or anything up to the next tag. */
const PARTS = /<([^>]*)>?|[^<]+/g;
/** Elements that may begin anywhere; `rt` only directly in `ruby`. */
const ELEMENTS = new Set(['c', 'i', 'b', 'u', 'ruby', 'v', 'lang']);

/** An element that is open in the text of a cue. */
interface OpenElement {
  name: string;
  italic: boolean;
  speaker: string;
  colour: string | undefined;
}

/** Matches the time of what follows in the text of a cue. */
const TIME = /^(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;

/** The lines of a cue's text, each in runs with one look. Elements nest as the recommendation says. */
function runsOf(source: string): ReadRun[][] {
  const lines: ReadRun[][] = [[]];
  let starts: number | undefined;
  /** The characters that a reading may follow. */
  let base: ReadRun | undefined;
  const open: OpenElement[] = [{ name: '', italic: false, speaker: '', colour: undefined }];
  for (const [part, tag] of source.matchAll(PARTS)) {
    const inner = open.at(-1)!;
    if (tag === undefined) {
      const { italic, speaker, colour } = inner;
      const shown = decodeHTML(part).replaceAll('\u2060', '');
      if (base && open.some(({ name }) => name === 'rt')) {
        base.reading = (base.reading ?? '') + shown.replaceAll('\n', ' ');
        continue;
      }
      for (const [at, text] of shown.split('\n').entries()) {
        if (at > 0) lines.push([]);
        if (text === '') continue;
        const run: ReadRun = { text, italic, speaker, colour, starts };
        if (text.trim() !== '') starts = undefined;
        if (open.some(({ name }) => name === 'ruby')) base = run;
        lines.at(-1)!.push(run);
      }
      continue;
    }
    const time = TIME.exec(tag);
    if (time) {
      starts = secondsOf(time.slice(1)) ?? undefined;
      continue;
    }
    if (tag.startsWith('/')) {
      const name = tag.slice(1);
      if (name === inner.name && open.length > 1) open.pop();
      else if (name === 'ruby' && inner.name === 'rt') open.splice(-2);
      if (name === 'ruby') base = undefined;
      continue;
    }
    const [, name = '', classes = '', annotation = ''] =
      /^([^\s.]*)((?:\.[^\s.]*)*)(?:\s([\s\S]*))?$/.exec(tag) ?? [];
    // Too deep to be meant; what is inside keeps the look around it.
    if (open.length > DEEPEST) continue;
    if (!ELEMENTS.has(name) && !(name === 'rt' && inner.name === 'ruby')) continue;
    const named = classes.split('.').findLast((each) => Object.hasOwn(EIGHT_COLOURS, each));
    open.push({
      name,
      italic: inner.italic || name === 'i',
      speaker: name === 'v' ? decodeHTML(annotation).replace(/\s+/g, ' ').trim() : inner.speaker,
      colour: named === undefined ? inner.colour : EIGHT_COLOURS[named],
    });
  }
  return lines;
}

const DEEPEST = 100;

/** Matches tags without words that are no part of them. */
const KNOWN_TAGS =
  /<\/?(?:[cibuv]|ruby|rt|lang)(?:\.[^\s<>]*)?>|<v(?:\.[^\s<>]*)?(?=\s)|<lang [\w-]*>|<[\d:.]*>/g;
