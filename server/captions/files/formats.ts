/**
 * The table of caption formats. REST, MCP, the shell, the app, the documents and the OpenAPI description read it. The
 * code that reads and writes a format is loaded when it is first needed, which keeps the app's first screen small.
 */
import type { Caption } from '../cue.ts';
import type { CaptionFileOptions, ReadCue } from './portable-captions.ts';

/** Writes captions as the text of a file. */
type Write = (cues: readonly Caption[], options?: CaptionFileOptions) => string;
/**
 * Reads the captions of a file.
 * @throws {SyntaxError} for a damaged one
 */
type Read = (document: string) => ReadCue[];

/** The code of a format. */
interface Code {
  read?: Read;
  write: Write;
}

/** A format, under its id, which is also the ending of its files. */
export interface CaptionFormat {
  /** Its name in a sentence. */
  name: string;
  /** The media type; the text is UTF-8. */
  type: string;
  /** Other endings of files in this format. */
  endings?: readonly string[];
  /** Matches the start of a file in this format, without white space. The first match in the table counts. */
  begins?: RegExp;
  /** Whether a file names its language. */
  namesLanguage?: true;
  code(): Promise<Code>;
}

/** All formats by id, in the order in which they are listed. */
export const FORMATS = {
  srt: {
    name: 'SRT',
    type: 'application/x-subrip',
    // Any text may come before the first caption.
    begins: /^[ \t]*[\d:.,]+[ \t]*-{2,}>[ \t]*[\d:.,]/m,
    code: () => import('./srt.ts').then(({ readSrt, toSrt }) => ({ read: readSrt, write: toSrt })),
  },
  vtt: {
    name: 'WebVTT',
    type: 'text/vtt',
    begins: /^WEBVTT(?:[ \t\n\r]|$)/,
    code: () => import('./vtt.ts').then(({ readVtt, toVtt }) => ({ read: readVtt, write: toVtt })),
  },
  ass: {
    name: 'ASS',
    type: 'text/x-ssa',
    endings: ['ssa'],
    begins: /^\[(?:Script Info|V4\+? Styles|Events)\]/i,
    namesLanguage: true,
    code: () => import('./ass.ts').then(({ readAss, toAss }) => ({ read: readAss, write: toAss })),
  },
  ttml: {
    name: 'TTML',
    type: 'application/ttml+xml',
    endings: ['dfxp', 'xml'],
    begins: /^<(?:\?xml|!--|(?:\w+:)?tt[\s>])/i,
    namesLanguage: true,
    code: () =>
      import('./ttml.ts').then(({ readTtml, toTtml }) => ({ read: readTtml, write: toTtml })),
  },
  txt: {
    name: 'plain text',
    type: 'text/plain',
    code: () => import('./plain-text.ts').then(({ toPlainText }) => ({ write: toPlainText })),
  },
  json: {
    name: 'JSON',
    type: 'application/json',
    code: () =>
      import('./json.ts').then(({ captionsAsJson }) => ({
        write: (cues) => JSON.stringify(captionsAsJson(cues)),
      })),
  },
} as const satisfies Record<string, CaptionFormat>;

export type FormatId = keyof typeof FORMATS;

/** The ids of all formats. */
export const FORMAT_IDS = Object.keys(FORMATS) as FormatId[];

const TABLE: readonly (readonly [FormatId, CaptionFormat])[] = FORMAT_IDS.map((id) => [
  id,
  FORMATS[id],
]);

/** The endings of files that may hold captions, without a dot. */
export const CAPTION_ENDINGS: readonly string[] = TABLE.flatMap(([id, { begins, endings = [] }]) =>
  begins || id === 'json' ? [id, ...endings] : [],
);

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
 * Writes captions in a format.
 * @example
 * await writeCaptions('txt', [{ start: 0, end: 1, lines: ['Hello'] }]); // => 'Hello\n'
 */
export async function writeCaptions(
  format: FormatId,
  cues: readonly Caption[],
  options: CaptionFileOptions = {},
): Promise<string> {
  const { write } = await FORMATS[format].code();
  return write(cues, options);
}

/**
 * Reads a caption document in any format.
 * @returns null if it contains no captions, or is damaged
 * @example
 * await readCaptions('1\n00:00:00,000 --> 00:00:01,500\nHello\n');
 * // => { format: 'srt', cues: [{ start: 0, end: 1.5, lines: ['Hello'] }] }
 */
export async function readCaptions(
  document: string,
): Promise<{ format: FormatId; cues: ReadCue[] } | null> {
  const format = formatOf(document);
  if (!format) return null;
  const { read }: Code = await FORMATS[format].code();
  try {
    const cues = read?.(document) ?? [];
    return cues.length === 0 ? null : { format, cues };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Decodes the text of a file: UTF-8 or UTF-16, otherwise Windows-1252, which old SRT files use.
 * @example
 * decodeCaptions(new Uint8Array([0x63, 0x61, 0x66, 0xe9])); // => 'café'
 */
export function decodeCaptions(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
