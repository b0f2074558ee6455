/** Writes to the row of a run: they touch no other run, are seen by watchers, and fail if the database does. */
import { describe, expect, test } from 'bun:test';
import { cancelledBeforeStart } from '../../server/runs/cancelled.ts';
import { createResultQuota } from '../../server/runs/result-quota.ts';
import { createRunAttempts } from '../../server/runs/run-attempts.ts';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { COMPLETED, newWorkspace, REACHED } from '../support/servers/run-rows.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const store = createRunStore(database);
const queries = createRunQueries(database);

async function submit(organizationId = newWorkspace(), idempotencyKey: string | null = null) {
  const id = `run_${crypto.randomUUID()}`;
  const payload = { audio: { key: 'talk.mp3' } };
  await store.insert({ id, organizationId, keyId: 'key', payload, idempotencyKey });
  return id;
}
const change = (id: string, values: object) =>
  database.updateTable('runs').set(values).where('id', '=', id).execute();
const row = (id: string) =>
  database.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('a new run has no start and no attempts', async () => {
  expect(await row(await submit())).toMatchObject({
    state: 'queued',
    stage: null,
    progress: 0,
    timings: '{}',
    result: null,
    enqueued: 0,
    cancel_requested: 0,
    attempts: 0,
    owed_audio: null,
    started_at: null,
    finished_at: null,
  });
});

describe('another run of the workspace is not changed by', () => {
  const workspace = newWorkspace();
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['entering the queue', (id) => store.markEnqueued([id])],
    ['its start', (id) => store.markRunning(id)],
    ['its progress', (id) => store.report(id, 'transcription', 0.5)],
    ['a cancel', (id) => store.requestCancel(id)],
    ['its early end', (id) => store.endQueued(id, 'cancelled', COMPLETED)],
    ['its end', (id) => store.finish(id, 'completed', COMPLETED, REACHED, 'v1')],
  ])('%s', async (_, write) => {
    const [one, other] = [await submit(workspace), await submit(workspace)];
    const [before, untouched] = [await row(one), await row(other)];
    await write(one);
    expect(await row(one)).not.toEqual(before);
    expect(await row(other)).toEqual(untouched);
  });
});

test('an idempotency key finds its own run in its own workspace', async () => {
  const [mine, other] = [newWorkspace(), newWorkspace()];
  const [one, two] = [await submit(mine, 'one'), await submit(mine, 'two')];
  await submit(other, 'three');
  expect((await store.byIdempotencyKey(mine, 'one'))?.id).toBe(one);
  expect((await store.byIdempotencyKey(mine, 'two'))?.id).toBe(two);
  expect(await store.byIdempotencyKey(mine, 'three')).toBeNull();
});

test('a run whose preview cannot be deleted has not ended', async () => {
  const id = await submit();
  await store.markRunning(id);
  const part = { run_id: id, position: 1, start: 0, end: 1, text: 'hello' };
  await database.insertInto('partial_transcripts').values(part).execute();
  const end = () => store.finish(id, 'completed', COMPLETED, REACHED);
  await refusing(database, 'delete on partial_transcripts', end);
  expect(await row(id)).toMatchObject({ state: 'running', result: null, finished_at: null });
});

test('webhooks are told the status and the code of a run cancelled before its start', async () => {
  const workspace = newWorkspace();
  await createWebhookStore(database).create(workspace, 'key', { url: 'https://a.example/' });
  const id = await submit(workspace);
  const result = cancelledBeforeStart((await store.getSummary(id))!);
  expect(result).toMatchObject({
    error: { code: 'cancelled', suggestions: [{ label: 'Start the run again' }] },
    metadata: { models: {} },
  });
  expect(await store.endQueued(id, 'cancelled', result)).toBe(true);
  const { body } = await database
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('run_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(JSON.parse(body)).toMatchObject({
    type: 'run.failed',
    data: { runId: id, status: 'failed', code: 'cancelled' },
  });
});

test('every update of a run is a change that watchers see', async () => {
  const changed = async (id: string, write: () => Promise<unknown>) => {
    await change(id, { updated_at: 5 });
    await write();
    return ((await queries.lastChanges([id])).get(id) ?? 0) > 5;
  };
  const [one, two] = [await submit(), await submit()];
  expect(await changed(one, () => store.requestCancel(one))).toBe(true);
  expect(await changed(one, () => store.markRunning(one))).toBe(true);
  expect(await changed(one, () => store.report(one, 'transcription', 0.5))).toBe(true);
  expect(await changed(one, () => store.finish(one, 'completed', COMPLETED, REACHED))).toBe(true);
  expect(await changed(two, () => store.endQueued(two, 'cancelled', COMPLETED))).toBe(true);
});

test.each([
  ['completed', 1],
  ['blocked', 1],
  ['failed', 0.3],
  ['cancelled', 0.3],
] as const)('a run that is %s has reached %p', async (state, progress) => {
  const id = await submit();
  await store.finish(id, state, COMPLETED, { stage: 'captioning', progress: 0.3 });
  expect((await store.getSummary(id))?.progress).toBe(progress);
});

test('lost runs are found in order of arrival', async () => {
  const [middle, last, first] = [await submit(), await submit(), await submit()];
  await change(first, { created_at: 8 });
  await change(middle, { created_at: 9 });
  await change(last, { created_at: 10 });
  const found = await queries.notEnqueued(11);
  expect(found.map(({ id }) => id)).toEqual([first, middle, last]);
});

describe('a database that refuses', () => {
  test('to store progress causes an error', async () => {
    const id = await submit();
    const reported = () => store.report(id, 'transcription', 0.5);
    await refusing(database, 'update of progress on runs', reported);
  });

  test('to count an attempt causes an error, so that no computation starts uncounted', async () => {
    const attempts = createRunAttempts(database);
    const id = await submit();
    const update = 'update of attempts on runs';
    await refusing(database, update, () => attempts.count(id, 'transcription'));
    await attempts.count(id, 'transcription');
    expect(await row(id)).toMatchObject({ attempts: 1, stage: 'transcription' });
    await refusing(database, update, () => attempts.uncount(id));
    await attempts.uncount(id);
    await attempts.uncount(id);
    expect(await row(id)).toMatchObject({ attempts: 0, stage: 'transcription' });
  });

  test('to delete events keeps the runs, which are deleted later', async () => {
    const id = await submit();
    await store.finish(id, 'completed', COMPLETED, REACHED);
    const event = { decision: 'allow', severity: 'none', reason: '', model: '' } as const;
    for (const of of [id, 'run_gone']) {
      await database
        .insertInto('moderation_events')
        .values({ ...event, id: `event_${of}`, run_id: of, created_at: 1, flagged: null })
        .execute();
      const forgotten = () => queries.forget(Date.now() + 1000);
      await refusing(database, 'delete on moderation_events', forgotten);
      expect(await store.getSummary(id)).not.toBeNull();
      await database.deleteFrom('moderation_events').execute();
    }
    expect(await queries.forget(Date.now() + 1000)).toBeGreaterThan(0);
    expect(await store.getSummary(id)).toBeNull();
  });
});

test('a repeated request creates no run, even beyond the quota', async () => {
  const workspace = newWorkspace();
  await submit(workspace);
  expect(await createResultQuota(database, 1).admit(workspace, async () => null)).toBeNull();
  await expect(createResultQuota(database, 1).admit(workspace, async () => 1)).rejects.toThrow();
  expect(await createResultQuota(database, 1).admit(newWorkspace(), async () => 1)).toBe(1);
});

test.each([
  [
    'is finished',
    'run.completed',
    (id: string) => store.finish(id, 'completed', COMPLETED, REACHED),
  ],
  [
    'is cancelled in the queue',
    'run.failed',
    (id: string) => store.endQueued(id, 'cancelled', COMPLETED),
  ],
] as const)('a run %s only together with its event, %s', async (_, event, end) => {
  const workspace = newWorkspace();
  const webhooks = createWebhookStore(database);
  const webhook = (await webhooks.create(workspace, 'key', { url: 'https://hooks.example/' }))!;
  const id = await submit(workspace);
  await refusing(database, 'insert on webhook_deliveries', () => end(id));
  expect(await row(id)).toMatchObject({ state: 'queued', finished_at: null, result: null });
  await end(id);
  expect((await row(id)).finished_at).not.toBeNull();
  expect(await webhooks.deliveries(workspace, webhook.id)).toMatchObject([
    { runId: id, event, state: 'pending' },
  ]);
  // It has ended, so there is nothing more to tell.
  await end(id);
  expect(await webhooks.deliveries(workspace, webhook.id)).toHaveLength(1);
});

test('a run that cannot be marked as queued does not count as queued', async () => {
  const id = await submit();
  await refusing(database, 'update of enqueued on runs', () => store.markEnqueued([id]));
});
