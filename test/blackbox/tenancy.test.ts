/** Data of one organisation is not visible to another by any route. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { client, signUp, type Any } from '../support/servers/client.ts';
import { sample } from '../support/sample.ts';
import { twoWorkspaces } from '../support/servers/workspaces.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);
const { server, ann, bob } = await twoWorkspaces({ env: { TEAM_EMAIL_DOMAIN: 'team.example' } });
let runId = '';
beforeAll(async () => {
  await ann.put('a.mp3', talk);
  const payload = { audio: { key: 'a.mp3' }, storage: { retainSourceAudio: true } };
  const { result, _meta } = await ann.caption(payload);
  expect(result.status).toBe('completed');
  ({ runId } = _meta);
});

describe('another organisation cannot access', () => {
  test.each(['', '/captions.srt', '/captions.vtt', '/captions.txt', '/captions.json'])(
    'a run: GET …%s',
    async (path) => {
      expect((await ann.get(`/workflows/captioner/${runId}${path}`)).status).toBe(200);
      const [other, none] = await Promise.all([
        bob.get(`/workflows/captioner/${runId}${path}`),
        bob.get(`/workflows/captioner/run_that_never_was${path}`),
      ]);
      expect([other.status, await other.text()]).toEqual([404, await none.text()]);
    },
  );

  test.each(['', '/data'])('a run to cancel or erase: DELETE …%s', async (path) => {
    const response = await fetch(`${server.url}/workflows/captioner/${runId}${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${bob.key}` },
    });
    expect(response.status).toBe(404);
  });

  test('audio, to caption or to overwrite it', async () => {
    const { result } = (await bob.caption({ audio: { key: 'a.mp3' } })) as Any;
    expect([result.status, result.error.code]).toEqual(['failed', 'audio_not_found']);
    await bob.put('a.mp3', talk.subarray(0, 4096));
    const again = (await ann.caption({
      audio: { key: 'a.mp3' },
      storage: { retainSourceAudio: true },
    })) as Any;
    expect(again.result.metadata.duration).toBeGreaterThan(10);
  });

  test('audio, by a key with ..', async () => {
    for (const key of [`../${ann.organizationId}/a.mp3`, `..%2f${ann.organizationId}%2fa.mp3`]) {
      const response = await bob.put(key, talk);
      expect([400, 404]).toContain(response.status);
      const payload = { audio: { key: decodeURIComponent(key) } };
      const { result } = (await bob.caption(payload)) as Any;
      expect(result.error.code).toBe('audio_not_found');
    }
  });
});

test('keys of one workspace share its data', async () => {
  const one = await signUp(server, 'one@team.example');
  const two = await signUp(server, 'two@team.example');
  const evil = await signUp(server, 'three@team.example.evil.test');
  await one.put('shared.mp3', talk);
  const payload = { audio: { key: 'shared.mp3' } };
  const run = ((await two.caption(payload)) as Any)._meta.runId;
  expect((await one.get(`/workflows/captioner/${run}`)).status).toBe(200);
  expect((await evil.get(`/workflows/captioner/${run}`)).status).toBe(404);
});

test('a made-up key is refused everywhere', async () => {
  const stranger = client(server.url, 'cap_live_0000000000000_x');
  expect((await stranger.get(`/workflows/captioner/${runId}`)).status).toBe(401);
});
