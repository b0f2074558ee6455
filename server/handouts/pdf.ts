/** Reads the text of a PDF: its lines, with divided words and paragraphs joined. */
import { HANDOUT } from '../contract/limits.ts';
import { LineCollector, UnreadableHandout } from './lines.ts';

/** A piece of text on a page, as the library returns it. */
interface Piece {
  str: string;
  /** The last two numbers are its place, from the left and from the bottom. */
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

interface PageLine {
  text: string;
  height: number;
  left: number;
  right: number;
  bottom: number;
}

/** A line that is so much taller than most is a heading. */
const HEADING_HEIGHT = 1.25;
/** The least share of the longest line, and the least characters, of the lines of a paragraph. */
const FULL = 0.8;
const PROSE = 40;
/** A gap that is so much wider than the letters are high separates columns. */
const GAP = 1.5;

/**
 * Reads a PDF.
 * @throws {UnreadableHandout} if it is damaged, needs a password, has too many pages, or unpacks to too much
 */
export async function readPdf(bytes: Uint8Array<ArrayBuffer>, into: LineCollector): Promise<void> {
  await refuseBombs(bytes);
  const { getDocumentProxy } = await import('unpdf');
  // The library keeps the bytes that it is given.
  const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 }).catch(unreadable);
  try {
    if (document.numPages > HANDOUT.maxPages) {
      throw new UnreadableHandout('size', `The PDF has more than ${HANDOUT.maxPages} pages.`);
    }
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number).catch(unreadable);
      const lines = linesOf(await piecesOf(page.streamTextContent()));
      addLines(lines, into);
      page.cleanup();
    }
  } finally {
    await document.loadingTask.destroy();
  }
}

function unreadable(error: unknown): never {
  const needsPassword = error instanceof Error && error.name === 'PasswordException';
  throw new UnreadableHandout(
    'content',
    needsPassword
      ? 'The PDF is protected by a password. Save it without one.'
      : 'The PDF is damaged and cannot be read.',
  );
}

/** The pieces of text of a page. @throws {UnreadableHandout} if there are too many */
async function piecesOf(stream: ReadableStream<{ items: object[] }>): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(unreadable);
    if (done) return pieces;
    for (const item of value.items) if ('str' in item) pieces.push(item as Piece);
    if (pieces.length > HANDOUT.maxChars) {
      throw new UnreadableHandout('size', 'A page of the PDF has too much text.');
    }
  }
}

function linesOf(pieces: readonly Piece[]): PageLine[] {
  const lines: PageLine[] = [];
  let line: Piece[] = [];
  const end = (): void => {
    const seen = line.filter(({ str }) => str.trim() !== '');
    const [first] = seen;
    if (first) {
      lines.push({
        text: plain(line.map(textOf).join('')),
        height: seen.reduce((most, { height }) => Math.max(most, height), 0),
        left: first.transform[4] ?? 0,
        right: seen.reduce(
          (most, { transform, width }) => Math.max(most, (transform[4] ?? 0) + width),
          0,
        ),
        bottom: first.transform[5] ?? 0,
      });
    }
    line = [];
  };
  for (const piece of pieces) {
    line.push(piece);
    if (piece.hasEOL) end();
  }
  end();
  return lines;
}

/** The text of a piece; a wide gap is a tab. */
const textOf = ({ str, width, height }: Piece): string =>
  str.trim() === '' && str !== '' && width > GAP * Math.max(height, 6) ? '\t' : str;

/** Ligatures and full-width letters as plain ones, without soft hyphens. */
const plain = (text: string): string =>
  text
    .replace(/[\uFB00-\uFB06\uFF01-\uFF5E\u3000]/g, (letter) => letter.normalize('NFKC'))
    .replace(/\u00AD(?=.)/g, '')
    .trim();

/** Adds the lines of a page, those of a paragraph as one, and those in columns as a table. */
function addLines(lines: readonly PageLine[], into: LineCollector): void {
  const heights = lines.map(({ height }) => height).sort((a, b) => a - b);
  const usual = heights[Math.floor(heights.length / 2)] ?? 0;
  for (const block of blocksOf(lines)) {
    const rows = block.map(({ text }) => text.split('\t'));
    if (rows[0]!.length > 1) {
      into.addRows(rows);
      continue;
    }
    const isProse = isParagraph(block);
    let joined = '';
    block.forEach(({ text, height }, at) => {
      const next = block[at + 1]?.text;
      joined += text;
      const isDivided = /\p{L}[-\u00AD‐]$/u.test(joined);
      const goesOn =
        next !== undefined && !POINT.test(next) && (isProse || isDivided || /^\p{Ll}/u.test(next));
      if (goesOn) {
        // A word that is divided loses its hyphen, unless its second part has a capital.
        if (isDivided && /^\p{Ll}/u.test(next)) joined = joined.slice(0, -1);
        else if (!isDivided) joined += ' ';
        return;
      }
      const point = POINT.test(joined) ? 'point' : undefined;
      into.add(joined, height > usual * HEADING_HEIGHT ? 'heading' : point);
      joined = '';
    });
  }
}

const POINT = /^(?:[-–—•·*▪◦‣]|\d{1,3}[.)])\s/;

/** The lines in groups that belong together: close to each other, of one height, with as many columns. */
function blocksOf(lines: readonly PageLine[]): PageLine[][] {
  const blocks: PageLine[][] = [];
  let before: PageLine | undefined;
  for (const line of lines) {
    const belongs =
      before !== undefined &&
      Math.abs(before.height - line.height) < 1 &&
      Math.abs(before.bottom - line.bottom) < 2.2 * line.height &&
      (Math.abs(before.left - line.left) < line.height / 3 || /^\p{Ll}/u.test(line.text)) &&
      before.text.split('\t').length === line.text.split('\t').length;
    if (belongs) blocks.at(-1)!.push(line);
    else blocks.push([line]);
    before = line;
  }
  return blocks;
}

/** Whether lines are a paragraph: all but the last are long, and about as long as the longest. */
function isParagraph(block: readonly PageLine[]): boolean {
  const widest = block.reduce((most, { left, right }) => Math.max(most, right - left), 0);
  return block
    .slice(0, -1)
    .every(({ left, right, text }) => right - left > FULL * widest && text.length > PROSE);
}

/** The most bytes that a compressed part of a PDF may unpack to. */
const MAX_STREAM_BYTES = 4 * HANDOUT.maxUnzippedBytes;
/** Compression makes nothing smaller than about a thousandth. */
const MOST_PACKED = 1032;

/**
 * Refuses a PDF with a part that unpacks to more than the limit, or that is packed twice: the library would unpack it
 * into memory at once.
 * @throws {UnreadableHandout}
 */
async function refuseBombs(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const text = new TextDecoder('latin1').decode(bytes);
  if (PACKED_TWICE.test(text)) throw tooMuch();
  const marks = /stream\r?\n/g;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    const from = marks.lastIndex;
    const end = text.indexOf('endstream', from);
    const to = end < 0 ? bytes.length : end;
    if ((to - from) * MOST_PACKED > MAX_STREAM_BYTES) await measure(bytes.subarray(from, to));
    marks.lastIndex = to + 'endstream'.length;
  }
}

const PACKED_TWICE =
  /\/(?:FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL)\s*\/(?:FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL)\b/;

const tooMuch = (): UnreadableHandout =>
  new UnreadableHandout(
    'size',
    `A part of the PDF unpacks to more than ${MAX_STREAM_BYTES / 2 ** 20} MiB.`,
  );

async function measure(packed: Uint8Array<ArrayBuffer>): Promise<void> {
  let size = 0;
  const reader = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > MAX_STREAM_BYTES) break;
    }
  } catch {
    // Packed in another way, or damaged; what follows the end of the data is no more of it.
  }
  void reader.cancel().catch(() => {});
  if (size > MAX_STREAM_BYTES) throw tooMuch();
}
