/** The file formats that captions can be written to and read from. */
import { readAss, toAss } from './ass.ts';
import type { Caption } from '../cue.ts';
import type { ReadCue } from './portable-captions.ts';
import { readSrt, toSrt } from './srt.ts';
import { toPlainText } from './plain-text.ts';
import { type CaptionFileOptions, readTtml, toTtml } from './ttml.ts';
import { readVtt, toVtt } from './vtt.ts';

/** A format that captions can be written to. */
export interface CaptionFile {
  /** The media type, with its character set. */
  type: string;
  write(cues: readonly Caption[], options?: CaptionFileOptions): string;
}

/** The caption formats by file extension. */
export const CAPTION_FILES = {
  srt: { type: 'application/x-subrip; charset=utf-8', write: toSrt },
  vtt: { type: 'text/vtt; charset=utf-8', write: toVtt },
  ass: { type: 'text/x-ssa; charset=utf-8', write: toAss },
  ttml: { type: 'application/ttml+xml; charset=utf-8', write: toTtml },
  txt: { type: 'text/plain; charset=utf-8', write: toPlainText },
} satisfies Record<string, CaptionFile>;

export type CaptionFileName = keyof typeof CAPTION_FILES;

/** The formats that include times, and can therefore be read as captions. */
export type TimedFormat = Exclude<CaptionFileName, 'txt'>;

const READERS: Record<TimedFormat, (document: string) => ReadCue[]> = {
  srt: readSrt,
  vtt: readVtt,
  ass: readAss,
  ttml: readTtml,
};

/** Detects the format of a document from its content, whatever its name; null if it has no captions. */
export function formatOf(document: string): TimedFormat | null {
  // A mark of byte order counts as white space.
  const text = document.trimStart();
  if (/^WEBVTT(?:[ \t\n\r]|$)/.test(text)) return 'vtt';
  if (/^\[(?:Script Info|V4\+? Styles|Events)\]/i.test(text)) return 'ass';
  if (/^<(?:\?xml|!--|(?:\w+:)?tt[\s>])/i.test(text)) return 'ttml';
  return /^[ \t]*[\d:.,]+[ \t]*-{2,}>[ \t]*[\d:.,]/m.test(text) ? 'srt' : null;
}

/**
 * Reads a caption document in any format.
 * @returns null if it contains no captions, or is damaged
 * @example
 * readCaptions('1\n00:00:00,000 --> 00:00:01,500\nHello\n');
 * // => { format: 'srt', cues: [{ start: 0, end: 1.5, lines: ['Hello'] }] }
 */
export function readCaptions(document: string): { format: TimedFormat; cues: ReadCue[] } | null {
  const format = formatOf(document);
  if (!format) return null;
  try {
    const cues = READERS[format](document);
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
