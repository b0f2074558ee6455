/** Passing on: an abort reaches the download and the fallback, and messages are limited in length. */
import { createHash } from 'node:crypto';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getOrFallback } from '../../server/models/fallback.ts';
import { findModel } from '../../server/models/installed.ts';
import { ensureModel } from '../../server/models/models.ts';
import { reasonOf } from '../../server/models/redact-paths.ts';
import { failureOf } from '../support/failure-of.ts';
import { limits, modelStore, NAME, releaseHost } from './support.ts';

setDefaultTimeout(60_000);

const store = modelStore();

test('an abort ends the request for a model, not only the wait for it', async () => {
  const closed = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  store.host = await releaseHost((_, response) => {
    response.once('close', () => closed.resolve());
    asked.resolve();
  });
  const controller = new AbortController();
  const fetched = ensureModel(store.path, NAME, {
    baseUrl: store.host.url,
    limits: { ...limits, connect: 50_000 },
    signal: controller.signal,
  });
  fetched.catch(() => {});
  await asked.promise;
  controller.abort(new Error('cancelled'));
  await expect(fetched).rejects.toThrow('cancelled');
  await closed.promise;
});

test('a fallback that fails because of an abort fails with its reason', async () => {
  const controller = new AbortController();
  const options = { modelsDir: store.path, language: 'ja', signal: controller.signal };
  const tried: string[] = [];
  const made = getOrFallback(options, 'sense-voice', async (name) => {
    tried.push(name);
    if (tried.length === 2) controller.abort(new Error('cancelled'));
    throw new Error(`${name} is broken`);
  });
  await expect(made).rejects.toThrow('cancelled');
  expect(tried).toEqual(['sense-voice', 'whisper-small']);
  const failing = getOrFallback({ modelsDir: store.path, language: 'ja' }, 'sense-voice', (name) =>
    Promise.reject(new Error(`${name} is broken`)),
  );
  await expect(failing).rejects.toThrow('whisper-small is broken');
});

test.each([
  [300, 300],
  [301, 300],
  [5000, 300],
])('a message of %d characters has %d', (length, shown) => {
  expect(reasonOf(new Error('x'.repeat(length)))).toBe('x'.repeat(shown));
});

test('a message is cut after its folders are removed, of which there may be many', () => {
  const path = `/srv/${'folder/'.repeat(60)}file`;
  expect(reasonOf(new Error(`${path} is gone`))).toBe('file is gone');
  expect(reasonOf('no error at all')).toBe('no error at all');
});

test('the checksum of a file is computed once, as long as its size and time stay', async () => {
  const folder = join(store.path, NAME);
  const model = join(folder, 'model.onnx');
  await mkdir(folder, { recursive: true });
  const sum = (content: string) => createHash('sha256').update(content).digest('hex');
  await writeFile(join(folder, 'tokens.txt'), 'tokens');
  await writeFile(model, 'weights');
  await utimes(model, 1000, 1000);
  await writeFile(
    join(folder, 'SHA256SUMS'),
    `${sum('tokens')}  tokens.txt\n${sum('weights')}  model.onnx\n`,
  );
  expect(await findModel(store.path, NAME)).not.toBeNull();
  await writeFile(model, 'WEIGHTS');
  await utimes(model, 1000, 1000);
  expect(await findModel(store.path, NAME)).not.toBeNull();
  await utimes(model, 1001, 1001);
  expect(await findModel(store.path, NAME)).toBeNull();
});

test('the failure for an unknown name lists the models that can be chosen', async () => {
  const failure = await failureOf(ensureModel(store.path, 'nothing'));
  expect(failure).toMatchObject({ retryable: false, model: 'nothing' });
  expect(failure.suggestions).toMatchObject([
    { label: 'Choose a model', description: expect.stringContaining('parakeet-v3, sense-voice') },
  ]);
  // The folder of a missing model is the operator's own.
  expect(await failureOf(ensureModel(store.path, '/srv/private/own-model'))).toMatchObject({
    message: expect.stringContaining('no complete model named own-model,'),
    model: 'own-model',
  });
});
