/** The services behind runs: start, recovery, reports to /health, and shutdown of a process. */
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readConfig, type Config } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { BEAT_MS } from '../../server/runs/messages.ts';
import { startRunServices } from '../../server/runs/run-services.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { until } from '../support/servers/client.ts';
import { completedRun } from '../support/servers/completed-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const folders: string[] = [];
afterAll(() => Promise.all(folders.map(removeFolder)));

const LEASE = 'select available_at from workflow_runs';

/** Starts the services of a role; their worker thread takes no runs. */
async function started(
  role: Config['role'],
  env: Record<string, string> = {},
  entry = new URL('./idle-thread.ts', import.meta.url),
) {
  const dataDir = await temporaryFolder();
  folders.push(dataDir);
  let log = '';
  const config = readConfig({ DATA_DIR: dataDir, ...env });
  const services = await startRunServices(
    { ...config, role },
    createLog('debug', (line) => void (log += line)),
    entry,
  );
  const temporary = () =>
    readdirSync(join(dataDir, 'tmp'), { withFileTypes: true }).filter((one) => one.isDirectory());
  return { ...services, dataDir, temporary, log: () => log };
}

const request = { organizationId: 'org', keyId: 'key', payload: { audio: { key: 'talk.mp3' } } };

test('a process of all roles reports database, recordings and workers, including a dead worker', async () => {
  const one = await started('all');
  expect(Object.keys(one.health)).toEqual(['database', 'audioStore', 'workers']);
  for (const check of Object.values(one.health)) await check();
  // Its folder is its own, so there is nothing to warn of.
  expect(one.log()).not.toContain('audio_store_is_a_folder');
  expect(one.temporary()).toHaveLength(1);
  await one.drain(0);
  await expect(one.health['workers']!()).rejects.toThrow('alive');
  await one.close();
  await expect(one.health['database']!()).rejects.toThrow();
  expect(one.temporary()).toEqual([]);
});

test('draining ends once the threads have stopped', async () => {
  const one = await started('all');
  const [own] = one.temporary();
  await one.drain(5000);
  expect(readdirSync(join(one.dataDir, 'tmp', own!.name))).toContain('stopped');
  await one.close();
});

test('the thread that answers requests is not blocked by a locked database', async () => {
  const web = await started('web');
  const { rows } = await sql`pragma busy_timeout`.execute(web.database);
  expect(rows).toEqual([{ timeout: 0 }]);
  await web.drain(0);
  await web.close();
});

test('a web process has no workers, and warns that all processes need the folder of recordings', async () => {
  const web = await started('web');
  expect(Object.keys(web.health)).toEqual(['database', 'audioStore']);
  expect(web.log()).toContain('audio_store_is_a_folder');
  expect(existsSync(join(web.dataDir, 'runs.sqlite'))).toBe(true);
  await web.drain(0);
  await web.close();
});

test('the end of a run in a thread reaches waiting clients and the metrics', async () => {
  const one = await started('all');
  const runId = await one.runs.submit(request);
  const run = (await one.runs.summary('org', runId))!;
  const watch = one.runs.watch(runId, 'end', new AbortController().signal);
  await one.database
    .updateTable('runs')
    .set({ state: 'running' })
    .where('id', '=', runId)
    .execute();
  expect(await one.runs.cancel(run)).toBe(true);
  await watch.next();
  watch.close();
  const metrics = await one.metrics.expose();
  expect(metrics).toContain('captioner_runs_finished_total{state="cancelled"} 1');
  expect(metrics).toContain(
    'captioner_provider_errors_total{provider="deepgram",code="provider_timeout"} 1',
  );
  expect(metrics).toMatch(/captioner_runs\{state="running"\} 1/);
  await one.drain(0);
  await one.close();
});

test('a silent thread keeps its runs for as long as a lease of the service', async () => {
  const silent = `self.onmessage = ({ data: { type } }) => {
    const run = { runId: 'run', workflowRunId: 'entry', workerId: 'me' };
    if (type === 'start') for (const type of ['held', 'ready']) self.postMessage({ type, run });
    if (type === 'stop') self.postMessage({ type: 'stopped' });
  }`;
  const entry = URL.createObjectURL(new Blob([silent], { type: 'text/javascript' }));
  const set = spyOn(globalThis, 'setInterval');
  const one = await started('all', { RUN_LEASE: '10m' }, new URL(entry));
  const [supervise] = set.mock.calls.findLast(([, ms]) => ms === BEAT_MS)!;
  set.mockRestore();
  await one.runs.submit(request);
  const queue = openSqlite(join(one.dataDir, 'runs.sqlite'));
  queue.exec(`update workflow_runs set id = 'entry', status = 'running', worker_id = 'me'`);
  const leased = () => Date.parse(String(queue.prepare(LEASE).get()!['available_at']));
  const before = leased();
  for (let beats = 0; beats < 4; beats += 1) (supervise as () => void)();
  await until(async () => leased() !== before);
  expect(leased() - Date.now()).toBeGreaterThan(500_000);
  queue.close();
  await one.drain(0);
  await one.close();
});

test('a process whose thread cannot work does not start, and reports why', async () => {
  const broken = `self.onmessage = () => self.postMessage({ type: 'broken', message: 'no packs' });`;
  const entry = URL.createObjectURL(new Blob([broken], { type: 'text/javascript' }));
  await expect(started('all', {}, new URL(entry))).rejects.toThrow('no packs');
});

test('a crashed thread is logged and replaced', async () => {
  const one = await started('all');
  const workers = one.health['workers']!;
  const run = { id: 'crash', organizationId: 'org', state: 'running', finishedAt: null };
  await createRunStore(one.database).insert({ ...request, id: 'crash', idempotencyKey: null });
  await one.database.updateTable('runs').set({ state: 'running' }).execute();
  await one.runs.cancel(run as never);
  await until(async () => one.log().includes('worker_thread_crashed'));
  await expect(workers()).rejects.toThrow('no worker thread');
  await until(async () =>
    workers().then(
      () => true,
      () => false,
    ),
  );
  await one.drain(0);
  await one.close();
});

describe('a starting process', () => {
  test('removes the incomplete uploads of the last one, however new', async () => {
    const dataDir = await temporaryFolder();
    folders.push(dataDir);
    const incoming = join(dataDir, 'audio', 'incoming');
    mkdirSync(incoming, { recursive: true });
    writeFileSync(join(incoming, 'cut.part'), 'half of a talk');
    const one = await started('web', { DATA_DIR: dataDir });
    expect(readdirSync(incoming)).toEqual([]);
    await one.drain(0);
    await one.close();
  });

  test('queues runs that another process stored but did not queue, and deletes expired data', async () => {
    const one = await started('web', { RESULT_TTL: '1h' });
    const left = { ...request, id: 'run_left', idempotencyKey: null };
    await createRunStore(one.database).insert(left);
    const { runId } = await completedRun(one.database, 'org', []);
    const finished_at = Date.now() - 2 * 3_600_000;
    await one.database
      .updateTable('runs')
      .set({ finished_at, updated_at: finished_at })
      .where('id', '=', runId)
      .execute();
    expect(await one.begin()).toBe(1);
    expect(await one.begin()).toBe(0);
    // Draining waits for the round of housekeeping that has begun.
    await one.drain(60_000);
    expect(await one.runs.summary('org', runId)).toBeNull();
    await one.close();
  });
});

test('a closed process has stopped everything that it repeated', async () => {
  const set = spyOn(globalThis, 'setInterval');
  const cleared = spyOn(globalThis, 'clearInterval');
  const one = await started('all');
  await one.begin();
  await one.drain(5000);
  await one.close();
  const timers: unknown[] = set.mock.results.map(({ value }): unknown => value);
  const ended = new Set<unknown>(cleared.mock.calls.map(([timer]): unknown => timer));
  set.mockRestore();
  cleared.mockRestore();
  expect(timers.length).toBeGreaterThanOrEqual(5);
  expect(timers.filter((timer) => !ended.has(timer))).toEqual([]);
});

test('draining waits for housekeeping in progress, but not beyond the grace time', async () => {
  const web = await started('web');
  const sweeping = Promise.withResolvers<void>();
  const swept = Promise.withResolvers<void>();
  spyOn(web.audio, 'sweep').mockImplementation(async () => {
    sweeping.resolve();
    await swept.promise;
  });
  await web.begin();
  await sweeping.promise;
  const drained: string[] = [];
  const patient = web.drain(600_000).then(() => drained.push('patient'));
  await web.drain(0);
  expect(drained).toEqual([]);
  swept.resolve();
  await patient;
  await web.close();
});

test('erasing a run deletes it from the queue too', async () => {
  const web = await started('web');
  const { runId } = await completedRun(web.database, 'org', []);
  const run = (await web.runs.get('org', runId))!;
  await web.erasure.erase(run);
  expect(await web.runs.summary('org', runId)).toBeNull();
  await web.drain(0);
  await web.close();
});
