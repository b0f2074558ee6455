/**
 * Reads and writes SCC (Scenarist Closed Captions): the words of CEA-608 with the time code at which they are sent, two
 * bytes in each frame of 29.97 a second.
 */
import type { Caption } from '../cue.ts';
import { frameAt, secondsAtFrame } from '../timestamps.ts';
import { frameCountOf, frameOfTimeCode, timeCodeOf } from '../time-code.ts';
import {
  characterOf,
  COLOURS_608,
  COLUMNS_608,
  encode608,
  readRowCode,
  rowCode,
  ROWS_608,
  wideCharacterOf,
  withParity,
} from './cea608.ts';
import { EIGHT_COLOURS, nearestColour } from './colours.ts';
import { overheard, reportMissing } from './missing-text.ts';
import {
  type CaptionFileOptions,
  colouredRuns,
  cueOfRuns,
  fileLines,
  type LookRun,
  placementOf,
  type Reading,
  type ReadCue,
  type ReadRun,
  WHITE,
} from './portable-captions.ts';

/** Frames a second of every SCC file. */
const RATE = 29.97;

/** A character on the screen. */
interface Cell {
  character: string;
  colour: string;
  italic: boolean;
}

/** The rows of a screen, by their numbers from 1. */
type Screen = Map<number, (Cell | undefined)[]>;

/** The state of a decoder of channel 1. */
interface Decoder {
  mode: 'pop' | 'roll' | 'paint';
  /** The rows that roll up. */
  depth: number;
  shown: Screen;
  hidden: Screen;
  row: number;
  column: number;
  colour: string;
  italic: boolean;
  /** The frame since which the screen has been as it is. */
  since: number;
}

/**
 * Reads an SCC document as a decoder shows it: captions that pop on, that are painted, and that roll up, whose rows are
 * captions once each. Only the first channel is read; words of others are reported.
 */
export function readScc(document: string, { unread: report, details }: Reading = {}): ReadCue[] {
  const heard = overheard(report);
  const { unread } = heard;
  const sent: { line: number; text: string }[] = [];
  const cues: ReadCue[] = [];
  const decoder: Decoder = {
    mode: 'pop',
    depth: 2,
    shown: new Map(),
    hidden: new Map(),
    row: ROWS_608,
    column: 0,
    colour: WHITE,
    italic: false,
    since: 0,
  };
  const lines = fileLines(document);
  let last = 0;
  let isDropped = false;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || /^\s*Scenarist_SCC/.test(line)) continue;
    const [time = '', ...words] = line.trim().split(/\s+/);
    isDropped = /[;.,]\d+$/.test(time);
    const start = frameOfTimeCode(time, frameCountOf(RATE, isDropped));
    if (start === null || words.some((word) => !/^[\da-f]{4}$/i.test(word))) {
      const text = plainText(words) || line;
      unread({ line: at + 1, text, reason: 'its time code or its words cannot be read' });
      continue;
    }
    sent.push({ line: at + 1, text: plainText(words) });
    let before = -1;
    let isOther = false;
    for (const [n, word] of words.entries()) {
      const value = Number.parseInt(word, 16) & 0x7f7f;
      const [first, second] = [value >> 8, value & 0x7f];
      last = start + n;
      // Codes are sent twice; the second is not meant.
      if (first >= 0x10 && first < 0x20 && value === before) {
        before = -1;
        continue;
      }
      before = value;
      if (first >= 0x18 && first < 0x20) isOther = true;
      else if (first >= 0x10 && first < 0x20) isOther = false;
      if (!isOther) decode(decoder, first, second, last, cues);
    }
    if (isOther) {
      const text = plainText(words) || line;
      unread({ line: at + 1, text, reason: 'it is of another channel than the first' });
    }
  }
  show(decoder, last + Math.round(RATE * LAST_SECONDS), cues);
  details?.({ frameRate: RATE, dropFrame: isDropped });
  reportMissing(sent, cues, heard);
  return cues;
}

/** The code that takes back a character. */
const BACKSPACE = 0x1421;

/** The characters of words, with a space for each code. */
function plainText(words: readonly string[]): string {
  let text = '';
  let before = -1;
  for (const word of words) {
    const value = Number.parseInt(word, 16) & 0x7f7f;
    const [first, second] = [value >> 8, value & 0x7f];
    const isCode = first >= 0x10 && first < 0x20;
    if (isCode && value === before) {
      before = -1;
      continue;
    }
    before = value;
    const wide = wideCharacterOf(first, second);
    if (value === BACKSPACE) text = text.slice(0, -1);
    else if (wide) text = (wide.replaces ? text.slice(0, -1) : text) + wide.character;
    else if (isCode) text += ' ';
    else text += [first, second].map((byte) => (byte >= 0x20 ? characterOf(byte) : '')).join('');
  }
  return text.replaceAll(/ +/g, ' ').trim();
}

/** Decoders write what goes past a row over its end; here it stays text, up to this column. */
const LAST_COLUMN = 255;
/** How long the last caption stays if nothing clears it, in seconds. */
const LAST_SECONDS = 10;

/** Adds the captions that have been on the screen until a frame. */
function show(decoder: Decoder, until: number, cues: ReadCue[]): void {
  const { shown, since, mode } = decoder;
  decoder.since = until;
  const rows = [...shown.keys()]
    .sort((a, b) => a - b)
    .filter((row) => runsOf(shown.get(row)!).length > 0);
  if (rows.length === 0 || until <= since) return;
  // Rows that roll up have been captions already, except for the lowest.
  const own = mode === 'roll' ? rows.slice(-1) : rows;
  const rate = frameCountOf(RATE).rate;
  const cells = own.map((row) => shown.get(row)!);
  const cue = cueOfRuns(
    secondsAtFrame(since, rate),
    secondsAtFrame(until, rate),
    cells.map(runsOf),
    placementOf(own[0]! <= 5 ? 'top' : own.at(-1)! <= 10 ? 'middle' : 'bottom', alignOf(cells)),
  );
  if (cue.lines.length > 0) cues.push({ ...cue, row: { first: own[0]!, of: ROWS_608 } });
}

/** The alignment of rows by their edges; that of one row is not known, so it is the middle. */
function alignOf(rows: readonly (Cell | undefined)[][]): 'start' | 'center' | 'end' {
  if (rows.length < 2) return 'center';
  const starts = rows.map((row) => row.findIndex((cell) => cell && cell.character !== ' '));
  const ends = rows.map((row) => row.length);
  if (new Set(ends).size === 1) return 'center';
  return new Set(starts).size === 1 ? 'start' : 'center';
}

/** The runs of a row with one look each. */
function runsOf(cells: readonly (Cell | undefined)[]): ReadRun[] {
  const runs: (ReadRun & { italic: boolean; colour: string })[] = [];
  for (const cell of Array.from(
    cells,
    (each) => each ?? { character: ' ', colour: WHITE, italic: false },
  )) {
    const run = runs.at(-1);
    // Codes in a row take a space each.
    if (cell.character === ' ' && run?.text.endsWith(' ')) continue;
    if (run && run.italic === cell.italic && run.colour === cell.colour) run.text += cell.character;
    else runs.push({ text: cell.character, italic: cell.italic, colour: cell.colour });
  }
  return runs.some(({ text }) => text.trim() !== '') ? runs : [];
}

/** Executes a word without parity at a frame. */
function decode(
  decoder: Decoder,
  first: number,
  second: number,
  frame: number,
  cues: ReadCue[],
): void {
  const screen = decoder.mode === 'pop' ? decoder.hidden : decoder.shown;
  if (first >= 0x20) {
    for (const byte of [first, second])
      if (byte >= 0x20) put(decoder, characterOf(byte), frame, cues);
    return;
  }
  if (first < 0x10) return;
  const wide = wideCharacterOf(first, second);
  if (wide) {
    if (wide.replaces) decoder.column = Math.max(0, decoder.column - 1);
    put(decoder, wide.character, frame, cues);
    return;
  }
  if (first === 0x11 && second >= 0x20 && second < 0x30) {
    const look = (second - 0x20) >> 1;
    put(decoder, ' ', frame, cues);
    decoder.italic = look === 7;
    if (look < 7) decoder.colour = EIGHT_COLOURS[COLOURS_608[look]!]!;
    return;
  }
  if (first === 0x17 && second >= 0x21 && second <= 0x23) {
    decoder.column = Math.min(LAST_COLUMN, decoder.column + second - 0x20);
    return;
  }
  if (first === 0x14 && second >= 0x20 && second < 0x30) {
    command(decoder, second, frame, cues);
    return;
  }
  const begun = readRowCode(first, second);
  if (!begun) return;
  if (decoder.mode !== 'roll') decoder.row = begun.row;
  else if (begun.row !== decoder.row) {
    // The rows that roll move with their lowest one.
    const moved = [...screen].map(
      ([row, cells]) => [row + begun.row - decoder.row, cells] as const,
    );
    screen.clear();
    for (const [row, cells] of moved) if (row >= 1 && row <= ROWS_608) screen.set(row, cells);
    decoder.row = begun.row;
  }
  decoder.column = begun.column;
  decoder.colour = EIGHT_COLOURS[begun.colour]!;
  decoder.italic = begun.italic;
}

/** Puts a character on the screen that is written to. What is painted over text that was shown is a new caption. */
function put(decoder: Decoder, character: string, frame: number, cues: ReadCue[]): void {
  const { row, column, colour, italic, mode } = decoder;
  const screen = mode === 'pop' ? decoder.hidden : decoder.shown;
  if (mode !== 'pop' && screen.size === 0) decoder.since = frame;
  let cells = screen.get(row);
  const covered = cells?.[column]?.character ?? ' ';
  if (mode === 'paint' && covered !== ' ' && covered !== character) {
    show(decoder, frame, cues);
    cells = [];
    screen.set(row, cells);
  }
  if (!cells) screen.set(row, (cells = []));
  cells[column] = { character, colour, italic };
  decoder.column = Math.min(LAST_COLUMN, column + 1);
}

function command(decoder: Decoder, code: number, frame: number, cues: ReadCue[]): void {
  const screen = decoder.mode === 'pop' ? decoder.hidden : decoder.shown;
  const begin = (mode: Decoder['mode']) => {
    if (decoder.mode === 'roll' && mode !== 'roll') show(decoder, frame, cues);
    decoder.mode = mode;
  };
  if (code === 0x20) begin('pop');
  else if (code === 0x29) begin('paint');
  else if (code >= 0x25 && code <= 0x27) {
    if (decoder.mode !== 'roll') {
      show(decoder, frame, cues);
      decoder.shown.clear();
      decoder.row = ROWS_608;
      decoder.column = 0;
    }
    decoder.depth = code - 0x23;
    begin('roll');
  } else if (code === 0x21) {
    decoder.column = Math.max(0, decoder.column - 1);
    screen.get(decoder.row)?.splice(decoder.column, 1);
  } else if (code === 0x24) screen.get(decoder.row)?.splice(decoder.column);
  else if (code === 0x2c) {
    show(decoder, frame, cues);
    decoder.shown.clear();
  } else if (code === 0x2e) decoder.hidden.clear();
  else if (code === 0x2d && decoder.mode === 'roll') {
    show(decoder, frame, cues);
    roll(decoder);
  } else if (code === 0x2f) {
    show(decoder, frame, cues);
    [decoder.shown, decoder.hidden] = [decoder.hidden, decoder.shown];
    decoder.mode = 'pop';
  }
}

/** Moves the rows up by one, and begins the lowest anew. */
function roll(decoder: Decoder): void {
  const { row, depth, shown } = decoder;
  const moved = [...shown].filter(([at]) => at > row - depth + 1 && at > 1);
  shown.clear();
  for (const [at, cells] of moved) shown.set(at - 1, cells);
  shown.set(row, []);
  decoder.column = 0;
  decoder.colour = WHITE;
  decoder.italic = false;
}

/** Commands: to load a caption, to clear it, to show it, and to clear the screen. */
const [LOAD, CLEAR_HIDDEN, SHOW, CLEAR] = [0x1420, 0x142e, 0x142f, 0x142c];
/** What is sent in a frame without words. */
const NOTHING = 0;
/** The most rows that decoders show at once. */
const MOST_ROWS = 4;

/**
 * Writes captions as an SCC document of captions that pop on. The words of a caption are sent before it begins, two bytes
 * in a frame; where the caption before it leaves too little time, it appears as soon as they are sent, which is reported.
 */
export function toScc(cues: readonly Caption[], options: CaptionFileOptions = {}): string {
  const { dropFrame = true, firstFrame = 0, frameRate, lost = () => {} } = options;
  const count = frameCountOf(RATE, dropFrame);
  if (frameRate !== undefined && Math.abs(frameCountOf(frameRate).rate - count.rate) > 0.01) {
    lost({
      cue: 0,
      message: `SCC has 29.97 frames a second: times are those of that rate, not of ${frameRate}.`,
    });
  }
  const lines: string[] = [];
  /** The first frame in which nothing is sent, and when the caption before ends. */
  let free = 0;
  let clears: number | null = null;
  const send = (frame: number, words: readonly number[]) => {
    lines.push(`${timeCodeOf(frame, count)}\t${words.map(hexOf).join(' ')}`);
    free = frame + words.length;
  };
  for (const [at, cue] of cues.entries()) {
    const say = (message: string) => lost({ cue: at + 1, message });
    const start = frameAt(cue.start, count.rate) + firstFrame;
    const end = Math.max(start + 1, frameAt(cue.end, count.rate) + firstFrame);
    const words = [LOAD, LOAD, CLEAR_HIDDEN, CLEAR_HIDDEN, ...wordsOf(cue, say)];
    if (clears !== null && clears < start) {
      const cleared = Math.max(clears, free);
      if (cleared + 2 <= start - words.length) send(cleared, [CLEAR, CLEAR]);
      else insertClear(words, clears, start, free);
    }
    const from = Math.max(free, start - words.length);
    const shown = from + words.length;
    if (shown > start) {
      const late = Math.round(((shown - start) / count.rate) * 100) / 100;
      say(`It appears ${late} s late: its words take that long to send.`);
    }
    send(from, [...words, SHOW, SHOW]);
    clears = end;
  }
  if (clears !== null) send(Math.max(clears, free), [CLEAR, CLEAR]);
  return `Scenarist_SCC V1.0\n\n${lines.map((line) => `${line}\n`).join('\n')}`;
}

/** Puts the command that clears the screen among the words that load the next caption, so that it is sent in time. */
function insertClear(words: number[], clears: number, start: number, free: number): void {
  const fits = start - words.length - 2 >= free;
  let at = Math.min(
    words.length,
    Math.max(0, fits ? clears - start + words.length + 2 : clears - free),
  );
  // The two words of a code stay together; nothing is sent in a frame that this leaves over.
  let pairs = 0;
  while (pairs < at && words[at - 1 - pairs] === words[at]) pairs += 1;
  const isWithin = pairs % 2 === 1;
  if (isWithin) at += 1;
  words.splice(at, 0, CLEAR, CLEAR, ...(isWithin && fits ? [NOTHING] : []));
}

/** A word of two bytes with parity, as four digits. */
const hexOf = (word: number): string =>
  ((withParity(word >> 8) << 8) | withParity(word & 0x7f)).toString(16).padStart(4, '0');

/** The words of a caption's rows. */
function wordsOf(cue: Caption, say: (message: string) => void): number[] {
  const lines = colouredRuns(cue);
  if (lines.length > MOST_ROWS) say(`It has ${lines.length} rows; decoders show ${MOST_ROWS}.`);
  const rows = lines.slice(0, ROWS_608);
  const first = firstRow(cue, rows.length);
  const missing: string[] = [];
  const words: number[] = [];
  for (const [at, runs] of rows.entries()) {
    const length = runs.reduce((sum, { text }) => sum + Array.from(text).length, 0);
    if (length > COLUMNS_608) {
      say(
        `A row of ${length} characters is longer than the ${COLUMNS_608} that fit: its end is lost.`,
      );
    }
    words.push(...wordsOfRow(runs, first + at, startOf(cue, length), missing));
  }
  if (missing.length > 0) {
    say(
      `CEA-608 has no ${[...new Set(missing)].join(' ')}: plain letters or question marks are written instead.`,
    );
  }
  return words;
}

/** The column at which a row begins. */
function startOf({ placement }: Caption, length: number): number {
  const room = Math.max(0, COLUMNS_608 - length);
  if (placement?.align === 'start') return 0;
  return placement?.align === 'end' ? room : Math.floor(room / 2);
}

function firstRow({ row, placement }: Caption, rows: number): number {
  const last = ROWS_608 - rows + 1;
  if (row)
    return Math.min(last, Math.max(1, Math.round(((row.first - 1) / row.of) * ROWS_608) + 1));
  if (placement?.vertical === 'top') return 1;
  return placement?.vertical === 'middle' ? Math.ceil(last / 2) : last;
}

/** The number of the code for a look. */
const lookOf = ({ italic, colour = WHITE }: LookRun): number =>
  italic
    ? 7
    : Math.max(
        0,
        COLOURS_608.findIndex((each) => each === nearestColour(colour)),
      );

function wordsOfRow(
  runs: readonly LookRun[],
  row: number,
  column: number,
  missing: string[],
): number[] {
  const words: number[] = [];
  const twice = (word: number) => words.push(word, word);
  const indent = Math.floor(column / 4) * 4;
  const [first, second] = rowCode(row, indent);
  twice((first << 8) | second);
  if (column > indent) twice(0x1720 + column - indent);
  let half: number | null = null;
  const byte = (value: number) => {
    if (half === null) half = value;
    else {
      words.push((half << 8) | value);
      half = null;
    }
  };
  const whole = () => {
    if (half !== null) byte(0);
  };
  let look = 0;
  let room = COLUMNS_608 - column;
  for (const [at, run] of runs.entries()) {
    const wanted = lookOf(run);
    const next = runs[at + 1];
    let { text } = run;
    // The code of the next look takes the place of the space before it.
    if (next && lookOf(next) !== wanted && !next.text.startsWith(' ')) text = text.trimEnd();
    if (wanted !== look) {
      // The code takes the place of a space.
      if (text.startsWith(' ')) text = text.slice(1);
      whole();
      twice(0x1120 + wanted * 2);
      room -= 1;
      look = wanted;
    }
    const encoded = encode608(text);
    missing.push(...encoded.missing);
    for (const each of encoded.written) {
      if (room <= 0) break;
      room -= 1;
      if ('byte' in each) byte(each.byte);
      else {
        if (each.stand !== null) byte(each.stand.charCodeAt(0));
        whole();
        twice((each.word[0] << 8) | each.word[1]);
      }
    }
  }
  whole();
  return words;
}
