/** Texts that are kept beside the tests, and written anew with OUTLINES=write. */
import { expect } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Compares lines with those that are kept under a name. */
export function expectKept(name: string, lines: readonly string[]): void {
  const text = `${lines.join('\n')}\n`;
  const file = fileURLToPath(new URL(`app/outlines/${name}.txt`, import.meta.url));
  if (process.env['OUTLINES'] === 'write') writeFileSync(file, text);
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(text).toBe(kept);
}
