/** The commands as a user types them: help, incorrect usage and other errors. */
import { expect, setDefaultTimeout, test } from 'bun:test';
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

test.each(COMMANDS)(
  '%s describes each option, and answers wrong usage on standard error',
  async (name) => {
    // caption accepts any number of recordings, but not none.
    const wrong = name === 'caption' ? [] : ['x', 'y', 'z'];
    const [help, { out, err, code }] = await Promise.all([run(name, ['-h']), run(name, wrong)]);
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toContain(`npm run ${name}`);
    const options = help.out.split('\n').filter((line) => /^ {2}(?:-\w, | {4})--/.test(line));
    expect(options.length).toBeGreaterThanOrEqual(2);
    for (const line of options)
      expect(line).toMatch(/^ {2}(?:-\w, )? *--[\w-]+(?: [A-Z]+)? {2,}\S.{10,}/);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`Help: npm run ${name} -- --help`);
    expect(err).not.toMatch(/^\s+at /m);
  },
);

test.each([
  ['webhooks', ['list']],
  ['caption', [sample, '--packs', 'identity-auth,no-such-pack']],
] as const)('%s %j is incorrect usage', async (name, args) => {
  const { code, err } = await run(name, [...args]);
  expect([code, err]).toEqual([2, expect.stringContaining('--help')]);
});

test('other errors cause exit code 1, with one line and no stack', async () => {
  const { code, err } = await run('packs', ['/dev/null/none']);
  expect([code, err.trim().split('\n')]).toEqual([1, [expect.any(String)]]);
});
