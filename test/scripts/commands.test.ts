/** The other commands: the command line that all share, the launcher, models and keys. */
import { afterAll, afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Command,
  CommandFailure,
  readCommandLine,
  UsageError,
} from '../../scripts/command-line.ts';
import { manageKeys, requireUse } from '../../scripts/key-commands.ts';
import { manageModels } from '../../scripts/model-commands.ts';
import { readConfig } from '../../server/config/config.ts';
import { createHasher, readPepper } from '../../server/identity/secrets.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { root } from '../support/checkout.ts';
import { type HttpDouble, startHttpDouble } from '../support/doubles/http-double.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { listening, spawned } from './support.ts';
import { keepSpeed } from '../../server/models/machine-notes.ts';
import { lockDataFolder } from '../../server/storage/file-lock.ts';

describe('the command line that all commands share: a command line', () => {
  const command = {
    name: 'try',
    says: 'Tries.',
    uses: [{ line: 'A', says: 'Tries A' }],
    options: {
      kind: {
        short: 'k',
        value: 'KIND',
        says: 'What kind',
        oneOf: ['one', 'two'],
        default: 'one',
      },
      loud: { says: 'Loudly' },
    },
    notes: ['A note.'],
  } satisfies Command;
  const read = (...args: string[]) => readCommandLine(command, args);

  test('returns values, switches, defaults, and the rest in order', () => {
    expect(read('a', '-k', 'two', 'b', '--loud')).toEqual({
      options: { kind: 'two', loud: 'loud' },
      words: ['a', 'b'],
    });
    expect(read('--kind=two', '--', '--loud')).toEqual({
      options: { kind: 'two' },
      words: ['--loud'],
    });
    expect(read()).toEqual({ options: { kind: 'one' }, words: [] });
  });
  test('is refused with a sentence', () => {
    expect(() => read('--kind', 'three')).toThrow('--kind must be one of one, two, not three.');
    expect(() => read('--kind')).toThrow(UsageError);
    expect(() => read('--loud=very')).toThrow(UsageError);
    expect(() => read('-x')).toThrow(/^Unknown option '-x'\.$/);
    expect(() => read('--kind=')).toThrow('--kind needs a value.');
  });
});

describe('the command `captioner`', async () => {
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
[ "$WAIT" ] && exec sleep 5
exit 3
`;
  const program = (name: string) => `
const { promise, resolve } = Promise.withResolvers();
process.emitWarning('hidden', 'ExperimentalWarning');
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
    const ran = await spawned(command, folder, {
      PATH: '/usr/bin:/bin',
      HOME: '/home/ann',
      ...env,
    });
    const lines = ran.out.trimEnd().split('\n');
    return { ...ran, given: lines.slice(0, -NAMES.length), seen: lines.slice(-NAMES.length) };
  }

  test.each([
    ['talk.mp3 -f srt', 'caption talk.mp3 -f srt'],
    ['models fetch a', 'models fetch a'],
    ['./models', 'caption ./models'],
    ['talk.mp3 models', 'caption talk.mp3 models'],
    // Keys are the operator's, in a checkout.
    ['keys', 'caption keys'],
  ])('“%s” runs “%s”, in a package and in a checkout', async (typed, run) => {
    const [words, expected] = [typed.split(' '), run.split(' ')];
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
});

describe('`models` and `models fetch`', async () => {
  let folder = '';
  let host: HttpDouble;
  beforeEach(async () => {
    folder = await temporaryFolder();
    host = await startHttpDouble(
      () => new Response('a model', { headers: { 'content-length': '7' } }),
    );
  });
  afterEach(async () => {
    await host.close();
    await removeFolder(folder);
  });

  function terminal(isTTY: boolean) {
    const written: string[] = [];
    const out = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
    return { out, written };
  }
  /** Runs a command; returns what it prints, and its progress in a log. */
  const models = async (...words: string[]) => {
    const printed: string[] = [];
    const { out: progress, written } = terminal(false);
    const print = (text: string) => void printed.push(text);
    await manageModels(words, { modelsDir: folder, baseUrl: host.origin, print, progress });
    return { out: printed.join('\n'), progress: written.join('') };
  };

  test.each([
    [['fetch'], 'Which model? parakeet-110m-transducer, parakeet-110m, '],
    [['fetch', 'nope'], 'nope is not one of parakeet-110m-transducer, parakeet-110m, '],
    [['fetch', 'silero-vad', 'more'], 'fetch silero-vad more is not a command: use list or fetch'],
    [['list', 'silero-vad'], 'list silero-vad is not a command'],
    [['remove'], 'remove is not a command'],
  ])('%j is incorrect usage: %s', async (words, says) => {
    await expect(models(...words)).rejects.toThrow(UsageError);
    await expect(models(...words)).rejects.toThrow(says);
    expect(host.requests).toEqual([]);
  });

  test('the list has the size, languages, speed, folder and licence of each model', async () => {
    await mkdir(join(folder, 'parakeet-110m'));
    await writeTinyModel(join(folder, 'parakeet-110m'));
    const at = '2026-11-22T10:00:00.000Z';
    await keepSpeed(folder, 'parakeet-110m', { audio: 600, seconds: 120, at });
    const { out } = await models();
    expect(out).toStartWith(`Models in ${folder}:\n\n`);
    expect(out).toMatch(/\nparakeet-110m {2}\(126 MB, installed\)\n.*\n {2}Languages: en\n/);
    expect(out).toContain(
      '  Speed: 0.20 of real time in each process (on this machine, 2026-11-22)\n',
    );
    expect(out).toContain(`\n  Folder: ${join(folder, 'parakeet-110m')}\n  Licence: Parakeet `);
    expect(out).toContain('  Speed: not yet measured on this machine\n');
    // A model that recognises no speech has neither languages nor a speed.
    expect(out).toMatch(/\nsilero-vad {2}\(2 MB, not installed\)\n.*\n {2}From: .*\n {2}Licence: /);
    expect(out).toMatch(/\nFetch one with: .* fetch NAME$/);
    expect(await models('list')).toEqual({ out, progress: '' });
  });

  test('a download has its licence, its progress, its folder, and the checksums to compare later', async () => {
    const { out, progress } = await models('fetch', 'silero-vad');
    expect(out).toStartWith(
      'silero-vad: Voice activity detection, any language\nSilero VAD by the Silero Team, MIT\n',
    );
    expect(out).toContain(`\nInstalled in ${join(folder, 'silero-vad')}\n`);
    expect(out).toMatch(/no checksums\. .*:\n[0-9a-f]{64} {2}silero_vad\.onnx\n$/);
    expect(progress).toEndWith('100% (0 MB of 0 MB)\n');
  });

  test('a download that the user stops can be resumed', async () => {
    host.behave(() => ({ fault: 'hang' }));
    const stopped = models('fetch', 'silero-vad').catch((reason: unknown) => reason);
    while (host.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    process.emit('SIGINT');
    expect(String(await stopped)).toContain('Stopped; run it again to resume.');
  });
});

describe('`npm run keys`', () => {
  const umask = process.umask();
  const AT = Date.parse('2026-11-26T10:20:30Z');
  setSystemTime(AT);
  afterAll(() => {
    setSystemTime();
    process.umask(umask);
  });
  let folder = '';
  const said = listening();
  beforeEach(async () => {
    folder = join(await temporaryFolder(), 'data');
    await mkdir(folder, { mode: 0o700 });
    await migrateDatabase(readConfig({ DATA_DIR: folder }).databaseUrl);
  });
  afterEach(() => removeFolder(join(folder, '..')));

  /** Runs a command; returns the lines that it prints on standard output. */
  const keys = async (words: string[], env: Record<string, string> = {}): Promise<string[]> => {
    const printed: string[] = [];
    const config = readConfig({ DATA_DIR: folder, ...env });
    await manageKeys(words, config, (line) => printed.push(line));
    return printed;
  };
  /** The columns of each key in the list. */
  const listed = async () => (await keys(['list'])).map((line) => line.split('\t'));

  test.each([
    [[], 'Choose a command: list, create, revoke or revoke-unused.'],
    [['create'], 'Nothing is not an email address.'],
    [['create', 'nobody'], 'nobody is not an email address.'],
    [['create', 'a@example.com', 'captioner:caption:run', 'no:scope'], 'no:scope is not a scope.'],
    [['create', 'ann@example.com', 'no:scope'], 'no:scope is not a scope.'],
    [['revoke'], 'revoke needs the id of one key.'],
    [['revoke', 'a', 'b'], 'revoke needs the id of one key.'],
    [['list', 'all'], 'list all is not a command: use list, create, revoke or revoke-unused.'],
    [['delete', 'a'], 'delete a is not a command: use list, create, revoke or revoke-unused.'],
  ])('%j is incorrect usage: %s', (words, says) => {
    expect(() => requireUse(words)).toThrow(UsageError);
    expect(() => requireUse(words)).toThrow(says);
  });

  test('a key is printed once, and stored as the hash that the service compares', async () => {
    const printed = await keys(['create', 'Ann@Example.COM', 'captioner:caption:run']);
    expect(printed).toEqual([expect.stringMatching(/^cap_live_/)]);
    const [key = ''] = printed;
    const id = key.split('_')[2] ?? '';
    expect(said()).toBe(`Key ${id} for Ann@Example.COM. It is shown only once:\n`);
    expect(await listed()).toEqual([
      [
        id,
        'good',
        'ann@example.com',
        expect.stringMatching(/^personal:/),
        'created 2026-11-26T10:20Z',
        'never used',
        'captioner:caption:run',
      ],
    ]);
    const database = openDatabase(readConfig({ DATA_DIR: folder }).databaseUrl);
    const row = await database.selectFrom('api_keys').select('key_hash').executeTakeFirst();
    await database
      .updateTable('api_keys')
      .set({ last_used_at: AT + 60_000 })
      .execute();
    await database.destroy();
    expect(row?.key_hash).toBe(createHasher(await readPepper(folder)).hash('key', key));
    expect((await listed())[0]?.[5]).toBe('used 2026-11-26T10:21Z');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('a revoked key stays in the list, with the time; an unknown one is reported', async () => {
    const [key = ''] = await keys(['create', 'ann@example.com']);
    const id = key.split('_')[2] ?? '';
    expect(await keys(['revoke', id])).toEqual([]);
    expect(said()).toContain(`${id} is revoked.`);
    expect((await listed())[0]?.slice(0, 2)).toEqual([id, 'revoked 2026-11-26T10:20Z']);
    await expect(keys(['revoke', 'nothing'])).rejects.toThrow(CommandFailure);
    await expect(keys(['revoke', 'nothing'])).rejects.toThrow('There is no key nothing.');
  });

  test('the commands work next to a running service, which has locked the folder', async () => {
    expect(await keys(['list'])).toEqual([]);
    const unlock = lockDataFolder(folder);
    expect(await keys(['create', 'ann@example.com'])).toHaveLength(1);
    unlock();
    // Nobody keeps it locked.
    lockDataFolder(folder)();
  });
});
