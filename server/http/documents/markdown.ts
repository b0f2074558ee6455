/** Pieces of Markdown for generated parts of documents. */

/** Text in a cell of a table: on one line, without the end of the cell. */
export const cell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .trim();

/** A table; empty if it has no rows. Columns without any text are left out. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const used = heads.map((_, at) => rows.some((row) => row[at] !== ''));
  const line = (cells: readonly string[]): string =>
    `| ${cells
      .filter((_, at) => used[at])
      .map(cell)
      .join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A value as inline code. A text that contains backticks is enclosed in more of them. */
export function code(value: string): string {
  const longest = Math.max(0, ...[...value.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest === 0) return `\`${value}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${value} ${fence}`;
}

/** A block of code. */
export const block = (language: string, text: string): string =>
  `\`\`\`${language}\n${text}\n\`\`\``;

/** The id that a page gives to a heading, as GitHub does. */
export const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-');
