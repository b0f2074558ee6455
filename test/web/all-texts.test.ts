/**
 * A snapshot of all texts of the app: each text, and each text with a value in it for none, one and
 * several. `OUTLINES=write npm test -- test/web` updates it.
 */
import { Glob } from 'bun';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectKept } from './kept.ts';

const folder = fileURLToPath(new URL('../../web/texts/', import.meta.url));

/** Values that a text may have in it. */
const VALUES: readonly unknown[] = [0, 1, 2, 4200, 'Ada', ['Ada', 'Grace'], true];
const PEOPLE = ['Ada', 'Grace', 'Edsger', 'Barbara'];

/** The value for a parameter; each parameter gets a different one, so that swapped parameters show. */
const valueAt = (value: unknown, at: number): unknown =>
  typeof value === 'number' ? value + at : typeof value === 'string' ? PEOPLE[at] : value;

/** The texts of a function for each kind of value, except for values on which it throws. */
function* spoken(says: (...given: unknown[]) => unknown): Generator<string> {
  for (const value of VALUES) {
    let text: unknown;
    try {
      text = says(
        ...Array.from({ length: Math.max(1, says.length) }, (_, at) => valueAt(value, at)),
      );
    } catch (error) {
      // The function needs a property that this kind of value does not have.
      if (!(error instanceof TypeError)) throw error;
      continue;
    }
    yield `  (${JSON.stringify(value)}) ${String(text)}`;
  }
}

function* linesOf(name: string, value: unknown): Generator<string> {
  if (typeof value === 'function') {
    yield name;
    yield* spoken(value as (...given: unknown[]) => unknown);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) yield* linesOf(`${name}.${key}`, each);
  } else yield `${name}: ${String(value)}`;
}

test('every text is unchanged', async () => {
  const lines: string[] = [];
  for (const file of [...new Glob('*.ts').scanSync(folder)].toSorted()) {
    const part: Record<string, unknown> = await import(join(folder, file));
    for (const name of Object.keys(part).toSorted()) {
      lines.push(...linesOf(`${file.replace('.ts', '')} ${name}`, part[name]));
    }
  }
  expect(lines.length).toBeGreaterThan(1800);
  expectKept('all-texts', lines);
});
