/** The commands as a user types them: help, versions, incorrect usage, and no bun on the PATH. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../support/checkout.ts';
import { sample } from '../../support/sample.ts';
import { spawned } from '../../scripts/support.ts';

setDefaultTimeout(300_000);

const COMMANDS = ['caption', 'demo', 'keys', 'models', 'packs', 'webhooks'] as const;

/** These must work without a data folder and a database. */
const run = (name: string, args: string[]) =>
  spawned([process.execPath, join(root, 'scripts', `${name}.ts`), ...args], root, {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: '/dev/null/none',
    DATABASE_URL: 'none://',
  });

describe.each(COMMANDS)('%s', (name) => {
  test('prints its version and each option to standard output, and does no more', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const [help, told] = await Promise.all([run(name, ['-h']), run(name, ['--version'])]);
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toContain(`npm run ${name}`);
    // Each option has a line with a description.
    const options = help.out.split('\n').filter((line) => /^ {2}(?:-\w, | {4})--/.test(line));
    expect(options.length).toBeGreaterThanOrEqual(2);
    for (const line of options)
      expect(line).toMatch(/^ {2}(?:-\w, )? *--[\w-]+(?: [A-Z]+)? {2,}\S.{10,}/);
    expect(told).toEqual({ out: `captioner ${version}\n`, err: '', code: 0 });
  });

  // caption accepts any number of recordings.
  const many = name === 'caption' ? ['x', '--width'] : ['x', 'y', 'z'];
  test.each([[['--nope']], [many]])(
    'prints its usage to standard error, with exit code 2: %j',
    async (args) => {
      const { out, err, code } = await run(name, args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(`Help: npm run ${name} -- --help`);
      expect(err).not.toMatch(/^\s+at /m);
    },
  );
});

test.each([
  ['keys', ['revoke']],
  ['models', ['fetch', 'nope']],
  ['webhooks', ['list']],
  ['caption', []],
  ['caption', [sample, '-f', 'srt,doc']],
  ['caption', [sample, '-o', '-', '--json']],
  ['caption', [sample, '--width', 'wide']],
  ['caption', [sample, '--lines', '9']],
  ['caption', [sample, '--packs', 'identity-auth,no-such-pack']],
  ['caption', [sample, '--server', 'http://captions.example']],
] as const)('%s %j is incorrect usage', async (name, args) => {
  const { code, err } = await run(name, [...args]);
  expect([code, err]).toEqual([2, expect.stringContaining('--help')]);
});

test('other errors cause exit code 1, with one line and no stack', async () => {
  for (const [name, ...args] of [
    ['packs', '/dev/null/none'],
    ['caption', '/dev/null/none.mp3'],
  ] as const) {
    const { code, err } = await run(name, args);
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toHaveLength(1);
  }
});
