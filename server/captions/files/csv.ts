/** Tables for spreadsheets, in the format of RFC 4180. */

/**
 * A row of a table with its line break.
 * @example
 * csvRow(['Ann', 3, 'said "no"']); // => 'Ann,3,"said ""no"""\r\n'
 */
export const csvRow = (values: readonly (string | number)[]): string =>
  `${values.map(field).join(',')}\r\n`;

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // Prevent spreadsheets from evaluating text as a formula.
  const safe = /^[=+@\t\r]|^-(?!\s)/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
