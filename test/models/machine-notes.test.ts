/** The measured speed of models, stored next to them. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { until } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { keepSpeed, speedInWords, speedOf } from '../../server/models/machine-notes.ts';
import { createModelSpeeds } from '../../server/models/model-speeds.ts';

setDefaultTimeout(120_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const at = '2026-11-22T10:00:00.000Z';

test('the last measurement of a listed model is stored, and of nothing else', async () => {
  expect(await speedOf(folder, 'whisper-base')).toBeNull();
  await keepSpeed(folder, 'whisper-base', { audio: 100, seconds: 50, at });
  await keepSpeed(folder, 'whisper-base', { audio: 600, seconds: 120, at });
  const speed = await speedOf(folder, 'whisper-base');
  expect(speed).toEqual({ audio: 600, seconds: 120, at });
  expect(speedInWords(speed!)).toBe(
    '0.20 of real time in each process (on this machine, 2026-11-22)',
  );
  for (const name of ['own-model', '../elsewhere'])
    await keepSpeed(folder, name, { audio: 1, seconds: 1, at });
  expect(await readdir(join(folder, '.speeds'))).toEqual(['whisper-base.json']);
  expect(await readdir(folder)).toEqual(['.speeds']);
});

test('windows are added up, and stored at most once a minute', async () => {
  const models = join(folder, 'minutes');
  await mkdir(models);
  let now = Date.parse(at);
  const keep = createModelSpeeds(models, () => now);
  const model = {
    kind: 'nemo_ctc' as const,
    files: { model: join(models, 'parakeet-110m', 'model.onnx'), tokens: '' },
  };
  // Less than twenty seconds are no measurement yet.
  const other = { ...model, files: { model: join(models, 'parakeet-v3', 'a'), tokens: '' } };
  for (const audio of [10, 10]) keep(other, audio, 2);
  await until(async () => (await speedOf(models, 'parakeet-v3'))?.audio === 20, 10_000);
  await rm(join(models, '.speeds', 'parakeet-v3.json'));
  const stored = async (audio: number) => {
    await until(async () => (await speedOf(models, 'parakeet-110m'))?.audio === audio);
    return speedOf(models, 'parakeet-110m');
  };
  keep(model, 25, 5);
  expect(await stored(25)).toEqual({ audio: 25, seconds: 5, at });
  for (let window = 0; window < 5; window += 1) {
    now += 11_000;
    keep(model, 10, 2);
  }
  expect(await speedOf(models, 'parakeet-110m')).toEqual({ audio: 25, seconds: 5, at });
  now += 11_000;
  keep(model, 5, 1);
  expect(await stored(80)).toMatchObject({ seconds: 16 });
  // After ten minutes of audio, a measurement begins anew.
  now += 61_000;
  keep(model, 520, 104);
  expect(await stored(600)).toMatchObject({ seconds: 120 });
  const files = { segmentation: join(models, 'speaker-segmentation', 'a'), embedding: '' };
  keep({ kind: 'speakers', files }, 25, 5);
  now += 61_000;
  keep(model, 25, 5);
  expect(await stored(25)).toMatchObject({ seconds: 5 });
  expect(await readdir(join(models, '.speeds'))).toEqual(['parakeet-110m.json']);
});

test('the list of models shows the measured speed', async () => {
  const models = join(folder, 'used');
  await mkdir(join(models, 'parakeet-110m'), { recursive: true });
  await writeTinyModel(join(models, 'parakeet-110m'));
  await keepSpeed(models, 'parakeet-110m', { audio: 25, seconds: 5, at });
  const listed = spawnSync(process.execPath, [join(root, 'scripts/models.ts')], {
    encoding: 'utf8',
    env: { ...process.env, MODELS_DIR: models },
  });
  expect(listed.stdout).toMatch(
    /parakeet-110m {2}\(126 MB, installed\)[^\n]*\n[^\n]*\n[^\n]*\n {2}Speed: 0\.20 of real time/,
  );
  expect(listed.stdout).toContain('  Speed: not yet measured on this machine');
  expect(listed.stdout).toContain('speaker-embedding  (28 MB, not installed)');
});
