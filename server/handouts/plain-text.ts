/** Reads plain text, Markdown, and tables of values separated by commas, semicolons or tabs. */
import Papa from 'papaparse';
import { HANDOUT } from '../contract/limits.ts';
import { holdsNames, LineCollector } from './lines.ts';

/** Reads text, and the headings, points and tables of Markdown. @throws {UnreadableHandout} beyond the limits */
export function readPlainText(text: string, into: LineCollector): void {
  const lines = text.split(/\r\n?|\n/);
  let rows: string[][] = [];
  lines.forEach((line, at) => {
    if (isUnderline(line)) return;
    const cells = /^\s*\|(.*)\|\s*$/.exec(line)?.[1]?.split('|');
    if (cells) rows.push(cells.map(withoutMarks));
    else {
      into.addRows(rows);
      rows = [];
      const heading = /^ {0,3}#{1,6}\s(.*)$/.exec(line)?.[1]?.replace(/ #{1,6}\s{0,9}$/, '');
      const isHeading =
        heading !== undefined || (line.trim() !== '' && isUnderline(lines[at + 1] ?? ''));
      const is = /^\s*(?:[-*•▪◦‣]|\d{1,3}[.)])\s/.test(line) ? 'point' : undefined;
      // Columns of a table stand apart.
      const columns = (heading ?? line).trim().replace(/ {2,}/g, '\t');
      into.add(withoutMarks(columns), isHeading ? 'heading' : is);
    }
  });
  into.addRows(rows);
}

/** Whether a line is the one under a heading of Markdown, or the rule under the head of a table. */
const isUnderline = (line: string): boolean =>
  /^={3,}$/.test(line.trim()) || (line.includes('---') && /^[\s:|-]*$/.test(line));

/** A line without the marks of Markdown: emphasis, code and the addresses of links. */
const withoutMarks = (line: string): string =>
  line
    .replace(/!?\[([^\][]{1,300})\]\([^()\s]{1,2000}\)/g, '$1')
    .replace(
      /(?<![\p{L}\p{N}])(?:\*{1,3}|_{1,3}|`)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|`)(?![\p{L}\p{N}])/gu,
      '',
    );

/** The longest first line of a table. */
const MAX_HEAD = 2000;

/** Whether the first line of a text is that of a table, with headings of columns that hold people or companies. */
export function isTable(text: string): boolean {
  const head = /^\s*([^\r\n]*)/.exec(text.slice(0, MAX_HEAD))?.[1] ?? '';
  const [cells = []] = Papa.parse<string[]>(head, { preview: 1 }).data;
  return cells.length > 1 && holdsNames(cells);
}

/** Reads a table. @throws {UnreadableHandout} beyond the limits */
export function readTable(text: string, into: LineCollector): void {
  const { data } = Papa.parse<string[]>(text, {
    skipEmptyLines: true,
    preview: HANDOUT.maxLines + 1,
    delimitersToGuess: [',', ';', '\t', '|'],
  });
  into.addRows(data);
}
