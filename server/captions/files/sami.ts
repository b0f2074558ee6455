/** Reads and writes SAMI, the HTML-like captions of Windows Media: each `SYNC` lasts until the next one. */
import { decodeHTML } from 'entities/decode';
import type { Caption } from '../cue.ts';
import { readColour } from './colours.ts';
import { overheard, reportMissing } from './missing-text.ts';
import {
  type CaptionFileOptions,
  colouredRuns,
  cueOfRuns,
  type Reading,
  type ReadCue,
  type ReadRun,
  WHITE,
} from './portable-captions.ts';

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Writes captions as a SAMI document. */
export function toSami(
  cues: readonly Caption[],
  { language = '' }: CaptionFileOptions = {},
): string {
  const tag = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/.test(language) ? language : 'en';
  const sync = (seconds: number, text: string) =>
    `<SYNC Start=${Math.round(seconds * 1000)}><P Class=CAPTIONS>${text}\n`;
  const body = cues.map((cue, at) => {
    const text = colouredRuns(cue)
      .map((runs) =>
        runs
          .map(({ text: plain, italic, colour }) => {
            const shown = italic ? `<i>${escape(plain)}</i>` : escape(plain);
            return colour && colour !== WHITE ? `<font color="${colour}">${shown}</font>` : shown;
          })
          .join(''),
      )
      .join('<br>');
    const next = cues[at + 1];
    const clears = next && next.start <= cue.end ? '' : sync(cue.end, '&nbsp;');
    return sync(cue.start, text) + clears;
  });
  return `<SAMI>\n<HEAD>\n<STYLE TYPE="text/css">\n<!--\nP { text-align: center; color: white; }\n.CAPTIONS { Name: Captions; lang: ${tag}; SAMIType: CC; }\n-->\n</STYLE>\n</HEAD>\n<BODY>\n${body.join('')}</BODY>\n</SAMI>\n`;
}

/** Matches the edge of a comment, a tag, also one without its end, or text. */
const PARTS =
  /<!--|-->|<(\/?)([A-Za-z]+)((?:[^A-Za-z<>][^<>]*)?)>|<(\/?)(sync|p|br|font)((?:[ /][^<>]*)?)(?=<)|[^<-]+|[<-]/gi;

/** Matches the tags that people use, without anything that could be text. */
const PLAIN_TAGS =
  /<!--|-->|<\/?(?:sync|p|br|i|em|b|u|s|font|span|div|center|strong|body|head|sami|ruby|rt|rb)(?: ?[\w-]{1,20} ?= ?(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]{1,40}))* ?\/?>/gi;

/** The last caption of a file lasts this many seconds. */
const LAST = 5;

/** A text of one class that begins at a time. */
interface Sync {
  start: number;
  line: number;
  lines: ReadRun[][];
}

const textOf = ({ lines }: Sync): string =>
  lines
    .map((runs) => runs.map((run) => run.text).join(''))
    .join(' ')
    .trim();

/** The texts of a document's body, as they are written. */
function textsIn(document: string): { line: number; text: string }[] {
  const from = Math.max(0, document.search(/<(?:body|sync)\b/i));
  const before = document.slice(0, from).split('\n').length;
  return document
    .slice(from)
    .split('\n')
    .map((line, at) => ({
      line: before + at,
      text: decodeHTML(line.replaceAll(/\s/g, ' ').replaceAll(PLAIN_TAGS, '')),
    }));
}

/** Reads a SAMI document: the captions of its first class; those of others are reported. */
export function readSami(document: string, reading: Reading = {}): ReadCue[] {
  const heard = overheard(reading.unread);
  const { unread } = heard;
  const byClass = new Map<string, Sync[]>();
  let [start, line] = [Number.NaN, 1];
  let isBody = false;
  let isComment = false;
  let isAbout = false;
  let sync: Sync | null = null;
  /** Begins the text of a class; what it has at the same time already goes on in a new line. */
  const begun = (named: string, at: number): Sync => {
    const all = byClass.get(named) ?? [];
    byClass.set(named, all);
    const last = all.at(-1);
    if (last && last.start === start) {
      last.lines.push([]);
      return last;
    }
    const begins = { start, line: at, lines: [[]] };
    all.push(begins);
    return begins;
  };
  let italics = 0;
  const colours: string[] = [];
  for (const [part, ...fields] of document.matchAll(PARTS)) {
    const closes = fields[0] ?? fields[3] ?? '';
    const tag = fields[1] ?? fields[4] ?? '';
    const attributes = fields[2] ?? fields[5] ?? '';
    const at = line;
    if (part === '<!--') isComment = true;
    for (let n = part.indexOf('\n'); n >= 0; n = part.indexOf('\n', n + 1)) line += 1;
    if (isComment) {
      isComment = part !== '-->';
      continue;
    }
    const name = tag.toLowerCase();
    if (name === 'body') isBody = true;
    else if (name === 'sync' && !closes) {
      isBody = true;
      const [, value] = /start\s*=\s*["']?(-?\d+)/i.exec(attributes) ?? [];
      start = value === undefined ? Number.NaN : Math.max(0, Number(value) / 1000);
      sync = null;
    } else if (name === 'p' && !closes) {
      const [, named = ''] = /class\s*=\s*["']?([\w-]+)/i.exec(attributes) ?? [];
      sync = begun(named.toLowerCase(), at);
      italics = 0;
      colours.length = 0;
    } else if (name === 'br') sync?.lines.push([]);
    else if (name === 'i' || name === 'em') italics = Math.max(0, italics + (closes ? -1 : 1));
    else if (name === 'font') {
      const [, value = ''] = /color\s*=\s*["']?([^"'\s]*)/i.exec(attributes) ?? [];
      if (closes) colours.pop();
      else if (colours.length < 100) colours.push(readColour(value) ?? colours.at(-1) ?? WHITE);
    } else if (name === 'title' || name === 'style' || name === 'samiparam') {
      isAbout = closes === '';
    } else if (name === '' && (isBody || !isAbout)) {
      // White space between elements is none of the text.
      const text = decodeHTML(part).replace(/[ \t\r\n]+/g, ' ');
      // Some files have no paragraphs.
      if (part.trim() !== '' && !Number.isNaN(start)) sync ??= begun('', at);
      if (sync) sync.lines.at(-1)!.push({ text, italic: italics > 0, colour: colours.at(-1) });
      else if (text.trim() !== '')
        unread({ line: at, text: part.trim(), reason: 'it has no time' });
    }
  }
  const [first = [], ...others] = [...byClass.values()];
  for (const each of others.flat()) {
    const reason = 'it is of another language than the first';
    if (textOf(each) !== '') unread({ line: each.line, text: textOf(each), reason });
  }
  const read = first.filter((each) => {
    if (!Number.isNaN(each.start)) return true;
    unread({ line: each.line, text: textOf(each), reason: 'its time cannot be read' });
    return false;
  });
  const sorted = read.toSorted((one, other) => one.start - other.start);
  const cues = sorted.flatMap((each, at) => {
    const next = sorted[at + 1];
    const cue = cueOfRuns(each.start, next?.start ?? each.start + LAST, each.lines);
    return cue.lines.length === 0 ? [] : [cue];
  });
  reportMissing(textsIn(document), cues, heard);
  return cues;
}
