/** Deleting a recording, which only its own workspace can do. */
import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { mountedApp } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';

const app = await mountedApp();

test('DELETE /audio/{key}', async () => {
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@example.org');
  const ask = async (method: string, key: string, body?: Uint8Array<ArrayBuffer>) =>
    (await app.ask('/audio/talk.mp3', { method, key, ...(body && { body }) })).status;
  expect(await ask('PUT', ann.key, new Uint8Array(await readFile(sample)))).toBe(200);
  expect(await ask('DELETE', bob.key)).toBe(404);
  expect(await ask('DELETE', ann.key)).toBe(204);
  expect(await app.services.audio.stat(ann.organizationId, 'talk.mp3')).toBeNull();
  expect(await ask('DELETE', ann.key)).toBe(404);
});
