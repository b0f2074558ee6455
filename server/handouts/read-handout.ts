/** Reads a file with names, by what it contains: text, Markdown, a page, Word, PowerPoint, PDF, contacts or a table. */
import { HANDOUT } from '../contract/limits.ts';
import { readContacts } from './contacts.ts';
import { HANDOUT_ENDINGS } from './endings.ts';
import { type HandoutLine, LineCollector, tooLong, UnreadableHandout } from './lines.ts';
import { readHtml } from './markup.ts';
import { readOffice } from './office.ts';
import { readPdf } from './pdf.ts';
import { isTable, readPlainText, readTable } from './plain-text.ts';

/** A file. */
export interface HandoutFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Its name or media type; it tells a table without headings from prose. */
  hint?: string;
}

/**
 * The lines of a file.
 * @throws {UnreadableHandout} for a file of another type, a damaged one, and one beyond the limits
 */
export async function readHandout({ bytes, hint = '' }: HandoutFile): Promise<HandoutLine[]> {
  if (bytes.length > HANDOUT.maxBytes) {
    throw new UnreadableHandout('size', `The file is over ${HANDOUT.maxSize}.`);
  }
  const into = new LineCollector();
  const begins = (signature: string): boolean =>
    [...signature].every((character, at) => bytes[at] === character.codePointAt(0));
  if (begins('PK\u0003\u0004')) readOffice(bytes, into);
  else if (isPdf(bytes)) await readPdf(bytes, into);
  else if (begins('\u00D0\u00CF\u0011\u00E0')) {
    throw new UnreadableHandout(
      'type',
      'Old Word and PowerPoint files, and those with a password, cannot be read. Save the file as .docx, .pptx or PDF, without a password.',
    );
  } else readText(decoded(bytes), hint, into);
  return into.lines;
}

/**
 * The lines of a text: a page, or plain text.
 * @throws {UnreadableHandout} beyond the limits
 */
export function textLines(text: string): HandoutLine[] {
  const into = new LineCollector();
  readText(text, '', into);
  return into.lines;
}

/** Matches the elements by which a text is a page. */
const PAGE = /<(?:!doctype html|html|body|div|p|h\d|li|br|span|td)\b/i;

function readText(text: string, hint: string, into: LineCollector): void {
  if (text.length > HANDOUT.maxTextBytes) throw tooLong();
  if (/^\s*BEGIN:V(?:CARD|CALENDAR)/i.test(text)) readContacts(text, into);
  else if (PAGE.test(text)) readHtml(text, into);
  else if (text.length > 2 * HANDOUT.maxChars) throw tooLong();
  else if (/\b(?:csv|tsv|tab-separated-values)\b/i.test(hint) || isTable(text))
    readTable(text, into);
  else readPlainText(text, into);
}

/** Whether a file is a PDF: its signature is in the first kilobyte. */
const isPdf = (bytes: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).includes('%PDF-');

/** The text of a file in UTF-8 or UTF-16, or else in the encoding of Windows for western languages. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // Text has no such characters, whatever its encoding.
  if (bytes.subarray(0, 65_536).some((byte) => byte < 9)) {
    throw new UnreadableHandout(
      'type',
      `This is not a file with text. Those with the endings ${HANDOUT_ENDINGS.join(', ')} can be read.`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
