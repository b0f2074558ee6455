/** The command `captioner`: which program it runs, in which runtime, and where the models are. */
import { afterAll, expect, test } from 'bun:test';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { spawned } from './support.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const [checkout, packed] = [join(folder, 'checkout'), join(folder, 'packed')];
const node = Bun.which('node') ?? 'node';
const CACHES = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
const NAMES = ['INIT_CWD', 'CAPTIONER_COMMAND', 'MODELS_DIR'];

/** Prints the words that a program is given, one per line, and the variables that it sees. */
const BUN = `#!/bin/sh
for each; do echo "$each"; done
${NAMES.map((name) => `echo "${name}=$${name}"`).join('\n')}
[ "$DIE" ] && kill -s TERM $$
[ "$WAIT" ] && exec sleep 5
exit 3
`;
const program = (name: string) => `
const { promise, resolve } = Promise.withResolvers();
process.emitWarning('hidden', 'ExperimentalWarning');
if (process.env.WARN) process.emitWarning('shown');
const seen = ${JSON.stringify(NAMES)}.map((each) => each + '=' + (process.env[each] ?? ''));
process.stdout.write(['${name}', ...process.argv.slice(2), ...seen, ''].join('\\n'), resolve);
await promise;
setImmediate(() => process.exit(3));
`;

// In a checkout: the sources, and a program in place of Bun.
const bun = join(checkout, 'node_modules/bun/bin/bun.exe');
await mkdir(join(bun, '..'), { recursive: true });
await writeFile(bun, BUN, { mode: 0o755 });
// In a package: the programs themselves.
const programs = join(packed, 'dist/package/scripts');
await mkdir(programs, { recursive: true });
for (const name of ['caption', 'models', 'webhooks'])
  await writeFile(join(programs, `${name}.js`), program(name));
for (const place of [checkout, packed]) {
  await mkdir(join(place, 'scripts'));
  await copyFile(join(root, 'scripts/captioner.mjs'), join(place, 'scripts/captioner.mjs'));
}
await writeFile(join(checkout, 'scripts/caption.ts'), '');

/** Runs it; returns the program with its words, and the variables that the program sees. */
async function captioner(place: string, words: string[], env: Record<string, string> = {}) {
  const command = [node, join(place, 'scripts/captioner.mjs'), ...words];
  const ran = await spawned(command, folder, { PATH: '/usr/bin:/bin', HOME: '/home/ann', ...env });
  const lines = ran.out.trimEnd().split('\n');
  return { ...ran, given: lines.slice(0, -NAMES.length), seen: lines.slice(-NAMES.length) };
}

test.each([
  [
    ['talk.mp3', '-f', 'srt'],
    ['caption', 'talk.mp3', '-f', 'srt'],
  ],
  [
    ['models', 'fetch', 'a'],
    ['models', 'fetch', 'a'],
  ],
  [
    ['webhooks', 'list'],
    ['webhooks', 'list'],
  ],
  [['./models'], ['caption', './models']],
  [
    ['talk.mp3', 'models'],
    ['caption', 'talk.mp3', 'models'],
  ],
  // Keys are the operator's, in a checkout.
  [['keys'], ['caption', 'keys']],
])('%j runs %j, in a package and in a checkout', async (words, expected) => {
  const inPackage = await captioner(packed, words);
  expect([inPackage.given, inPackage.code, inPackage.err]).toEqual([expected, 3, '']);
  const inCheckout = await captioner(checkout, words);
  const [program, ...rest] = expected;
  expect([inCheckout.given, inCheckout.code]).toEqual([
    [join(checkout, `scripts/${program}.ts`), ...rest],
    3,
  ]);
  for (const { seen } of [inPackage, inCheckout]) {
    expect(seen.slice(0, 2)).toEqual([`INIT_CWD=${folder}`, 'CAPTIONER_COMMAND=captioner']);
  }
});

test.each([
  [checkout, {}, join(checkout, 'data/models')],
  [packed, {}, `/home/ann/${CACHES}/captioner/models`],
  ...(process.platform === 'darwin'
    ? []
    : [[packed, { XDG_CACHE_HOME: '/cache' }, '/cache/captioner/models'] as const]),
  [packed, { MODELS_DIR: '/m' }, '/m'],
  // The program looks below DATA_DIR by itself.
  [packed, { DATA_DIR: '/d' }, ''],
])('from %s with %j the models are in %s', async (place, env: Record<string, string>, models) => {
  const { seen } = await captioner(place, ['models'], env);
  expect(seen[2]).toBe(`MODELS_DIR=${models}`);
});

test('a program ended by a signal has its exit code; one without Bun says how to get it', async () => {
  expect((await captioner(checkout, ['talk.mp3'], { DIE: 'yes' })).code).toBe(128 + 15);
  await chmod(bun, 0o644);
  const { code, err } = await captioner(checkout, ['talk.mp3']);
  await chmod(bun, 0o755);
  expect([code, err]).toEqual([1, 'captioner needs Bun: run npm install in its folder.\n']);
});

test('a signal is passed on to the program', async () => {
  const child = Bun.spawn([node, join(checkout, 'scripts/captioner.mjs'), 'talk.mp3'], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', WAIT: 'yes' },
  });
  // It runs once it prints.
  await child.stdout.getReader().read();
  child.kill('SIGTERM');
  expect(await child.exited).toBe(128 + 15);
});

test('a reader that stops early ends a package without an error', async () => {
  const script = '"$0" "$1" models | true; echo "${PIPESTATUS[0]}"';
  const words = ['/bin/bash', '-c', script, node, join(packed, 'scripts/captioner.mjs')];
  expect(await spawned(words, folder, { PATH: '/usr/bin:/bin' })).toEqual({
    out: '0\n',
    err: '',
    code: 0,
  });
});

test('a package hides the warnings of experiments, and no others', async () => {
  const { err } = await captioner(packed, ['models'], { WARN: 'yes' });
  expect(err).toBe('Warning: shown\n');
});
