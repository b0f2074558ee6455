/** A worker on the database, queue and folder of a web process: it takes runs, ends them and stops. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProcessStopping } from '../../server/pipeline/perform.ts';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import type { FromWorker } from '../../server/runs/messages.ts';
import { startRunServices } from '../../server/runs/run-services.ts';
import { startWorker } from '../../server/runs/worker.ts';
import { until } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const dataDir = await temporaryFolder();
const lines: string[] = [];
const log = createLog('debug', (line) => void lines.push(line));
const config = readConfig({ DATA_DIR: dataDir });
const web = await startRunServices({ ...config, role: 'web' }, log);
const tempDir = join(dataDir, 'tmp', 'worker');
await mkdir(tempDir, { recursive: true });
const messages: FromWorker[] = [];
const worker = await startWorker(config, {
  slots: 1,
  tempDir,
  log,
  post: (message) => void messages.push(message),
});
afterAll(async () => {
  await web.drain(0);
  await web.close();
  await removeFolder(dataDir);
});

async function* body() {
  yield Buffer.from('this is no MP3 at all');
}
const submit = (key: string) =>
  web.runs.submit({ organizationId: 'org', keyId: 'key', payload: { audio: { key } } });
const stateOf = async (id: string) => (await web.runs.summary('org', id))!.state;
const counted = async () =>
  (await web.database.selectFrom('audio_usage').select('bytes').execute()).map((row) => row.bytes);

test('a run is taken, ended and freed, and its recording no longer counts', async () => {
  await web.audio.put('org', 'talk.mp3', body(), 21);
  expect(await counted()).toEqual([21]);
  const runId = await submit('talk.mp3');
  worker.wake();
  await until(async () => (await stateOf(runId)) === 'failed');
  await until(async () => messages.some(({ type }) => type === 'freed'));
  expect(JSON.parse((await web.runs.result(runId))!).error).toMatchObject({
    code: 'audio_unreadable',
    stage: 'transcription',
  });
  expect(await web.audio.stat('org', 'talk.mp3')).toBeNull();
  expect(await counted()).toEqual([]);
  const of = { runId };
  // On a slow machine, further progress is announced in between.
  const told = messages.filter(({ type }, at) => type !== 'changed' || at === 1);
  expect(told).toMatchObject([
    { type: 'held', run: of },
    { type: 'changed', ...of },
    ...['payload', 'payload'].flatMap((stage, at) => [
      { type: 'counting', id: at + 1, ...of },
      { type: 'computing', id: at + 1, ...of, stage, counted: true },
      { type: 'computed', id: at + 1 },
    ]),
    { type: 'computing', id: 3, ...of, stage: 'transcription', counted: false },
    { type: 'counting', id: 4, ...of },
    { type: 'computing', id: 4, ...of, stage: 'transcription', counted: true },
    { type: 'computed', id: 4 },
    { type: 'computed', id: 3 },
    { type: 'ended', ...of },
    { type: 'finished', state: 'failed', timingsMs: { total: expect.any(Number) } },
    { type: 'freed', run: of },
  ]);
});

test('the cancel of a run that another worker executes is ignored', async () => {
  worker.cancel('run_elsewhere');
  const runId = await submit('missing.mp3');
  worker.wake();
  await until(async () => (await stateOf(runId)) === 'failed');
  expect(JSON.parse((await web.runs.result(runId))!).error.code).toBe('audio_not_found');
});

test('outside production, a result that violates the contract is not stored', async () => {
  // A pack that was removed after the run was accepted.
  const payload = { audio: { key: 'missing.mp3' }, terminology: { packs: ['removed'] } } as never;
  const runId = await web.runs.submit({ organizationId: 'org', keyId: 'key', payload });
  worker.wake();
  await until(async () => (await stateOf(runId)) === 'failed');
  expect(JSON.parse((await web.runs.result(runId))!).error.stage).toBe('workflow');
});

test('a stopped worker takes no more runs', async () => {
  await worker.stop(0, new ProcessStopping('the process is stopping'));
  messages.length = 0;
  const runId = await submit('talk.mp3');
  worker.wake();
  await Bun.sleep(50);
  expect([await stateOf(runId), messages]).toEqual(['queued', []]);
});
