/** Recovery after kill -9 during a run: nothing is lost or repeated. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { signUp, until } from '../../support/servers/client.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { sample } from '../../support/sample.ts';
import { needs } from '../../support/requirements.ts';

const needsPgrep = needs(Bun.which('pgrep') !== null, 'there is no pgrep, which finds processes');

setDefaultTimeout(1_800_000);

const talk = await readFile(sample);
const dataDir = await temporaryFolder();
afterAll(() => removeFolder(dataDir));

/** Long enough to take many times as long as the first progress. */
const MANY = 4;
/** The sample repeated: MP3 frames can simply be concatenated. */
const long = Buffer.concat(Array.from({ length: MANY }, () => talk));
const payload = { audio: { key: 'long.mp3' }, transcription: { chunkBytes: 262_144 } };

test('a run continues after kill -9 and completes, without repeating finished steps', async () => {
  const { env } = await tinyModelEnvironment();
  const first = await startServerProcess({ dataDir, env });
  const ann = await signUp(first, 'ann@example.com');
  expect((await ann.put('long.mp3', long)).status).toBe(200);
  const { runId } = await (await ann.start(payload)).json();
  await until(async () => (await ann.run(runId)).progress > 0.1, 600_000);
  await first.kill();

  const second = await startServerProcess({ dataDir, env });
  const again = { ...ann, url: second.url };
  const seen = await fetch(`${again.url}/workflows/captioner/${runId}`, {
    headers: { authorization: `Bearer ${ann.key}` },
  });
  expect((await seen.json()).progress).toBeGreaterThan(0.1);
  const run = await until(async () => {
    const response = await fetch(`${second.url}/workflows/captioner/${runId}`, {
      headers: { authorization: `Bearer ${ann.key}` },
    });
    const body = await response.json();
    return body.finishedAt && body;
  }, 600_000);
  expect([run.state, run.envelope.result.error]).toEqual(['completed', undefined]);
  expect(run.envelope.result.metadata.storage.sourceAudio.status).toBe('deleted');
  expect(run.envelope.result.metadata.duration).toBeGreaterThan(MANY * 34);
  expect(await second.stop()).toBe(0);
});

needsPgrep(
  'engine processes that are killed are started again, and the run completes',
  async () => {
    const { env } = await tinyModelEnvironment();
    const server = await startServerProcess({ env });
    const ann = await signUp(server, 'ann@example.com');
    await ann.put('long.mp3', long);
    const { runId } = await (await ann.start(payload)).json();
    await until(async () => (await ann.run(runId)).progress > 0.1, 600_000);
    const killed = engines(server.pid);
    expect(killed.length).toBeGreaterThan(0);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const run = await until(async () => {
      const seen = await ann.run(runId);
      return seen.finishedAt && seen;
    }, 600_000);
    expect([run.state, run.envelope.result.error]).toEqual(['completed', undefined]);
    await server.stop();
    await until(async () => engines(server.pid).length === 0);
    await removeFolder(server.dataDir);
  },
);

/** The process ids of a server's engines. */
const engines = (parent: number): number[] =>
  spawnSync('pgrep', ['-P', String(parent), '-f', 'engine-process'])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map(Number);

test('a second server on the same folder is refused with a clear message', async () => {
  const folder = await temporaryFolder();
  const first = await startServerProcess({ dataDir: folder });
  await expect(startServerProcess({ dataDir: folder })).rejects.toThrow(
    'Another server is running',
  );
  await first.stop();
  await removeFolder(folder);
});
