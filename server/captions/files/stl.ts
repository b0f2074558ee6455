/**
 * Reads and writes EBU-STL (EBU Tech 3264), binary files of blocks that broadcasters exchange: of subtitles that are part
 * of the picture (“open”), and of teletext.
 */
import { baseOf } from '../language-tag.ts';
import type { Caption, Row } from '../cue.ts';
import { frameAt, secondsAtFrame } from '../timestamps.ts';
import { fieldsOfFrame, type FrameCount, frameCountOf, frameOfFields } from '../time-code.ts';
import { EIGHT_COLOURS, nearestColour } from './colours.ts';
import { overheard, reportMissing } from './missing-text.ts';
import {
  type CaptionFileOptions,
  colouredRuns,
  cueOfRuns,
  type LookRun,
  placementOf,
  type Reading,
  type ReadCue,
  type ReadRun,
  WHITE,
} from './portable-captions.ts';
import { type CharacterTable, decodeStl, encodeStl, tableFor } from './stl-characters.ts';

/** The lengths of the block that describes the file, of each block with text, and of the text in it. */
const [HEAD, BLOCK, TEXT] = [1024, 128, 112];
/** The rows of a teletext page that hold subtitles. */
const ROWS = 23;

/** The frame rates by the code of a file; the last three are no part of the standard, but many programs know them. */
const RATES: Readonly<Record<string, number>> = {
  'STL25.01': 25,
  'STL30.01': 29.97,
  'STL24.01': 24,
  'STL23.01': 23.976,
  'STL50.01': 50,
};

/** Time code of 29.97 frames a second drops numbers, so that it keeps up with the clock, as that of broadcasters does. */
const DROPS = true;

/** The languages from number 1, and from number 69. */
const LANGUAGES =
  'sq br ca hr cy cs da de en es eo et eu fo fr fy ga gd gl is it se la lv lb lt hu mt nl no oc pl pt ro rm sr sk sl fi sv tr nl wa'.split(
    ' ',
  );
const MORE_LANGUAGES =
  'zu vi uz ur uk te tt ta tg sw srn so si sn sh - ru qu ps pa fa pap or ne nd mr mo ms mg mk lo ko km kk kn ja id hi he ha gn gu el ka ff prs cv zh my bg bn be bm az as hy ar am'.split(
    ' ',
  );
const FIRST_OF_MORE = 0x45;

function languageOfCode(code: string): string {
  const number = Number.parseInt(code, 16);
  const language =
    number >= FIRST_OF_MORE ? MORE_LANGUAGES[number - FIRST_OF_MORE] : LANGUAGES[number - 1];
  return language === undefined || language === '-' ? '' : language;
}

function codeOfLanguage(tag: string): string {
  const language = baseOf(tag);
  const first = LANGUAGES.indexOf(language === 'nb' || language === 'nn' ? 'no' : language) + 1;
  const more = language === '' ? -1 : MORE_LANGUAGES.indexOf(language);
  const number = first > 0 ? first : more < 0 ? 0 : more + FIRST_OF_MORE;
  return number.toString(16).toUpperCase().padStart(2, '0');
}

/** What the head of a file says. */
interface Head {
  count: FrameCount;
  isTeletext: boolean;
  table: string;
  language: string;
  rows: number;
}

/** A subtitle of one or more blocks. */
interface Subtitle {
  /** Which part of a set that grows it is: 0 for none, 1 for the first, 2 between, 3 for the last. */
  cumulative: number;
  start: number;
  end: number;
  lines: ReadRun[][];
  row: Row;
  placement: NonNullable<Caption['placement']>;
}

/**
 * Reads an EBU-STL file with its italics, colours, rows and alignment. A subtitle that begins before the one above it is
 * over waits for it, as only one can be shown. Comments are no captions.
 * @param given its bytes, a character each
 * @throws {SyntaxError} if it is shorter than its head
 */
export function readStl(given: string, reading: Reading = {}): ReadCue[] {
  if (given.length < HEAD) throw new SyntaxError('Not EBU-STL: it ends within its head.');
  const document = withWholeHead(given);
  if (document !== given) {
    const what = document.length > given.length ? 'are missing' : 'are too many';
    const reason = `bytes of its head ${what}: its rate, rows and language may be others`;
    reading.unread?.({ line: 0, text: '', reason });
  }
  const head = readHead(document, reading);
  const heard = overheard(reading.unread);
  const { unread } = heard;
  const textIn = (sent: readonly number[]): string =>
    decodeStl(
      sent.map((byte) => (isPrintable(byte) ? byte : SPACE)),
      head.table,
      head.language,
    ).trim();
  const subtitles: Subtitle[] = [];
  let bytes: number[] = [];
  let lastEnd = 0;
  let isOrdered = (document.length - HEAD) % BLOCK === 0;
  let number = -1;
  for (let at = HEAD, line = 1; at < document.length; at += BLOCK, line += 1) {
    const block = Array.from(document.slice(at, at + BLOCK), (each) => each.charCodeAt(0) & 0xff);
    const extension = block[3]!;
    if (block.length < BLOCK) {
      const text = textIn([...bytes, ...block.slice(BLOCK - TEXT)]);
      unread({ line, text, reason: 'its block is not complete' });
      bytes = [];
      break;
    }
    const own = block[1]! + block[2]! * 256;
    isOrdered &&= (number < 0 || own === number || own === number + 1) && isBlock(block);
    number = own;
    // Data of the program that wrote the file.
    if (extension > 0xef && extension < 0xff) continue;
    const used = withoutUnused(block.slice(BLOCK - TEXT));
    bytes.push(...used);
    const after = textIn(block.slice(BLOCK - TEXT + used.length));
    if (/\p{L}{2}/u.test(after)) {
      unread({ line, text: after, reason: 'it is after the end of its text' });
    }
    if (extension !== 0xff) continue;
    const sent = bytes;
    bytes = [];
    const text = () => textIn(sent);
    if (block[15] === 1) {
      unread({ line, text: text(), reason: 'it is a comment' });
      continue;
    }
    const [from, to] = [
      timeOf(block.slice(5, 9), head.count),
      timeOf(block.slice(9, 13), head.count),
    ];
    const start = from === null || block[4] !== 0 ? from : Math.max(from, lastEnd);
    if (start === null || to === null || to <= start) {
      const reason =
        from === null || to === null || to <= from
          ? 'its times cannot be read'
          : 'it is over before the subtitle above it';
      unread({ line, text: text(), reason });
      continue;
    }
    lastEnd = to;
    subtitles.push({ ...lookOf(block, sent, head), cumulative: block[4]!, start, end: to });
  }
  if (bytes.length > 0) {
    const line = Math.floor((document.length - HEAD) / BLOCK);
    unread({ line, text: textIn(bytes), reason: 'the last subtitle is not complete' });
  }
  const cues = withSets(subtitles, head.count.rate);
  if (!isOrdered) {
    // Bytes are missing, too many or elsewhere, so that what follows is not where it should be.
    const texts: { line: number; bytes: number[]; isOpen: boolean }[] = [];
    for (const [at, character] of Array.from(document.slice(HEAD)).entries()) {
      const byte = character.charCodeAt(0) & 0xff;
      const line = Math.floor(at / BLOCK) + 1;
      const last = texts.at(-1);
      // A word may go on in the next block.
      if (last && (last.line === line || (isPrintable(byte) && byte !== SPACE && last.isOpen))) {
        last.bytes.push(byte);
        last.isOpen = isPrintable(byte) && byte !== SPACE;
      } else texts.push({ line, bytes: [byte], isOpen: false });
    }
    reportMissing(
      texts.map(({ line, bytes: all }) => ({ line, text: textIn(all) })),
      cues,
      heard,
    );
  }
  return cues;
}

/** The most bytes that a head lacks, or has too many. */
const MOST_SHIFTED = 4;
/** The fields of a head in which bytes may be missing: its codes, its titles, and what follows. */
const FIELDS = [0, 3, 10, 12, 16, 236, 255, 264];

/** A file with a head of its length, if the blocks after it show that bytes of it are missing, or too many. */
function withWholeHead(document: string): string {
  if (areBlocks(document, HEAD)) return document;
  for (let shift = 1; shift <= MOST_SHIFTED; shift += 1) {
    for (const more of [-shift, shift]) {
      if (!areBlocks(document, HEAD + more)) continue;
      const mended = FIELDS.map((at) =>
        more < 0
          ? document.slice(0, at) + ' '.repeat(shift) + document.slice(at)
          : document.slice(0, at) + document.slice(at + shift),
      );
      return mended.find(hasFields) ?? mended[FIELDS.indexOf(16)]!;
    }
  }
  return document;
}

/** Whether a file has nothing but blocks from a place on, as far as the first ones show. */
function areBlocks(document: string, from: number): boolean {
  if (document.length === from || (document.length - from) % BLOCK !== 0) return false;
  return Array.from({ length: Math.min(5, (document.length - from) / BLOCK) }, (_, at) =>
    Array.from(document.slice(from + at * BLOCK, from + (at + 1) * BLOCK), (each) =>
      each.charCodeAt(0),
    ),
  ).every((block) => isBlock(block));
}

/** Whether the fields of a head that are read have their signs. */
const hasFields = (head: string): boolean =>
  /^[\d ]{3}STL\d\d\.\d\d[\d ]{3}[\dA-F ]{2}/.test(head) &&
  /^\d\d$/.test(head.slice(253, 255)) &&
  /^\d{8}$/.test(head.slice(256, 264));

function readHead(document: string, { details, frameRate }: Reading): Head {
  const rate = frameRate ?? RATES[document.slice(3, 11)] ?? 25;
  const count = frameCountOf(rate, DROPS);
  const language = languageOfCode(document.slice(14, 16));
  const begins = /^(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(document.slice(256, 264));
  const firstFrame = begins
    ? frameOfFields(begins.slice(1).map(Number) as [number, number, number, number], count)
    : 0;
  details?.({ frameRate: rate, firstFrame, ...(language !== '' && { language }) });
  const display = document[11];
  const isTeletext = display === '1' || display === '2';
  const rows = Number(document.slice(253, 255));
  return {
    count,
    isTeletext,
    table: document.slice(12, 14),
    language,
    rows: isTeletext || !(rows > 0) ? ROWS : rows,
  };
}

/** Whether bytes have the fields of a block in their places. */
function isBlock([, , , extension = 0, cumulative = 9, ...rest]: readonly number[]): boolean {
  const [hours = 99, minutes = 99, seconds = 99, , ...times] = rest;
  const [justified = 9, comment = 9] = rest.slice(9);
  if (extension > 0xef && extension < 0xff) return true;
  const isTime = [hours, minutes, seconds, ...times.slice(0, 3)].every((field) => field < 60);
  return cumulative < 4 && isTime && justified < 4 && comment < 2;
}

/** Without the bytes that fill a block. */
function withoutUnused(bytes: readonly number[]): readonly number[] {
  const end = bytes.indexOf(0x8f);
  return end < 0 ? bytes : bytes.slice(0, end);
}

const isPrintable = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || (byte >= 0xa0 && byte <= 0xff);

/** The frame of four bytes of time code; null if they are none. */
function timeOf(fields: readonly number[], count: FrameCount): number | null {
  const [hours, minutes, seconds, frames] = fields as [number, number, number, number];
  if (hours > 23 || minutes > 59 || seconds > 59 || frames >= count.nominal) return null;
  return frameOfFields([hours, minutes, seconds, frames], count);
}

function lookOf(
  block: readonly number[],
  bytes: readonly number[],
  { isTeletext, table, language, rows }: Head,
): Omit<Subtitle, 'cumulative' | 'start' | 'end'> {
  const [vertical, justified] = [block[13]!, block[14]!];
  const first = Math.min(rows, Math.max(1, vertical));
  return {
    lines: linesOf(bytes, isTeletext, (text) => decodeStl(text, table, language)),
    row: { first, of: rows },
    placement: placementOf(
      first < Math.floor(rows / 2) ? 'top' : 'bottom',
      justified === 1 ? 'start' : justified === 3 ? 'end' : 'center',
    ),
  };
}

/** The colours of teletext by their control codes. */
const COLOURS = ['black', 'red', 'lime', 'yellow', 'blue', 'magenta', 'cyan', 'white'].map(
  (name) => EIGHT_COLOURS[name]!,
);

/** The lines of a text with control codes. In teletext a code takes the place of a space. */
function linesOf(
  bytes: readonly number[],
  isTeletext: boolean,
  decode: (bytes: readonly number[]) => string,
): ReadRun[][] {
  const lines: ReadRun[][] = [[]];
  let italic = false;
  let colour = WHITE;
  let printed: number[] = [];
  let isApart = false;
  const say = () => {
    if (printed.length === 0) return;
    lines.at(-1)!.push({ text: decode(printed), italic, colour });
    printed = [];
  };
  for (const [at, sent] of bytes.entries()) {
    const isBesideCode = bytes[at + 1] === ITALIC || bytes[at - 1] === UPRIGHT;
    const byte = sent === HARD_SPACE && isBesideCode ? SPACE : sent;
    if (byte === 0x8a) {
      say();
      lines.push([]);
      isApart = false;
      if (isTeletext) [italic, colour] = [false, WHITE];
      continue;
    }
    if (byte > 0x20 && isPrintable(byte)) {
      if (isApart && (printed.length > 0 || lines.at(-1)!.length > 0)) printed.push(0x20);
      isApart = false;
      printed.push(byte);
      continue;
    }
    isApart ||= byte === 0x20 || isTeletext || byte < 0x20;
    if (byte === 0x20) continue;
    say();
    if (byte < COLOURS.length) colour = COLOURS[byte]!;
    else if (byte === ITALIC || byte === UPRIGHT) italic = byte === ITALIC;
  }
  say();
  return lines;
}

/** The captions of subtitles; those of a set that grows are shown with the parts before them. */
function withSets(subtitles: readonly Subtitle[], rate: number): ReadCue[] {
  const cues: ReadCue[] = [];
  let set: Subtitle[] = [];
  const add = (from: number, to: number, parts: readonly Subtitle[]) => {
    const [{ placement, row }] = parts as [Subtitle];
    const lines = parts.flatMap((part) => part.lines);
    const cue = cueOfRuns(secondsAtFrame(from, rate), secondsAtFrame(to, rate), lines, placement);
    cues.push({ ...cue, row });
  };
  const end = () => {
    const edges = [...new Set(set.flatMap((part) => [part.start, part.end]))].sort((a, b) => a - b);
    for (const [at, from] of edges.slice(0, -1).entries()) {
      const to = edges[at + 1]!;
      const shown = set.filter((part) => part.start <= from && part.end >= to);
      if (shown.length > 0) add(from, to, shown);
    }
    set = [];
  };
  for (const subtitle of subtitles) {
    if (subtitle.cumulative < 2) end();
    if (subtitle.cumulative === 0) add(subtitle.start, subtitle.end, [subtitle]);
    else set.push(subtitle);
    if (subtitle.cumulative === 3) end();
  }
  end();
  return cues;
}

/** The codes of italics, and the spaces beside them. */
const [ITALIC, UPRIGHT, SPACE, HARD_SPACE] = [0x80, 0x81, 0x20, 0xa0];

/** The most characters of a teletext row beside its control codes, and of a row of open subtitles. */
const [TELETEXT_COLUMNS, OPEN_COLUMNS] = [37, 42];
/** The bytes of a subtitle that nearly every program reads: more blocks may follow the first, up to this many. */
const MOST_BLOCKS = 16;

/** Writes captions as an EBU-STL file of open subtitles. */
export const toStl = (cues: readonly Caption[], options: CaptionFileOptions = {}): Uint8Array =>
  written(cues, options, false);

/** Writes captions as an EBU-STL file of teletext subtitles of double height. */
export const toTeletextStl = (
  cues: readonly Caption[],
  options: CaptionFileOptions = {},
): Uint8Array => written(cues, options, true);

function written(
  cues: readonly Caption[],
  options: CaptionFileOptions,
  isTeletext: boolean,
): Uint8Array {
  const { frameRate = 25, firstFrame = 0, lost = () => {}, language = '' } = options;
  const code = codeOfRate(frameRate, lost);
  const count = frameCountOf(RATES[code]!, options.dropFrame ?? DROPS);
  if (frameCountOf(RATES[code]!, DROPS).dropped !== count.dropped) {
    const message =
      'EBU-STL does not say that no numbers are dropped: most programs count as if they were.';
    lost({ cue: 0, message });
  }
  const table = tableFor(cues.flatMap(({ lines }) => lines).join(''));
  const blocks: Uint8Array[] = [];
  let number = 0;
  for (const [at, cue] of cues.entries()) {
    const say = (message: string) => lost({ cue: at + 1, message });
    const start = frameAt(cue.start, count.rate) + firstFrame;
    const end = Math.max(start + 1, frameAt(cue.end, count.rate) + firstFrame);
    if (fieldsOfFrame(end, count)[0] > 23) {
      say('It is not written: the time code of EBU-STL ends at 23:59:59.');
      continue;
    }
    const lines = colouredRuns(cue);
    const rows = lines.map((runs) => rowOf(runs, table, isTeletext, say));
    blocks.push(...blocksOf({ number, start, end, rows, cue, isTeletext }, count, say));
    number += 1;
  }
  const file = new Uint8Array(HEAD + blocks.length * BLOCK);
  file.set(headOf({ code, isTeletext, table, language, firstFrame, count, number, blocks }));
  for (const [at, block] of blocks.entries()) file.set(block, HEAD + at * BLOCK);
  return file;
}

function codeOfRate(frameRate: number, lost: NonNullable<CaptionFileOptions['lost']>): string {
  const { nominal, rate } = frameCountOf(frameRate);
  const code = Object.keys(RATES).find(
    (each) =>
      frameCountOf(RATES[each]!).nominal === nominal &&
      Math.abs(frameCountOf(RATES[each]!).rate - rate) < 0.02,
  );
  if (code !== undefined) {
    if (nominal !== 25 && nominal !== 30) {
      const message = `EBU-STL is defined for 25 and 30 frames a second; not every program reads ${code}.`;
      lost({ cue: 0, message });
    }
    return code;
  }
  const instead = nominal === 30 || nominal === 60 ? 'STL30.01' : 'STL25.01';
  lost({
    cue: 0,
    message: `EBU-STL has no ${frameRate} frames a second: times are those of ${RATES[instead]} frames a second.`,
  });
  return instead;
}

/** The bytes of a row with their control codes. */
function rowOf(
  runs: readonly LookRun[],
  table: CharacterTable,
  isTeletext: boolean,
  say: (message: string) => void,
): number[] {
  const row: number[] = [];
  const missing: string[] = [];
  let colour = WHITE;
  let printed = 0;
  for (const run of runs) {
    const wanted = run.colour ?? WHITE;
    const found = encodeStl(run.text, table);
    let { bytes } = found;
    missing.push(...found.missing);
    if (isTeletext && wanted !== colour) {
      const number = Object.keys(EIGHT_COLOURS).indexOf(nearestColour(wanted));
      // The code takes the place of a space.
      if (bytes[0] === 0x20) bytes = bytes.slice(1);
      else if (row.at(-1) === 0x20) row.pop();
      else if (printed > 0) say('A colour that begins within a word gets a space before it.');
      row.push(number);
      colour = wanted;
    }
    if (!isTeletext && run.italic) {
      if (row.at(-1) === SPACE) row[row.length - 1] = HARD_SPACE;
      row.push(ITALIC, ...bytes, UPRIGHT);
    } else {
      // Some readers drop a space beside a code.
      if (row.at(-1) === UPRIGHT && bytes[0] === SPACE) bytes = [HARD_SPACE, ...bytes.slice(1)];
      row.push(...bytes);
    }
    printed += bytes.length;
  }
  if (missing.length > 0) {
    say(`EBU-STL has no ${[...new Set(missing)].join(' ')}: question marks are written instead.`);
  }
  const most = isTeletext ? TELETEXT_COLUMNS : OPEN_COLUMNS;
  const length = isTeletext ? row.length : printed;
  if (length > most) say(`A row of ${length} characters is longer than the ${most} that fit.`);
  return isTeletext ? [0x0d, 0x0b, 0x0b, ...row, 0x0a, 0x0a] : row;
}

interface WrittenSubtitle {
  number: number;
  start: number;
  end: number;
  rows: readonly number[][];
  cue: Caption;
  isTeletext: boolean;
}

function blocksOf(
  { number, start, end, rows, cue, isTeletext }: WrittenSubtitle,
  count: FrameCount,
  say: (message: string) => void,
): Uint8Array[] {
  const lineBreak = isTeletext ? [0x8a, 0x8a] : [0x8a];
  let text = rows.flatMap((row, at) => (at === 0 ? row : [...lineBreak, ...row]));
  if (text.length > TEXT * MOST_BLOCKS) {
    say('Its text is longer than EBU-STL holds, and is cut off.');
    text = text.slice(0, TEXT * MOST_BLOCKS);
  }
  const parts = Math.max(1, Math.ceil(text.length / TEXT));
  return Array.from({ length: parts }, (_, part) => {
    const block = new Uint8Array(BLOCK).fill(0x8f);
    const isLast = part === parts - 1;
    block.set([0, number & 0xff, (number >> 8) & 0xff, isLast ? 0xff : part, 0]);
    block.set(fieldsOfFrame(start, count), 5);
    block.set(fieldsOfFrame(end, count), 9);
    const align = cue.placement?.align;
    const justified = align === 'start' ? 1 : align === 'end' ? 3 : 2;
    block.set([verticalOf(cue, rows.length, isTeletext), justified, 0], 13);
    block.set(text.slice(part * TEXT, (part + 1) * TEXT), BLOCK - TEXT);
    return block;
  });
}

/** The row of the first line: that of the caption, or such that the last line is the lowest. */
function verticalOf({ row, placement }: Caption, lines: number, isTeletext: boolean): number {
  const height = isTeletext ? 2 : 1;
  const lowest = Math.max(1, ROWS - 1 - (lines - 1) * height);
  if (row) {
    const first = row.of === ROWS ? row.first : Math.round(((row.first - 1) / row.of) * ROWS) + 1;
    return Math.min(lowest + 1, Math.max(1, first));
  }
  if (placement?.vertical === 'top') return 1 + (isTeletext ? 1 : 0);
  return placement?.vertical === 'middle'
    ? Math.max(1, Math.round((ROWS - lines * height) / 2))
    : lowest;
}

interface HeadFields {
  code: string;
  isTeletext: boolean;
  table: CharacterTable;
  language: string;
  firstFrame: number;
  count: FrameCount;
  number: number;
  blocks: readonly Uint8Array[];
}

function headOf(fields: HeadFields): Uint8Array {
  const { code, isTeletext, table, language, firstFrame, count, number, blocks } = fields;
  const head = new Uint8Array(HEAD).fill(0x20);
  const put = (at: number, text: string) =>
    head.set(
      Array.from(text, (each) => each.charCodeAt(0)),
      at,
    );
  const digits = (value: number, length: number) =>
    String(value).padStart(length, '0').slice(-length);
  const code4 = (frame: number) =>
    fieldsOfFrame(frame, count)
      .map((field) => digits(field, 2))
      .join('');
  const today = new Date().toISOString().slice(2, 10).replaceAll('-', '');
  put(0, '850');
  put(3, code);
  put(11, isTeletext ? '1' : '0');
  put(12, table + codeOfLanguage(language));
  put(224, today + today + '00');
  put(238, digits(blocks.length, 5) + digits(number, 5) + '001');
  put(251, '40' + String(ROWS));
  put(255, '1');
  const first = blocks[0];
  put(256, code4(firstFrame));
  put(
    264,
    first ? Array.from(first.slice(5, 9), (field) => digits(field, 2)).join('') : code4(firstFrame),
  );
  put(272, '11');
  return head;
}
