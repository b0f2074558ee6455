/** A server killed between saving a review and answering: the review is neither lost nor saved twice. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { tinyModelEnvironment } from '../support/doubles/tiny-model-environment.ts';
import { sample } from '../support/sample.ts';
import { signUp } from '../support/servers/client.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const dataDir = await temporaryFolder();
afterAll(() => removeFolder(dataDir));

test('a save is there whole or not at all, and may be sent again', async () => {
  const { env } = await tinyModelEnvironment();
  let server = await startServerProcess({ dataDir, env });
  const ann = await signUp(server, 'ann@example.com');
  await ann.put('a.mp3', await readFile(sample));
  const { _meta } = await ann.caption({ audio: { key: 'a.mp3' } });
  const authorization = `Bearer ${ann.key}`;
  const address = () => `${server.url}/workflows/captioner/${_meta.runId}/review`;
  const cues = (round: number) =>
    Array.from({ length: 3000 }, (_, at) => ({
      start: at,
      end: at + 1,
      lines: [`round ${round}, caption ${at}`],
    }));
  const send = (round: number, headers: Record<string, string>) =>
    fetch(address(), {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ cues: cues(round) }),
    });
  let seen: Record<string, string> = { 'if-none-match': '*' };
  let last = 0;
  for (let round = 1; round <= 4; round += 1) {
    const answer = send(round, seen).catch(() => null);
    // Killed sooner or later: before, in the middle of or after the save.
    await new Promise((resolve) => setTimeout(resolve, round * 12));
    await server.kill();
    await answer;
    server = await startServerProcess({ dataDir, env });
    const kept = await fetch(address(), { headers: { authorization } });
    if (kept.status === 404) expect(last).toBe(0);
    else {
      const { cues: found } = (await kept.json()) as { cues: { lines: string[] }[] };
      const of = found.map(({ lines }) => Number(/\d+/.exec(lines[0] ?? '')?.[0]));
      expect([found.length, new Set(of).size]).toEqual([3000, 1]);
      expect([last, round]).toContain(of[0] ?? -1);
    }
    const again = await send(round, seen);
    expect([200, 201]).toContain(again.status);
    seen = { 'if-match': again.headers.get('etag') ?? '' };
    last = round;
  }
  const srt = await fetch(address().replace('review', 'captions.srt'), {
    headers: { authorization },
  });
  expect(srt.status).toBe(200);
  expect(await server.stop()).toBe(0);
});
