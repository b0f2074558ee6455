/** Reads the lines of markup: pages, and the documents and slides of Office. */
import { Parser } from 'htmlparser2';
import { HANDOUT } from '../contract/limits.ts';
import { type HandoutLine, LineCollector, UnreadableHandout } from './lines.ts';

/** What the elements of a kind of markup mean, by their names without prefix. */
interface Dialect {
  /** Whether the markup is XML; entities that it declares itself are never read. */
  xml: boolean;
  /** Elements that begin and end a line. */
  blocks: ReadonlySet<string>;
  /** Elements whose text counts; null for all. */
  text: ReadonlySet<string> | null;
  /** Elements whose content is left out. */
  hidden: ReadonlySet<string>;
  /** The rows and cells of tables. */
  row: string;
  cells: ReadonlySet<string>;
  /** Elements that are headings. */
  headings: ReadonlySet<string>;
  /** Elements that are points of lists, or make the block around them one. */
  points: ReadonlySet<string>;
  /** Whether an element within a block makes it a heading. */
  marksHeading(name: string, attributes: Record<string, string>): boolean;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const HTML: Dialect = {
  xml: false,
  blocks: set(
    'address article aside blockquote body br caption dd div dl dt figcaption footer form header hr html legend li main nav ol option p pre section summary table tbody td th thead title tr ul h1 h2 h3 h4 h5 h6',
  ),
  text: null,
  hidden: set('script style noscript template svg'),
  row: 'tr',
  cells: set('td th'),
  headings: set('title h1 h2 h3 h4 h5 h6'),
  points: set('li dt'),
  marksHeading: () => false,
};

const OFFICE: Dialect = {
  xml: true,
  blocks: set('p br'),
  text: set('t'),
  hidden: set('Fallback delText instrText'),
  row: 'tr',
  cells: set('tc'),
  headings: set(''),
  points: set('numPr'),
  marksHeading: (name, { 'w:val': style = '' }) =>
    (name === 'pStyle' &&
      /^(?:heading|title|subtitle|(?:ü|u)?berschrift|titre|titel)/i.test(style)) ||
    name === 'outlineLvl',
};

/** Reads a page into lines. @throws {UnreadableHandout} beyond the limits */
export const readHtml = (page: string, into: LineCollector): void => readMarkup(page, HTML, into);

/** Reads the XML of a document or slide. @throws {UnreadableHandout} beyond the limits */
export const readOfficeXml = (xml: string, into: LineCollector): void =>
  readMarkup(xml, OFFICE, into);

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function readMarkup(markup: string, dialect: Dialect, into: LineCollector): void {
  let depth = 0;
  let hidden = 0;
  let inText = 0;
  let line: string[] = [];
  /** What the line is, and what the lines of the shape around it are unless they say otherwise. */
  let is: HandoutLine['is'];
  let shape: HandoutLine['is'];
  /** The tables that are open, and the rows of the outermost. */
  let tables = 0;
  let rows: string[][] = [];
  const flush = (): void => {
    const text = line.join('');
    line = [];
    if (tables > 0) {
      const cell = rows.at(-1);
      // A cell may hold several paragraphs.
      if (cell && cell.length > 0) cell[cell.length - 1] += ` ${text}`;
      else if (text.trim() !== '') into.add(text);
    } else into.add(text, is ?? shape);
    is = undefined;
  };
  const parser = new Parser(
    {
      onopentag(full, attributes) {
        depth += 1;
        if (depth > HANDOUT.maxDepth) {
          throw new UnreadableHandout('content', 'The elements of the file are nested too deeply.');
        }
        const name = localName(full);
        if (dialect.hidden.has(name)) hidden += 1;
        if (dialect.blocks.has(name)) flush();
        if (dialect.headings.has(name)) is = 'heading';
        if (dialect.points.has(name)) is ??= 'point';
        if (name === 'sp') shape = 'point';
        if (name === 'ph' && /title/i.test(attributes['type'] ?? '')) shape = 'heading';
        if (dialect.marksHeading(name, attributes)) is = 'heading';
        if (name === 'table' || name === 'tbl') tables += 1;
        if (tables > 0 && name === dialect.row) rows.push([]);
        if (tables > 0 && dialect.cells.has(name)) rows.at(-1)?.push('');
        if (name === 'tab') line.push('\t');
        if (dialect.text?.has(name)) inText += 1;
      },
      ontext(text) {
        if (hidden > 0 || (dialect.text && inText === 0)) return;
        // White space in a page, line breaks included, is a space.
        line.push(dialect.xml ? text : text.replace(/\s+/g, ' '));
      },
      onclosetag(full) {
        depth -= 1;
        const name = localName(full);
        if (dialect.text?.has(name)) inText -= 1;
        if (dialect.blocks.has(name) || dialect.cells.has(name)) flush();
        if (dialect.hidden.has(name)) hidden -= 1;
        if (name === 'sp') shape = undefined;
        if ((name === 'table' || name === 'tbl') && tables > 0) {
          tables -= 1;
          if (tables === 0) {
            into.addRows(rows);
            rows = [];
          }
        }
      },
    },
    { xmlMode: dialect.xml, decodeEntities: true },
  );
  parser.write(markup);
  parser.end();
  flush();
  into.addRows(rows);
}
