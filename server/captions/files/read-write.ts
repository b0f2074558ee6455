/** Reads and writes captions in any format of the table, and says what a format does not hold. */
import type { Caption } from '../cue.ts';
import { decodeText, type Encoding } from './encodings.ts';
import {
  type CaptionFormat,
  type Code,
  FORMAT_IDS,
  type FormatId,
  FORMATS,
  type PartOfCaptions,
  PARTS_OF_CAPTIONS,
  TABLE,
} from './formats.ts';
import { LONGEST } from './missing-text.ts';
import type {
  CaptionFileOptions,
  FileDetails,
  Loss,
  ReadCue,
  Reading,
  UnreadLine,
} from './portable-captions.ts';

/**
 * Detects the format of a document from its content, whatever its name; null if it has no captions.
 */
function formatOf(document: string): FormatId | null {
  // A mark of byte order counts as white space.
  const text = document.trimStart();
  // SRT is tried last, since the other formats may contain its arrows.
  return TABLE.findLast(([, { begins }]) => begins?.test(text))?.[0] ?? null;
}

/**
 * Writes captions in a format, and reports what it cannot hold.
 * @returns a text, or bytes if the format is none
 * @example
 * await writeCaptions('txt', [{ start: 0, end: 1, lines: ['Hello'] }]); // => 'Hello\n'
 */
export async function writeCaptions(
  format: FormatId,
  cues: readonly Caption[],
  options: CaptionFileOptions = {},
): Promise<string | Uint8Array> {
  const { write } = await FORMATS[format].code();
  for (const loss of options.lost ? lostParts(format, cues) : []) options.lost!(loss);
  return write(cues, options);
}

/** Writes captions as the bytes of a file in a format. */
export async function writeCaptionFile(
  format: FormatId,
  cues: readonly Caption[],
  options: CaptionFileOptions = {},
): Promise<Uint8Array> {
  const content = await writeCaptions(format, cues, options);
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** Whether a caption has something besides its text and its times. */
const HAS: Readonly<Record<PartOfCaptions, (caption: Caption) => boolean>> = {
  italics: ({ lines }) => lines.some((line) => /<i>.*<\/i>/is.test(line)),
  colours: ({ colours = [] }) => colours.length > 0,
  speakers: ({ speakers = [] }) => speakers.some((name) => name !== ''),
  places: ({ placement }) => placement?.vertical !== undefined || placement?.align !== undefined,
  rows: ({ row }) => row !== undefined,
  columns: ({ columns }) => columns !== undefined,
  ruby: ({ ruby = [] }) => ruby.length > 0,
  dots: ({ dots = [] }) => dots.length > 0,
  words: ({ words = [] }) => words.length > 0,
};

const PART_NAMES: Readonly<Record<PartOfCaptions, string>> = {
  italics: 'italics',
  colours: 'colours',
  speakers: 'names of speakers',
  places: 'positions',
  rows: 'exact rows',
  columns: 'columns (vertical text)',
  ruby: 'readings beside characters',
  dots: 'dots of emphasis',
  words: 'times of words',
};

/** What a format never holds, a loss for each kind, with the first caption that has it. */
const lostParts = (format: FormatId, cues: readonly Caption[]): Loss[] =>
  PARTS_OF_CAPTIONS.flatMap((part) => {
    const { keeps, name }: CaptionFormat = FORMATS[format];
    const having = keeps.includes(part) ? [] : cues.filter(HAS[part]);
    if (having.length === 0) return [];
    const what = having.length === 1 ? 'one caption' : `${having.length} captions`;
    return [
      {
        cue: cues.indexOf(having[0]!) + 1,
        message: `The file of ${name} does not hold the ${PART_NAMES[part]} of ${what}.`,
      },
    ];
  });

/** The most lines that are listed as unread; a file that is something else would list all of its own. */
const MOST_UNREAD = 10_000;

/** Captions as read, and what could not be read. */
export interface ReadCaptions {
  format: FormatId;
  cues: ReadCue[];
  unread: UnreadLine[];
  details: FileDetails;
}

/**
 * Reads a caption document in any format.
 * @returns null if it contains no captions, or is damaged
 * @example
 * await readCaptions('1\n00:00:00,000 --> 00:00:01,500\nHello\n').then((read) => read?.cues);
 * // => [{ start: 0, end: 1.5, lines: ['Hello'] }]
 */
export async function readCaptions(
  document: string,
  { isText = false, ...reading }: ReadingChoices = {},
): Promise<ReadCaptions | null> {
  const untold = isText ? FORMAT_IDS.find((id) => 'isUntold' in FORMATS[id]) : undefined;
  const format = formatOf(document) ?? untold;
  if (!format) return null;
  const { read }: Code = await FORMATS[format].code();
  const unread: UnreadLine[] = [];
  let details: FileDetails = {};
  try {
    const cues =
      read?.(document, {
        ...reading,
        unread: (line) => {
          if (unread.length < MOST_UNREAD)
            unread.push({ ...line, text: line.text.slice(0, LONGEST) });
        },
        details: (found) => (details = { ...details, ...found }),
      }) ?? [];
    return cues.length === 0 ? null : { format, cues, unread, details };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What a person says of a file. */
interface ReadingChoices extends Pick<Reading, 'frameRate'> {
  /** Whether a file in no other format is plain text, whose captions are made from its lines. */
  isText?: boolean;
}

/** A caption file as read, with the encoding of its text. */
export interface ReadFile extends ReadCaptions {
  /** Null for a file that is no text. */
  encoding: Encoding | null;
}

/**
 * Reads the bytes of a caption file in any format and any encoding.
 * @param reading the choices of a person: an encoding, and the frames a second of a file that does not say
 * @returns null if it contains no captions, or is damaged
 */
export async function readCaptionFile(
  bytes: Uint8Array,
  { encoding, ...reading }: ReadingChoices & { encoding?: Encoding } = {},
): Promise<ReadFile | null> {
  const start = asCharacters(bytes.subarray(0, 64));
  const isBinary = TABLE.some(([, each]) => each.isBinary && each.begins?.test(start));
  const decoded = isBinary ? null : await decodeText(bytes, encoding);
  const read = await readCaptions(decoded?.text ?? asCharacters(bytes), reading);
  return read && { ...read, encoding: decoded?.encoding ?? null };
}

/** Bytes as a text with a character for each. */
function asCharacters(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return parts.join('');
}
