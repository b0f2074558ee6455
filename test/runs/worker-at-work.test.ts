/** A worker whose runs wait for a provider: what it holds, how it is cancelled and how it stops. */
import { afterAll, beforeAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { ProcessStopping } from '../../server/pipeline/perform.ts';
import type { FromWorker } from '../../server/runs/messages.ts';
import { startRunServices, type RunServices } from '../../server/runs/run-services.ts';
import { startWorker, type RunWorker } from '../../server/runs/worker.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/doubles/speech-doubles.ts';
import { until, type Any } from '../support/servers/client.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { chunks } from '../storage/audio-store.suite.ts';

setDefaultTimeout(300_000);

const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const dataDir = await temporaryFolder();
const lines: Any[] = [];
const log = createLog('debug', (line) => void lines.push(JSON.parse(line)));
const config = readConfig({
  DATA_DIR: dataDir,
  DEEPGRAM_API_KEY: DEEPGRAM_KEY,
  DEEPGRAM_BASE_URL: deepgram.origin,
});
const tempDir = join(dataDir, 'tmp', 'worker');
const reason = new ProcessStopping('the process is stopping');
let web: RunServices;
beforeAll(async () => {
  web = await startRunServices({ ...config, role: 'web' }, log);
  await mkdir(tempDir, { recursive: true });
  await web.audio.put('org', 'talk.mp3', chunks(chirp));
});
afterAll(async () => {
  await web.drain(0);
  await web.close();
  await deepgram.close();
  await removeFolder(dataDir);
});

const stateOf = async (id: string) => (await web.runs.summary('org', id))!.state;
const attempts = async () =>
  (await web.database.selectFrom('runs').select('attempts').execute()).map((row) => row.attempts);
const submit = () =>
  web.runs.submit({
    organizationId: 'org',
    keyId: 'key',
    payload: {
      audio: { key: 'talk.mp3' },
      transcription: { provider: 'deepgram' },
      storage: { retainSourceAudio: true },
    },
  });

/** Starts a worker for two runs at once, and records what it reports. */
async function working() {
  const messages: FromWorker[] = [];
  const set = spyOn(globalThis, 'setInterval');
  const worker: RunWorker = await startWorker(
    { ...config, runsAtOnce: 2, workers: 1, runLeaseMs: 60_000 },
    { slots: 1, tempDir, log, post: (message) => void messages.push(message) },
  );
  const intervals = set.mock.calls.map(([, ms]) => ms);
  const [look] = set.mock.calls.findLast(([, ms]) => ms === 2000)!;
  set.mockRestore();
  return {
    worker,
    messages,
    intervals,
    isFreed: (id: string) => messages.some((one) => one.type === 'freed' && one.run.runId === id),
    /** Looks for cancels that were not announced. */
    look: look as () => void,
  };
}

/** Runs that wait for a provider that does not answer. */
async function waiting(count: number) {
  const before = deepgram.requests.length;
  deepgram.behave(() => ({ fault: 'hang' }));
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await submit());
  const one = await working();
  await until(async () => deepgram.requests.length === before + Math.min(2, count));
  return { ...one, ids };
}

test('a worker takes as many runs as it may at once, for the time of its lease', async () => {
  const { worker, messages, intervals, ids } = await waiting(3);
  const held = messages.flatMap((message) => (message.type === 'held' ? [message.run.runId] : []));
  expect(held.toSorted()).toEqual(ids.slice(0, 2).toSorted());
  const queue = openSqlite(join(dataDir, 'runs.sqlite'));
  const leases = queue
    .prepare(`select available_at as until from workflow_runs where status = 'running'`)
    .all();
  queue.close();
  expect(leases).toHaveLength(2);
  for (const lease of leases) {
    expect(Date.parse(String(lease['until'])) - Date.now()).toBeGreaterThan(30_000);
  }
  // It is extended three times within its minute.
  expect(intervals).toContain(20_000);
  for (const id of ids) {
    await web.runs.cancel((await web.runs.summary('org', id))!);
    worker.cancel(id);
  }
  await until(async () => (await Promise.all(ids.map(stateOf))).every((it) => it === 'cancelled'));
  await worker.stop(0, reason);
});

test('a cancel whose announcement was lost ends its run and no other, once the database answers', async () => {
  const { worker, ids, look } = await waiting(2);
  await web.runs.cancel((await web.runs.summary('org', ids[0]!))!);
  await sql`alter table runs rename to away`.execute(web.database);
  look();
  await until(async () => lines.some(({ event }) => event === 'cancellations_not_read'));
  await sql`alter table away rename to runs`.execute(web.database);
  expect(await stateOf(ids[0]!)).toBe('running');
  await until(async () => {
    look();
    return (await stateOf(ids[0]!)) === 'cancelled';
  });
  expect(await stateOf(ids[1]!)).toBe('running');
  worker.cancel(ids[1]!);
  await until(async () => (await stateOf(ids[1]!)) === 'cancelled');
  await worker.stop(0, reason);
});

test('a stopping worker hands its runs over; they have not failed', async () => {
  const { worker, isFreed, ids } = await waiting(1);
  lines.length = 0;
  await worker.stop(60, reason);
  expect(isFreed(ids[0]!)).toBe(true);
  expect([await stateOf(ids[0]!), lines]).toEqual(['running', []]);
  await web.database.deleteFrom('runs').execute();
});

test('a worker without time to stop ends its calls as well', async () => {
  const { worker } = await waiting(1);
  const abandoned = deepgram.abandoned();
  await worker.stop(0, reason);
  await until(async () => deepgram.abandoned() > abandoned);
  await web.database.deleteFrom('runs').execute();
});

test('counts that the database refused to correct are corrected soon, or when the worker stops', async () => {
  const refuse = sql`create trigger refusing before update of attempts on runs
    when new.attempts < old.attempts begin select raise(abort, 'the disk is full'); end`;
  const accept = sql`drop trigger refusing`;
  deepgram.behave(null);
  const { worker, isFreed, look } = await working();
  const counted = async () => {
    await refuse.execute(web.database);
    const id = await submit();
    worker.wake();
    await until(async () => isFreed(id));
    await accept.execute(web.database);
  };
  await counted();
  expect((await attempts())[0]).toBeGreaterThan(0);
  await until(async () => {
    look();
    return (await attempts()).every((count) => count === 0);
  });
  await counted();
  await worker.stop(0, reason);
  expect(await attempts()).toEqual([0, 0]);
});
