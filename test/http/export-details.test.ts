/** Details of an export: the requests of runs, data that was deleted meanwhile, and a revoked key. */
import { expect, spyOn, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { cancelRun } from '../../server/http/runs/run-requests.ts';
import { exportedFiles, type ExportSources } from '../../server/http/workspace/workspace-export.ts';
import { keyIdOf } from '../../server/identity/keys.ts';
import { revokeKey } from '../../server/identity/key-management.ts';
import { workspaceName } from '../../server/storage/audio-names.ts';
import { queueEvent } from '../../server/webhooks/queue-event.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';

const app = await mountedApp();
const { database } = app.services;
const talk = new Uint8Array(await readFile(sample));
const { runs, reviews } = app.services;
const stored = { result: runs.result, review: reviews.get };
const sources = { ...app.services, stored } as unknown as ExportSources;

test('a run is exported with its payload; a recording that is deleted meanwhile is left out', async () => {
  const { organizationId, key } = await app.signUp('ann@example.com');
  const { runId } = await completedRun(database, organizationId, spoken('Hello.'));
  for (const name of ['a.mp3', 'talk.mp3', 'z.mp3']) {
    await app.ask(`/audio/${name}`, { method: 'PUT', key, body: talk });
  }
  const texts = new Map<string, string>();
  for await (const { name, body } of exportedFiles(sources, organizationId)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    texts.set(name, Buffer.concat(chunks).toString('utf8'));
    if (name === 'keys.json') await app.services.audio.delete(organizationId, 'talk.mp3');
  }
  const names = [...texts.keys()];
  expect(names.slice(0, 5)).toEqual([
    'export.json',
    'keys.json',
    'webhooks.json',
    `runs/${runId}/run.json`,
    `runs/${runId}/result.json`,
  ]);
  expect(names.slice(5).toSorted()).toEqual(['recordings/a.mp3', 'recordings/z.mp3']);
  const run = JSON.parse(texts.get(`runs/${runId}/run.json`) ?? '');
  expect(run).toMatchObject({ runId, payload: { audio: { key: expect.any(String) } } });
});

test('an export breaks off once its key is revoked', async () => {
  const { key } = await app.signUp('bob@example.com');
  await app.ask('/audio/talk.mp3', { method: 'PUT', key, body: talk });
  const timers = spyOn(globalThis, 'setInterval');
  const response = await app.ask('/workspace/export', { key });
  const [beat] = timers.mock.calls.findLast(([, ms]) => ms === 5000) ?? [];
  timers.mockRestore();
  await revokeKey(database, keyIdOf(key)!, Date.now());
  (beat as () => void)();
  // Once another request is refused, the running export has checked its key too.
  expect((await app.ask('/workspace/export', { key })).status).toBe(401);
  await expect(response.arrayBuffer()).rejects.toThrow();
});

test('a run that is erased while it is cancelled is returned as it was', async () => {
  const run = { id: 'run_1', organizationId: 'org_1' } as Parameters<typeof cancelRun>[1];
  const runs = { cancel: async () => false, summary: async () => null };
  expect(await cancelRun(runs as never, run)).toEqual({ asked: false, run });
});

test('runs are read a hundred at a time; deliveries, and recordings with an unknown key, are listed', async () => {
  const { organizationId } = await app.signUp('cat@example.com');
  const asked: number[] = [];
  const runs = {
    list: async (_of: string, most: number) => {
      asked.push(most);
      return [];
    },
  };
  const { id } = (await sources.webhooks.create(organizationId, 'key_1', {
    url: 'https://a.example/',
  }))!;
  await queueEvent(database, { type: 'run.completed', organizationId, runId: 'run_1' });
  const read = async (name: string) => {
    const from = { ...sources, runs: runs as unknown as ExportSources['runs'] };
    const files = await Array.fromAsync(exportedFiles(from, organizationId));
    const { body } = files.find((file) => file.name === name)!;
    return JSON.parse(Buffer.concat(await Array.fromAsync(body)).toString('utf8'));
  };
  expect(await read('webhooks.json')).toMatchObject([
    { id, deliveries: [{ event: 'run.completed', runId: 'run_1' }] },
  ]);
  expect(await read('export.json')).not.toHaveProperty('recordingsWithoutAKey');
  const workspace = workspaceName(organizationId);
  await database
    .insertInto('audio_usage')
    .values({ id: `${workspace}/unknown`, workspace, bytes: 1 })
    .execute();
  expect(await read('export.json')).toMatchObject({ recordingsWithoutAKey: 1 });
  expect(asked).toEqual([100, 100, 100]);
});

test('keys are exported in the order in which they were issued', async () => {
  const { organizationId, key } = await app.signUp('ida@example.com');
  const row = await database
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', keyIdOf(key))
    .executeTakeFirstOrThrow();
  for (const [id, created_at] of [
    ['third', 3],
    ['first', 1],
    ['second', 2],
  ] as const) {
    await database
      .insertInto('api_keys')
      .values({ ...row, id, key_hash: id, created_at })
      .execute();
  }
  const files = await Array.fromAsync(exportedFiles(sources, organizationId));
  const { body } = files.find(({ name }) => name === 'keys.json')!;
  const keys = JSON.parse(Buffer.concat(await Array.fromAsync(body)).toString('utf8'));
  expect(keys.map(({ id }: { id: string }) => id)).toEqual([
    'first',
    'second',
    'third',
    keyIdOf(key),
  ]);
});

test('keys and moderation events are exported with all that is not secret', async () => {
  const { organizationId, key } = await app.signUp('dan@example.com');
  const { runId } = await completedRun(database, organizationId, spoken('Hello.'));
  const event = {
    run_id: runId,
    created_at: 5,
    decision: 'allow' as const,
    severity: 'none' as const,
  };
  await database
    .insertInto('moderation_events')
    .values({ id: 'mod_1', ...event, reason: 'safe', model: 'm', flagged: null })
    .execute();
  await app.ask('/audio/talk.mp3', { method: 'PUT', key, body: talk });
  const ranges: unknown[] = [];
  const audio = {
    ...sources.audio,
    read: (...given: Parameters<typeof sources.audio.read>) => {
      ranges.push(given[2]);
      return sources.audio.read(...given);
    },
  };
  const files = await Array.fromAsync(exportedFiles({ ...sources, audio }, organizationId));
  const read = async (name: string) => {
    const { body } = files.find((file) => file.name === name)!;
    return JSON.parse(Buffer.concat(await Array.fromAsync(body)).toString('utf8'));
  };
  expect(await read('keys.json')).toEqual([
    {
      id: keyIdOf(key),
      obfuscated: expect.any(String),
      name: expect.any(String),
      owner_email: 'dan@example.com',
      scopes: expect.any(String),
      created_at: expect.any(Number),
      last_used_at: expect.any(Number),
      revoked_at: null,
    },
  ]);
  expect(await read(`runs/${runId}/moderation.json`)).toEqual([
    {
      id: 'mod_1',
      created_at: 5,
      decision: 'allow',
      severity: 'none',
      reason: 'safe',
      model: 'm',
      flagged: null,
    },
  ]);
  // A recording that grows while it is exported does not grow in the archive.
  expect(ranges).toEqual([{ start: 0, end: talk.byteLength }]);
});
