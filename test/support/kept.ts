/**
 * Snapshots: texts stored in files, updated with OUTLINES=write, to be read before they are
 * committed.
 */
import { expect } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Compares lines with those that are kept under a name in a folder. */
export function expectKeptIn(folder: URL, name: string, lines: readonly string[]): void {
  const text = `${lines.join('\n')}\n`;
  const file = fileURLToPath(new URL(`${name}.txt`, folder));
  if (process.env['OUTLINES'] === 'write') writeFileSync(file, text);
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(text).toBe(kept);
}
