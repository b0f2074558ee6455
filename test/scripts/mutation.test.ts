import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutationsOf } from '../../scripts/mutation/mutations.ts';
import { readLcov } from '../../scripts/mutation/line-coverage.ts';
import { trySwitched } from '../../scripts/mutation/switched-tests.ts';
import { withSwitches } from '../../scripts/mutation/switches.ts';

describe('faults', () => {
  test('are generated one at a time, of kinds that people make', () => {
    const source = 'if (open && seconds < LIMIT) await close({ force });';
    const faulty = mutationsOf('a.ts', source).map(
      ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
    );
    expect(faulty).toContain('if (open && seconds <= LIMIT) await close({ force });');
    expect(faulty).toContain('if (seconds < LIMIT) await close({ force });');
    expect(faulty).toContain('if (false) await close({ force });');
    expect(faulty).toContain('if (open && seconds < LIMIT) close({ force });');
    expect(faulty).toContain('if (open && seconds < LIMIT) await close({  });');
    expect(new Set(faulty).size).toBe(faulty.length);
  });

  test('leave out optional parts of queries, calls, lists, patterns and blocks', () => {
    const faulty = (source: string) =>
      mutationsOf('a.ts', source).map(
        ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
      );
    expect(faulty("find.where('a', '=', b).orderBy('c')")).toContain("find.where('a', '=', b)");
    expect(faulty("find.where('a', '=', b).orderBy('c')")).toContain("find.orderBy('c')");
    expect(faulty('db.transaction().execute(async (t) => work(t))')).toContain(
      '(async (t) => work(t))(db)',
    );
    expect(faulty('was = move(from, to);').slice(1)).toEqual([
      'was = move(to, from);',
      'was = move(from);',
    ]);
    // Their order makes no difference.
    expect(faulty('was = Math.min(from, to);')).not.toContain('was = Math.min(to, from);');
    expect(faulty('was = ask({ url: at(1), signal: own.signal });').slice(1)).toEqual([
      'was = ask({  signal: own.signal });',
      'was = ask({ url: at(1),  });',
    ]);
    expect(faulty("const own = ['a', 'b'];")).toEqual([
      "const own = [ 'b'];",
      "const own = ['a', ];",
    ]);
    expect(faulty('const whole = /^a$/;')).toEqual(['const whole = /a$/;', 'const whole = /^a/;']);
    expect(faulty('for (;;) if (a) { b = 1; break; }')).toContain('for (;;) if (a) { b = 1; ; }');
  });

  test('move a bound by one, by a factor of four and of ten, and open a private file', () => {
    expect(
      mutationsOf('a.ts', 'const mode = 0o600;').map(({ replacement }) => replacement),
    ).toEqual(['0o600 * 4', '0o600 * 10', '(0o600 + 1)', '0o644']);
  });

  test('leave log lines, types and the names of properties alone', () => {
    expect(mutationsOf('a.ts', '({ 200: answer() });')).toHaveLength(1);
    expect(mutationsOf('a.ts', "log.info('started', { after: 3 * seconds });")).toEqual([]);
    expect(mutationsOf('a.ts', 'type A = { b: 3 } | false;')).toEqual([]);
  });
});

test('coverage distinguishes executed lines from others, by file', () => {
  const report = [
    'TN:\nSF:server/a.ts\nFNF:1\nDA:1,2\nDA:3,0\nLF:2\nend_of_record',
    'TN:\nSF:server/b.ts\nDA:10,41\nend_of_record\n',
  ].join('\n');
  expect([...readLcov(report)]).toEqual([
    ['server/a.ts', { run: [1], missed: [3] }],
    ['server/b.ts', { run: [10], missed: [] }],
  ]);
});

describe('switches', () => {
  const numbered = (source: string) =>
    mutationsOf('a.ts', source).map((fault, id) => ({ ...fault, id }));

  let on = -1;
  const isFaultOn = (id: number): boolean => id === on;
  Object.assign(globalThis, { isFaultOn });
  afterAll(() => Reflect.deleteProperty(globalThis, 'isFaultOn'));

  const folder = mkdtempSync(join(tmpdir(), 'captioner-switched-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const load = async (code: string): Promise<() => unknown> => {
    const file = join(folder, `${crypto.randomUUID()}.js`);
    writeFileSync(file, code);
    return ((await import(file)) as { f: () => unknown }).f;
  };

  test('have the effect of the faults, one at a time', async () => {
    const source = `export function f() {
      const got = [];
      for (const n of [1, 2, 3]) { if (n > 1 && n <= 2) got.push({ n, square: n * n }); }
      const half = got.at(0)?.square?.toFixed(Math.max(0, 1)).trim() ?? 'none';
      return JSON.stringify([got, half, new Date(5000).getTime(), typeof got === 'object']);
    }`;
    const faults = numbered(source);
    expect(faults.length).toBeGreaterThan(15);
    const switched = await load(withSwitches('a.ts', source, faults));
    for (const { id, start, end, replacement } of faults) {
      on = id;
      const faulty = await load(source.slice(0, start) + replacement + source.slice(end));
      expect(switched()).toBe(faulty());
    }
  });

  test('leave the program as it is while all are off', async () => {
    const source =
      'export function f() { const a = { b: (n) => n > 1, c: 0 }; if (a.b(2)) a.c = 5; return a.c - 1; }';
    on = -1;
    const switched = await load(withSwitches('a.ts', source, numbered(source)));
    expect(switched()).toBe(4);
  });

  test('show which faults a test file notices, though it runs in one process', async () => {
    const copy = mkdtempSync(join(folder, 'copy-'));
    mkdirSync(join(copy, 'server'));
    const source = `let calls = 0;
export const LEAST = 7;
export const isAdult = (age: number): boolean => age >= 18;
export const count = (): number => (calls += 1);
export const end = (age: number): void => {
  if (age < 1) process.exit();
};`;
    writeFileSync(join(copy, 'server/a.ts'), source);
    writeFileSync(
      join(copy, 'a.test.ts'),
      `import { expect, test } from 'bun:test';
import { count, end, isAdult, LEAST } from './server/a.ts';
test('18', () => { expect(isAdult(18)).toBe(true); });
test('counts', () => { expect(count()).toBeGreaterThan(0); });
test('ends', () => end(2));
test('constant', () => { expect(LEAST).toBe(7); });`,
    );
    const faults = numbered(source).map((fault) => ({ ...fault, path: 'server/a.ts' }));
    const noticed: number[] = [];
    await trySwitched(
      copy,
      'a.test.ts',
      { faults: { 'server/a.ts': faults }, count: faults.length },
      () => true,
      (id) => noticed.push(id),
    );
    const unnoticed = faults.filter(({ id }) => !noticed.includes(id));
    expect(unnoticed.map(({ replacement }) => replacement)).toEqual([
      // Set when the file loads, before any switch is on.
      '1',
      '7 * 4',
      '7 * 10',
      '(7 + 1)',
      // Of the end, the test only notices that it comes too early: the process has gone.
      'false',
      '<=',
      ';',
    ]);
  });
});
