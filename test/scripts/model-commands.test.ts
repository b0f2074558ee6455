/** `models` and `models fetch`: the list, a download with its progress, and failures. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { manageModels, modelsFolder, progressBar } from '../../scripts/model-commands.ts';
import { MODELS } from '../../server/models/registry.ts';
import { keepSpeed } from '../../server/models/speeds.ts';
import { startHttpDouble, type HttpDouble } from '../support/doubles/http-double.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

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
  [{ MODELS_DIR: '/m', DATA_DIR: '/d' }, '/m'],
  [{ DATA_DIR: '/d' }, '/d/models'],
  [{}, 'data/models'],
])('with %j the folder is %s', (env, expected) => {
  expect(modelsFolder(env)).toBe(expected);
});

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
  expect(out).toContain(
    [
      'parakeet-110m  (126 MB, installed)',
      '  English speech recognition, with case and punctuation',
      '  Languages: en',
      '  Speed: 0.20 of real time in each process (on this machine, 2026-11-22)',
      `  From: ${new URL(host.origin).host}`,
      `  Folder: ${join(folder, 'parakeet-110m')}`,
      '  Licence: Parakeet TDT-CTC 110M by NVIDIA, CC-BY-4.0; converted by the sherpa-onnx project',
      '',
      'moonshine-base  (73 MB, not installed)',
    ].join('\n'),
  );
  expect(out).toContain('  Speed: not yet measured on this machine\n');
  // A model that recognises no speech has neither languages nor a speed.
  expect(out).toContain(
    `silero-vad  (2 MB, not installed)\n  Voice activity detection, any language\n  From: ${new URL(host.origin).host}\n  Licence: `,
  );
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

test('checksums that are known are not printed', async () => {
  const model = MODELS.find(({ name }) => name === 'silero-vad')!;
  const sum = createHash('sha256').update('a model').digest('hex');
  Object.assign(model, { sums: { 'silero_vad.onnx': sum } });
  const { out } = await models('fetch', 'silero-vad').finally(() => delete model.sums);
  expect(out).toEndWith(`\nInstalled in ${join(folder, 'silero-vad')}`);
});

test('a failed download is explained, with what helps', async () => {
  host.behave(() => new Response('', { status: 404 }));
  const failed = models('fetch', 'silero-vad');
  await expect(failed).rejects.toThrow(CommandFailure);
  await expect(failed).rejects.toThrow(
    /^\nThe model silero-vad .*responded with 404\.\nPut silero_vad\.onnx into the folder silero-vad/,
  );
});

test('a download that the user stops can be resumed', async () => {
  host.behave(() => ({ fault: 'hang' }));
  const stopped = models('fetch', 'silero-vad').catch((reason: unknown) => reason);
  while (host.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  process.emit('SIGINT');
  expect(String(await stopped)).toContain('Stopped; run it again to resume.');
});

test('an installed model is not downloaded again', async () => {
  await writeFile(join(folder, 'silero_vad.onnx'), 'a model');
  expect((await models('fetch', 'silero-vad')).out).toEndWith(`\nInstalled in ${folder}`);
  expect(host.requests).toEqual([]);
});

test('progress in a log is a line for every tenth', () => {
  const { out, written } = terminal(false);
  const show = progressBar(out);
  for (let received = 0; received <= 20e6; received += 1e6) show(received, 20e6);
  show(24e6, 20e6);
  expect(written).toHaveLength(11);
  expect(written.slice(0, 2)).toEqual(['0% (0 MB of 20 MB)\n', '10% (2 MB of 20 MB)\n']);
  expect(written.at(-1)).toBe('100% (20 MB of 20 MB)\n');
});

test('progress on a terminal is a bar that is redrawn, and left at the end', () => {
  const { out, written } = terminal(true);
  const show = progressBar(out);
  show(1e6, 0);
  show(100.4e6, 200e6);
  show(100.5e6, 200e6);
  show(200e6, 200e6);
  expect(written).toEqual([
    `\r${'░'.repeat(30)} 0% (1 MB of 0 MB)`,
    `\r${'█'.repeat(15)}${'░'.repeat(15)} 50% (100 MB of 200 MB)`,
    `\r${'█'.repeat(30)} 100% (200 MB of 200 MB)`,
    '\n',
  ]);
});
