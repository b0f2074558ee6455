/** Tables for spreadsheets, in the format of RFC 4180. */

/**
 * Text that spreadsheets evaluate as a formula; some take the wide forms of its signs for the signs. A dash before a blank
 * is that of a speaker.
 */
const FORMULA = /^\s*(?:[=+@＝＋＠]|[-－](?!\s))|^[\t\r\n]/;

/**
 * A row of a table with its line break.
 * @example
 * csvRow(['Ann', 3, 'said "no"']); // => 'Ann,3,"said ""no"""\r\n'
 */
export const csvRow = (values: readonly (string | number)[]): string =>
  `${values.map(field).join(',')}\r\n`;

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
