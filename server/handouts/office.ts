/** Reads the texts of zipped Office files: documents (.docx) and slides with their notes (.pptx). */
import { Unzip, UnzipInflate } from 'fflate';
import { HANDOUT } from '../contract/limits.ts';
import { LineCollector, UnreadableHandout } from './lines.ts';
import { readOfficeXml } from './markup.ts';

/** The bytes that are unpacked at once; they may unpack to a thousand times as many. */
const STEP = 4096;

/** Matches the parts with text: those of a document, and of slides and their notes, by number. */
const DOCUMENT_PARTS =
  /^word\/(?:document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$|^ppt\/(?:slides|notesSlides)\/[a-z]{1,30}(\d{1,6})\.xml$/i;

/**
 * Reads a zipped file.
 * @throws {UnreadableHandout} for other zipped files, damaged ones, and those that unpack to more than the limit
 */
export function readOffice(bytes: Uint8Array, into: LineCollector): void {
  const parts = Object.entries(unzipped(bytes)).map(([name, part]) => ({
    part,
    slide: Number(DOCUMENT_PARTS.exec(name)?.[1] ?? 0),
  }));
  if (parts.length === 0) {
    throw new UnreadableHandout(
      'type',
      'Of zipped files, only Word documents (.docx) and PowerPoint slides (.pptx) can be read.',
    );
  }
  // The notes of a slide follow it, because the order of the names is kept.
  parts.sort((a, b) => a.slide - b.slide);
  for (const { part } of parts) readOfficeXml(new TextDecoder().decode(part), into);
}

/** Unpacks the parts with text, in small steps: what a file says of its sizes may be false. */
function unzipped(bytes: Uint8Array): Record<string, Uint8Array> {
  const parts: Record<string, Uint8Array> = {};
  let entries = 0;
  let size = 0;
  const unzip = new Unzip((entry) => {
    entries += 1;
    if (entries > HANDOUT.maxEntries) throw tooMuch();
    if (!DOCUMENT_PARTS.test(entry.name)) return;
    const chunks: Uint8Array[] = [];
    entry.ondata = (error, chunk, isLast) => {
      if (error) throw error;
      size += chunk.length;
      if (size > HANDOUT.maxUnzippedBytes) throw tooMuch();
      chunks.push(chunk);
      if (isLast) parts[entry.name] = joined(chunks);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += STEP) {
      unzip.push(bytes.subarray(at, at + STEP), at + STEP >= bytes.length);
    }
  } catch (error) {
    if (error instanceof UnreadableHandout) throw error;
    throw new UnreadableHandout('content', 'The file is damaged: it cannot be unpacked.');
  }
  return parts;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const tooMuch = (): UnreadableHandout =>
  new UnreadableHandout(
    'size',
    `The file unpacks to more than ${HANDOUT.maxUnzippedBytes / 2 ** 20} MiB of text or ${HANDOUT.maxEntries} parts.`,
  );
