/** Checks that every file and name in docs/code-map.md exists. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';

const page = readFileSync(join(root, 'docs/code-map.md'), 'utf8');
const rows = [...page.matchAll(/^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, behaviour = '', file = '', name = '']) => [behaviour, file, name] as const,
);

test('every row of the tables is read', () => {
  const lines = page.split('\n').filter((line) => /^\| (?!behaviour)/.test(line));
  expect(rows.length).toBeGreaterThan(40);
  expect(lines).toHaveLength(rows.length);
});

test.each(rows)('%s: %s has %s', (_behaviour, file, name) => {
  expect(existsSync(join(root, file))).toBe(true);
  const words = readFileSync(join(root, file), 'utf8').split(/[^\w.]+/);
  expect(words).toContain(name);
});
