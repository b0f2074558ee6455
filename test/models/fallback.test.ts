/** Fallbacks for models that are unavailable. */
import { afterAll, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnreachableError } from '../../server/models/download.ts';
import { getOrFallback, fallbackFor } from '../../server/models/fallback.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const where = { modelsDir: folder, language: 'en' };
const TRANSDUCER = 'parakeet-110m-transducer';

/** Gets only these models, and records the requests. */
function getter(error: Error, ...there: string[]) {
  const asked: string[] = [];
  const get = async (name: string) => {
    asked.push(name);
    if (there.includes(name)) return `${name} here`;
    throw error;
  };
  return { asked, get };
}

test('the model itself, otherwise its fallback with the reason, otherwise the first error', async () => {
  const broken = new Error('broken');
  expect(await getOrFallback(where, TRANSDUCER, getter(broken, TRANSDUCER).get)).toEqual({
    value: `${TRANSDUCER} here`,
    name: TRANSDUCER,
  });
  expect(await getOrFallback(where, TRANSDUCER, getter(broken, 'parakeet-110m').get)).toEqual({
    value: 'parakeet-110m here',
    name: 'parakeet-110m',
    failure: broken,
  });
  await expect(getOrFallback(where, TRANSDUCER, getter(broken).get)).rejects.toBe(broken);
});

test('unreachable hosts are not tried twice, but an installed fallback is used', async () => {
  const error = new Error('model_unavailable', {
    cause: new UnreachableError('no route', { network: true, retryable: false }),
  });
  const first = getter(error, 'parakeet-110m');
  await expect(getOrFallback(where, TRANSDUCER, first.get)).rejects.toBe(error);
  expect(first.asked).toEqual([TRANSDUCER]);
  await mkdir(join(folder, 'parakeet-110m'));
  await writeTinyModel(join(folder, 'parakeet-110m'));
  expect((await getOrFallback(where, TRANSDUCER, first.get)).name).toBe('parakeet-110m');
});

test('a fallback has to support the language, and an aborted run gets none', async () => {
  expect(fallbackFor('sense-voice', 'ja')).toBe('whisper-small');
  expect(fallbackFor('sense-voice', 'yue')).toBeUndefined();
  expect(fallbackFor('whisper-base', 'en')).toBeUndefined();
  const stop = new AbortController();
  stop.abort(new Error('cancelled'));
  const asked = getter(new Error('broken'), 'parakeet-110m');
  const got = getOrFallback({ ...where, signal: stop.signal }, TRANSDUCER, asked.get);
  await expect(got).rejects.toThrow('cancelled');
});
