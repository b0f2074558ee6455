/** Formats tables as aligned Markdown. */

/** A table of rows with the same columns; empty without rows. */
export function table(rows: readonly object[]): string {
  const [first] = rows;
  if (!first) return '';
  const columns = Object.keys(first);
  const lines = [
    columns,
    ...rows.map((row) => columns.map((column) => String(Reflect.get(row, column)))),
  ];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const written = lines.map((line) => drawn(line.map((cell, at) => cell.padEnd(widths[at] ?? 0))));
  return [written[0], drawn(widths.map((width) => '-'.repeat(width))), ...written.slice(1)].join(
    '\n',
  );
}

const drawn = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
