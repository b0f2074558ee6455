/** A report on captions as a PDF that screen readers read (tagged, PDF/UA-1), set from the Markdown of its page. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { decodeHTML, escapeText } from 'entities';
import type { Font } from 'fontkit';
import { Marked, type Token, type Tokens } from 'marked';
import type { PDFDocument, StructureElement } from 'pdfkit';
import type { Report } from '../../evidence/report.ts';
import { reportMarkdown, reportTitle } from './report-page.ts';
import { reportWords } from './report-words.ts';
import { openWoff } from './woff.ts';

/** A piece of text in one weight. */
interface Piece {
  text: string;
  bold: boolean;
}

/** A PDF that is being set. */
interface Setting {
  doc: PDFDocument;
  root: StructureElement;
  face: Font;
  /** Where links are resolved from. */
  page: string;
  /** The addresses of links, by their numbers. */
  addresses: string[];
  /** What stands for words whose letters are not set: the font lacks them, or they are read from right to left. */
  notSet: string;
  /** Whether some text could not be set. */
  isPartial: boolean;
}

const TEXT_SIZE = 9;
const HEADING_SIZES = [18, 13, 10.5];
const MARGIN = 50;
const REGULAR = 'regular';
const BOLD = 'bold';
const SET =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]+$/u;

/**
 * The PDF of a report. A task: texts of people are in it. Links are numbered, and their addresses stand at the end.
 * @param page the address of the page of the report
 */
export async function reportPdf({
  report,
  page,
  language,
}: {
  report: Report;
  page: string;
  language: string;
}): Promise<Uint8Array> {
  const [pdfkit, { toBytes }, regular, bold] = await Promise.all([
    import('pdfkit'),
    import('pdfkit/output'),
    openFont(
      import.meta.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff'),
    ),
    openFont(
      import.meta.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff'),
    ),
  ]);
  const words = reportWords(language);
  const title = reportTitle(report, words);
  const doc = new pdfkit.PDFDocument({
    pdfVersion: '1.7',
    subset: 'PDF/UA',
    tagged: true,
    lang: language,
    displayTitle: true,
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    // Its standard font is not embedded, as PDF/UA asks.
    font: null,
    info: { Title: title, CreationDate: new Date(report.madeAt) },
  });
  // Its metadata are XML, in which pdfkit writes a title as it is.
  const { appendXML } = doc;
  doc.appendXML = (xml, newline) =>
    appendXML.call(
      doc,
      xml.replace(title, () => escapeText(title)),
      newline,
    );
  // As a text it says the same in the metadata, but no font gets a list of its glyphs, which would lack the parts of
  // composed letters.
  doc.subset = '1';
  const bytes = toBytes(doc);
  doc.registerFont(BOLD, bold).registerFont(REGULAR, regular).font(REGULAR);
  const root = doc.struct('Document');
  doc.addStructure(root);
  const setting: Setting = {
    doc,
    root,
    face: regular,
    page,
    addresses: [],
    notSet: words.say('otherScript'),
    isPartial: false,
  };
  const places = { json: 'report.json', pdf: null, sound: null };
  const markdown = reportMarkdown(report, places, words);
  for (const token of new Marked().lexer(markdown)) setBlock(setting, token);
  if (setting.isPartial)
    setText(setting, root, 'P', [{ text: words.say('otherScriptNote'), bold: false }]);
  setHeading(setting, 2, [{ text: words.say('addresses'), bold: true }]);
  setText(setting, root, 'P', [{ text: words.say('asPage', { page }), bold: false }]);
  for (const [at, address] of setting.addresses.entries()) {
    setText(setting, root, 'P', [{ text: `[${at + 1}] ${address}`, bold: false }]);
  }
  root.end();
  numberPages(doc);
  doc.end();
  return bytes;
}

async function openFont(address: string): Promise<Font> {
  const { create } = await import('fontkit');
  return create(openWoff(await readFile(fileURLToPath(address))));
}

function setBlock(setting: Setting, token: Token): void {
  const { doc, root } = setting;
  if (token.type === 'table') return setTable(setting, token as Tokens.Table);
  if (token.type === 'heading') {
    const { depth, tokens } = token as Tokens.Heading;
    return setHeading(setting, depth, pieces(setting, tokens, true));
  }
  if (token.type === 'list') {
    const list = doc.struct('L');
    root.add(list);
    for (const { tokens } of (token as Tokens.List).items) {
      const item = doc.struct('LI');
      list.add(item);
      setText(setting, item, 'LBody', [{ text: '– ', bold: false }, ...pieces(setting, tokens)]);
      item.end();
    }
    list.end();
    return;
  }
  if ('tokens' in token) setText(setting, root, 'P', pieces(setting, token.tokens ?? []));
}

function setHeading(setting: Setting, depth: number, text: readonly Piece[]): void {
  const { doc, root } = setting;
  const size = HEADING_SIZES[depth - 1]!;
  // None stays alone at the end of a page.
  if (doc.y > doc.page.height - MARGIN - 6 * size) doc.addPage();
  setText(setting, root, `H${depth}`, text, size);
}

function setText(
  { doc }: Setting,
  parent: StructureElement,
  type: string,
  text: readonly Piece[],
  size = TEXT_SIZE,
): void {
  const element = doc.struct(type, () => {
    doc.fontSize(size);
    for (const [at, piece] of text.entries()) {
      doc.font(piece.bold ? BOLD : REGULAR);
      doc.text(piece.text, { continued: at < text.length - 1 });
    }
  });
  parent.add(element);
  element.end();
  doc.moveDown(0.6);
}

function setTable(setting: Setting, { header, rows }: Tokens.Table): void {
  const { doc, root } = setting;
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => pieces(setting, tokens)));
  const lengths = header.map((_, column) =>
    Math.max(...cells.map((row) => Math.min(40, textOf(row[column]!).length)), 8),
  );
  const room = (doc.page.width - 2 * MARGIN) / lengths.reduce((sum, length) => sum + length, 0);
  doc.font(REGULAR).fontSize(TEXT_SIZE - 1);
  doc.table({
    structParent: root,
    columnStyles: lengths.map((length) => length * room),
    data: cells.map((row, at) =>
      row.map((cell) => ({
        ...(at === 0 && ({ type: 'TH', scope: 'Column' } as const)),
        text: textOf(cell),
        font: { src: at === 0 || cell.every((piece) => piece.bold) ? BOLD : REGULAR },
      })),
    ),
  });
  doc.x = MARGIN;
  doc.moveDown(0.8);
}

/** The text of tokens; behind a link stands the number of its address. */
function pieces(setting: Setting, tokens: readonly Token[], bold = false): Piece[] {
  return tokens.flatMap((token) => {
    const inner = 'tokens' in token ? token.tokens : undefined;
    if (token.type === 'link') {
      const number = numberOf(setting, (token as Tokens.Link).href);
      return [...pieces(setting, inner ?? [], bold), { text: ` [${number}]`, bold }];
    }
    if (inner) return pieces(setting, inner, bold || token.type === 'strong');
    return [{ text: settable(setting, decodeHTML((token as Tokens.Text).text)), bold }];
  });
}

function numberOf({ addresses, page }: Setting, href: string): number {
  const address = new URL(decodeHTML(href), page).href;
  if (!addresses.includes(address)) addresses.push(address);
  return addresses.indexOf(address) + 1;
}

const settable = (setting: Setting, text: string): string =>
  text.replaceAll(/\S+/gu, (word) => {
    if (
      SET.test(word) &&
      [...word].every((one) => setting.face.hasGlyphForCodePoint(one.codePointAt(0)!))
    ) {
      return word;
    }
    setting.isPartial = true;
    return setting.notSet;
  });

const textOf = (cell: readonly Piece[]): string => cell.map(({ text }) => text).join('');

/** Puts the number of each page at its foot, where screen readers pass it over. */
function numberPages(doc: PDFDocument): void {
  const { count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    doc.switchToPage(page);
    doc.page.margins.bottom = 0;
    doc.markContent('Artifact', { type: 'Pagination', attached: ['Bottom'] });
    doc.font(REGULAR).fontSize(TEXT_SIZE - 1);
    doc.text(`${page + 1} / ${count}`, MARGIN, doc.page.height - MARGIN / 1.5, {
      lineBreak: false,
    });
    doc.endMarkedContent();
  }
}
