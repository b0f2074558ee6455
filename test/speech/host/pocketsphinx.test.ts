/** Pocketsphinx as a program that a script takes the place of: its input, its words and its failures. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StageFailure } from '../../../server/contract/failure.ts';
import { onChild } from '../../../server/base/child-processes.ts';
import {
  hasPocketsphinx,
  recognizeWithPocketsphinx,
} from '../../../server/speech/host/pocketsphinx.ts';
import { createWindowRecognisers } from '../../../server/speech/host/window-recognisers.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { never } from './engine-support.ts';

let folder = '';
const path = process.env['PATH'];
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterEach(() => {
  process.env['PATH'] = path;
});
afterAll(() => removeFolder(folder));

/** Installs a shell script as the program, before any other of its name. */
async function install(script: string): Promise<void> {
  const program = join(folder, 'pocketsphinx_continuous');
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  process.env['PATH'] = `${folder}:${path}`;
}

const recognise = (seconds: number) =>
  recognizeWithPocketsphinx(new Float32Array(seconds * 16_000), folder, never);
const leftOver = () => readdir(join(folder, 'pocketsphinx'));

test('reads a private WAV file, which is removed, and writes the words of it', async () => {
  // Its first word is the number of bytes of the file, its second one the mode.
  await install(
    'echo "$(wc -c < "$2") 0.100 0.500 0.9"; echo "$(stat -c %a "$2") 0.600 1.000 0.8"',
  );
  expect(hasPocketsphinx()).toBe(true);
  const words = await recognise(2);
  expect(words).toMatchObject([
    { text: String(44 + 2 * 32_000), start: 0.1, end: 0.5 },
    { text: '600', start: 0.6, end: 1 },
  ]);
  expect(await leftOver()).toEqual([]);
});

test('only words count, without marks of silence, noise and variants', async () => {
  const output = [
    'ask not what',
    '<s> 0.000 0.300 1.000000',
    'ask 0.310 0.600 0.998',
    'not(2) 0.610 0.900 0.5',
    '<sil> 0.910 1.000 1.0',
    '[NOISE] 1.000 1.100 1.0',
    '++COUGH++ 1.000 1.100 1.0',
    "i'm 1.110 1.300 1.2",
    'a 1.300 1.300 0.25',
    '</s> 1.310 1.400 1.0',
    '',
  ].join('\n');
  await install(`cat <<'END'\n${output}\nEND`);
  expect(await recognise(2)).toMatchObject([
    { text: 'ask', start: 0.31, end: 0.6, confidence: 0.998 },
    { text: 'not', start: 0.61, end: 0.9, confidence: 0.5 },
    { text: "I'm", start: 1.11, end: 1.3, confidence: 1 },
    { text: 'a', start: 1.3, end: 1.31, confidence: 0.25 },
  ]);
});

test('only a program that may be run counts, and it may remove its own input', async () => {
  await install('rm "$2"; echo "word 0.1 0.5 0.9"');
  expect(await recognise(1)).toHaveLength(1);
  process.env['PATH'] = folder;
  await chmod(join(folder, 'pocketsphinx_continuous'), 0o644);
  expect(hasPocketsphinx()).toBe(false);
});

test('the program knows none of the secrets of the service, and its start and end are reported', async () => {
  const news: boolean[] = [];
  onChild(({ alive }) => news.push(alive));
  await install('echo "${CAPTIONER_SECRET:-unknown} 0.1 0.5 0.9"');
  process.env['CAPTIONER_SECRET'] = 'known';
  const [word] = await recognise(1).finally(() => delete process.env['CAPTIONER_SECRET']);
  expect(word?.text).toBe('unknown');
  expect(news).toEqual([true, false]);
});

test('a run that has ended starts no program', async () => {
  await install(`touch ${join(folder, 'started')}`);
  const samples = new Float32Array(16_000);
  const asked = recognizeWithPocketsphinx(samples, folder, AbortSignal.abort(new Error('ended')));
  await expect(asked).rejects.toThrow('ended');
  expect(existsSync(join(folder, 'started'))).toBe(false);
  expect(await leftOver()).toEqual([]);
});

test.each([
  ['exit 3', 'pocketsphinx ended (3).'],
  ['kill -9 $$', 'pocketsphinx ended (SIGKILL).'],
])('a program that ends with %s has failed, whatever it wrote', async (script, message) => {
  await install(`echo "word 0.1 0.5 0.9"; ${script}`);
  const failing = recognise(1);
  await expect(failing).rejects.toThrow(StageFailure);
  await expect(failing).rejects.toThrow(message);
  expect(await leftOver()).toEqual([]);
});

test('the words of a window have the times of the recording', async () => {
  await install('echo "word 0.100 0.500 0.9"');
  const recognisers = createWindowRecognisers({} as never, { slots: 1 } as never, folder);
  const use = { terms: [], pronunciations: {}, near: {}, windows: 0, failed: 0, replaced: 0 };
  const hear = await recognisers({ engine: 'pocketsphinx' }, 'en', [], use);
  expect(await hear(new Float32Array(16_000), { start: 10, end: 11 }, never)).toMatchObject([
    { text: 'word', start: 10.1, end: 10.5 },
  ]);
});

test('a missing program is a failure that says so', async () => {
  process.env['PATH'] = join(folder, 'no-such-folder');
  expect(hasPocketsphinx()).toBe(false);
  await expect(recognise(1)).rejects.toThrow('pocketsphinx cannot be run');
});
