/** The rows of runs, on each database: queue positions, lists, quotas, previews, ends and deletion. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ownThreadId, threadTime } from '../../server/base/processor-time.ts';
import {
  createPartialTranscripts,
  createPartialWriter,
  NOTHING_HEARD,
} from '../../server/runs/store/partial-transcripts.ts';
import { createResultQuota } from '../../server/runs/store/result-quota.ts';
import { createRunAttempts } from '../../server/runs/store/run-attempts.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { QuotaExceeded } from '../../server/storage/audio-usage.ts';
import type { Database } from '../../server/storage/database.ts';
import { MIGRATIONS } from '../../server/storage/migrations.ts';
import { moveResult } from '../../server/storage/run-texts.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { needs } from '../support/requirements.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { COMPLETED, moderationEvent, newWorkspace, REACHED } from '../support/servers/run-rows.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

setDefaultTimeout(300000);

const failed = { ...(COMPLETED as object), status: 'failed', error: { stage: 'storage' } } as never;
const DAY = 86_400_000;

/** The rows of a database. */
function rowsOf(database: Database) {
  const store = createRunStore(database);
  const insert = async (organizationId: string, more: object = {}, idempotencyKey?: string) => {
    const id = `run_${crypto.randomUUID()}`;
    const payload = { audio: { key: 'talk.mp3' }, ...more };
    const run = {
      id,
      organizationId,
      keyId: 'key',
      payload,
      idempotencyKey: idempotencyKey ?? null,
    };
    return { run, id, turn: (await store.insert(run)) ?? -1 };
  };
  return {
    store,
    queries: createRunQueries(database),
    insert,
    submit: async (organizationId = newWorkspace(), more: object = {}) =>
      (await insert(organizationId, more)).id,
    change: (id: string, values: object) =>
      database.updateTable('runs').set(values).where('id', '=', id).execute(),
    row: (id: string) =>
      database.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    ids: async (of: string, state?: 'queued' | 'running') =>
      (await store.list(of, 200, null, state)).map(({ id }) => id),
  };
}

await onEachDatabase((name, database) => {
  const { store, queries, insert, submit, change, row, ids } = rowsOf(database);

  describe(`runs in ${name}`, () => {
    test('positions are fair: a single run does not wait for a thousand of another workspace', async () => {
      const many: { id: string; turn: number }[] = [];
      for (let i = 0; i < 100; i += 1) many.push(await insert('greedy'));
      expect(many.map(({ turn }) => turn)).toEqual(many.map((_, at) => at + (many[0]?.turn ?? 0)));
      for (const { id } of many.slice(0, 10)) await store.markRunning(id);
      const modest = [await insert('modest'), await insert('modest'), await insert('modest')];
      const order = [...many.slice(10), ...modest].toSorted((a, b) => a.turn - b.turn);
      const places = modest.map((run) => order.indexOf(run));
      // Its n-th run comes no later than the other's n-th waiting one.
      expect(places[0]).toBe(0);
      expect(places[2]).toBeLessThanOrEqual(6);
      // Turns are not saved up while a workspace is idle.
      for (const { id } of modest) await store.markRunning(id);
      for (const { id } of many.slice(10, 60)) await store.markRunning(id);
      expect((await insert('modest')).turn).toBe(many[59]?.turn ?? 0);
    });

    test('an organisation has one run for an idempotency key, even with simultaneous requests', async () => {
      const one = () => insert('organization', {}, 'key');
      const runs = await Promise.all(Array.from({ length: 10 }, one));
      expect(runs.filter(({ turn }) => turn >= 0)).toHaveLength(1);
      expect((await insert('another', {}, 'key')).turn).toBeGreaterThanOrEqual(0);
    });

    test('progress never decreases, and the first end is final', async () => {
      const id = await submit();
      const shown = async () => {
        const run = (await store.getSummary(id))!;
        return [run.state, run.stage, run.progress];
      };
      await change(id, { started_at: 5 });
      expect((await store.markRunning(id))?.startedAt).toBe(5);
      await store.report(id, 'storage', 0.005, 73_000_000);
      expect(await store.getSummary(id)).toMatchObject({ stage: 'storage', loadingBytes: 73e6 });
      await store.report(id, 'transcription', 0.5);
      await store.report(id, 'payload', 0.1);
      expect(await shown()).toEqual(['running', 'transcription', 0.5]);
      // A stage may begin where the last one ended.
      await store.report(id, 'moderation', 0.5);
      expect(await shown()).toEqual(['running', 'moderation', 0.5]);
      await store.finish(id, 'completed', COMPLETED, REACHED);
      await store.finish(id, 'failed', failed, { stage: null, progress: 0 });
      await store.report(id, 'moderation', 1);
      expect(await shown()).toEqual(['completed', 'captioning', 1]);
      expect(JSON.parse((await store.result(id)) ?? '')).toEqual(COMPLETED);
      expect(await store.result('run_gone')).toBeNull();
      expect((await store.getSummary(id))?.timingsMs).toEqual({ total: 5 });
    });

    test('a run that failed shows the stage that its result names', async () => {
      const [running, queued] = [await submit('stages'), await submit('stages')];
      await store.markRunning(running);
      await store.finish(running, 'failed', failed, { stage: 'payload', progress: 0.1 });
      await store.endQueued(queued, 'failed', failed);
      const stages = (await store.list('stages', 5, null)).map(({ stage }) => stage);
      expect(stages).toEqual(['storage', 'storage']);
    });

    test.each(['completed', 'blocked', 'failed', 'cancelled'] as const)(
      'a run has ended once it is %s, and if it is unknown',
      async (state) => {
        const id = await submit();
        expect(await store.finished(id)).toBe(false);
        await store.markRunning(id);
        expect(await store.finished(id)).toBe(false);
        await store.finish(id, state, COMPLETED, REACHED);
        expect([await store.finished(id), await store.finished('unknown')]).toEqual([true, true]);
      },
    );

    test('unqueued runs are found until they are queued', async () => {
      const before = Date.now();
      const { id, turn: position } = await insert('lost');
      expect(await queries.notEnqueued(before)).not.toContainEqual({ id, position });
      expect(await queries.notEnqueued(Date.now() + 1000)).toContainEqual({ id, position });
      const cancelled = await submit('lost');
      const cancel = () => store.endQueued(cancelled, 'cancelled', COMPLETED);
      expect([await cancel(), await cancel()]).toEqual([true, false]);
      await store.markEnqueued([id]);
      const lost = await queries.notEnqueued(Date.now() + 1000);
      const left = new Set(lost.map((each) => each.id));
      expect([left.has(id), left.has(cancelled)]).toEqual([false, false]);
    });

    test('runs that ended long ago are deleted with their moderation events', async () => {
      const [old, open] = [await submit('old'), await submit('old')];
      await store.finish(old, 'completed', COMPLETED, REACHED);
      const events = [old, open].map((id) => moderationEvent(id));
      await database.insertInto('moderation_events').values(events).execute();
      await change(old, { finished_at: Date.now() - 2 * DAY });
      expect(await queries.audioInUse()).toContainEqual({ organizationId: 'old', key: 'talk.mp3' });
      expect(await queries.forget(Date.now() - DAY)).toBe(1);
      expect(await ids('old')).toEqual([open]);
      const left = database.selectFrom('moderation_events').select('run_id');
      expect(await left.where('run_id', 'in', [old, open]).execute()).toEqual([{ run_id: open }]);
    });

    test('a list is newest first, in pages, with each run once, even within one millisecond', async () => {
      const mine = newWorkspace();
      const all: string[] = [];
      for (let at = 0; at < 5; at += 1) all.push(await submit(mine));
      for (const [at, id] of all.entries())
        await change(id, { created_at: at === 0 ? 2000 : 1000 });
      const seen: string[] = [];
      for (let after = null as { createdAt: number; id: string } | null; ;) {
        const page = await store.list(mine, 2, after);
        expect(page.length).toBeLessThanOrEqual(2);
        seen.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        if (!last || seen.length > 10) break;
        after = { createdAt: last.createdAt, id: last.id };
      }
      expect(seen).toEqual([all[0]!, ...all.slice(1).toSorted().toReversed()]);
    });

    test('a list of one state contains no others; what waits is in use, and may be cancelled', async () => {
      const mine = newWorkspace();
      const [one, two] = [await submit(mine), await submit(mine)];
      const ended = await submit(mine, { audio: { key: 'ended.mp3' } });
      await store.markRunning(two);
      await store.finish(ended, 'completed', COMPLETED, REACHED);
      expect([await ids(mine, 'queued'), await ids(mine, 'running')]).toEqual([[one], [two]]);
      const used = (await queries.audioInUse()).filter((each) => each.organizationId === mine);
      expect(new Set(used.map(({ key }) => key))).toEqual(new Set(['talk.mp3']));
      const strange = await submit();
      for (const id of [one, strange]) await store.requestCancel(id);
      expect(await queries.cancelRequested([one, two, ended])).toEqual([one]);
      expect((await store.getSummary(two))!.cancelRequested).toBe(false);
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
      ])('%s, which watchers see', async (what, write) => {
        const [one, other] = [await submit(workspace), await submit(workspace)];
        await change(one, { updated_at: 5 });
        const [before, untouched] = [await row(one), await row(other)];
        await write(one);
        expect(await row(one)).not.toEqual(before);
        expect(await row(other)).toEqual(untouched);
        const isSeen = ((await queries.lastChanges([one])).get(one)?.at ?? 0) > 5;
        expect(isSeen).toBe(what !== 'entering the queue');
      });
    });

    test('a computation is counted for its own run, with its stage, and never below zero', async () => {
      const attempts = createRunAttempts(database);
      const [one, other] = [await submit(), await submit()];
      const counts = async () => {
        const [mine, theirs] = [(await store.getSummary(one))!, (await store.getSummary(other))!];
        expect([theirs.attempts, theirs.stage]).toEqual([1, null]);
        return [mine.attempts, mine.stage];
      };
      await attempts.count(one, 'moderation');
      await attempts.count(one);
      await attempts.count(other);
      expect(await counts()).toEqual([2, 'moderation']);
      await attempts.uncount([one]);
      expect(await counts()).toEqual([1, 'moderation']);
      for (let at = 0; at < 2; at += 1) await attempts.uncount([one]);
      expect(await counts()).toEqual([0, 'moderation']);
    });

    test('a result of an earlier version moves from its row, and is read all the while', async () => {
      const [one, other] = [await submit(), await submit()];
      const texts = new Map([one, other].map((id) => [id, `{"of":"${id}","ü":true}`]));
      for (const [id, result] of texts) await change(id, { result });
      const inRows = async () =>
        (await database.selectFrom('runs').select('id').where('result', 'is not', null).execute())
          .length;
      const before = await inRows();
      const summary = await store.getSummary(one);
      let at: string | null = '';
      const moved = [];
      while ((at = await moveResult(database, at)) !== null) {
        moved.push(at);
        expect(await inRows()).toBe(before - moved.length);
        for (const [id, text] of texts) expect(await store.result(id)).toBe(text);
      }
      expect(moved).toEqual(expect.arrayContaining([one, other]));
      expect(await inRows()).toBe(0);
      expect(await store.getSummary(one)).toEqual(summary);
      // Two workers that meet do not harm each other.
      await change(await submit(), { result: '{}' });
      await Promise.all([moveResult(database, ''), moveResult(database, '')]);
      expect(await inRows()).toBe(0);
    });
  });

  describe(`the quota for the runs of a workspace in ${name}`, () => {
    const MEBIBYTE = 2 ** 20;
    /** A result of about this many bytes; only its size matters here. */
    const result = (bytes: number) =>
      ({ metadata: { timingsMs: {} }, text: 'é'.repeat(bytes / 2) }) as never;
    /** Stores one more run if the quota allows it. */
    const admit = async (organizationId: string, quota: number | null): Promise<string> => {
      const id = `run_${crypto.randomUUID()}`;
      const payload = { audio: { key: 'talk.mp3' }, topic: '' };
      const run = { id, organizationId, keyId: 'k', payload, idempotencyKey: null };
      await createResultQuota(database, quota).admit(organizationId, (transaction) =>
        store.insert(run, transaction),
      );
      return id;
    };
    /** The bytes that count, as a refusal reports them. */
    const used = async (organizationId: string): Promise<number> => {
      const nothing = createResultQuota(database, 0).admit(organizationId, async () => 1);
      const refusal = await nothing.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(QuotaExceeded);
      return (refusal as QuotaExceeded).used;
    };

    test('a run counts with space for its result, then with its actual size', async () => {
      const id = await submit('counted', { topic: 'é'.repeat(50_000) });
      expect(Math.round((await used('counted')) / 1000)).toBe(1149);
      await store.finish(id, 'completed', result(500_000), { stage: null, progress: 1 });
      expect(Math.round((await used('counted')) / 1000)).toBe(600);
      await store.endQueued(await submit('short'), 'cancelled', result(10));
      expect(await used('short')).toBe(16_384);
    });

    test('to its last byte; a run above it is refused and not stored, and others are not affected', async () => {
      const first = await submit('full', { topic: '' });
      const exact = await used('full');
      await expect(admit('full', 2 * exact - 1)).rejects.toMatchObject({ quota: 2 * exact - 1 });
      const second = await admit('full', 2 * exact);
      await expect(admit('full', 2 * exact)).rejects.toThrow(QuotaExceeded);
      expect(new Set(await ids('full'))).toEqual(new Set([first, second]));
      await admit('empty', 2.5 * MEBIBYTE);
      await admit('full', null);
    });

    test('of 30 simultaneous runs no more are stored than fit', async () => {
      const one = () => admit('race', 10.5 * MEBIBYTE);
      const asked = await Promise.allSettled(Array.from({ length: 30 }, one));
      const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused).toHaveLength(20);
      for (const reason of refused) expect(reason).toBeInstanceOf(QuotaExceeded);
      expect(await ids('race')).toHaveLength(10);
    });

    test('a repeated request creates no run, even beyond it', async () => {
      const workspace = newWorkspace();
      await submit(workspace);
      const quota = createResultQuota(database, 1);
      expect(await quota.admit(workspace, async () => null)).toBeNull();
      await expect(quota.admit(workspace, async () => 1)).rejects.toThrow(QuotaExceeded);
      expect(await quota.admit(newWorkspace(), async () => 1)).toBe(1);
    });
  });

  describe(`the stored previews of runs in ${name}`, () => {
    const part = (start: number, text: string) => ({ start, end: start + 5, text });
    const previews = createPartialTranscripts(database);
    const newRun = async () => {
      const id = await submit();
      await store.markRunning(id);
      return id;
    };
    const textsOf = async (id: string, after = 0, most = 100) =>
      (await previews.read(id, after, most)).map(({ text }) => text);

    test('the preview of one execution is continued by the next, in order', async () => {
      const id = await newRun();
      let news = 0;
      const first = createPartialWriter(id, previews, await previews.last(id), () => (news += 1));
      expect(first.listener.after).toBe(0);
      first.listener.report([part(0, 'one'), part(5, 'two')]);
      first.listener.report([part(10, 'three \0 \ud800')]);
      await first.finish();
      expect(news).toBe(2);
      first.listener.report([part(15, 'too late')]);

      const second = createPartialWriter(id, previews, await previews.last(id), () => {});
      expect(second.listener.after).toBe(15);
      second.listener.report([part(15, 'four')]);
      await second.finish();
      const read = await previews.read(id, 0, 100);
      expect(read.map(({ position, text }) => [position, text])).toEqual([
        [1, 'one'],
        [2, 'two'],
        [3, 'three  \ufffd'],
        [4, 'four'],
      ]);
      expect(await textsOf(id, 2, 1)).toEqual(['three  \ufffd']);
      expect(await textsOf(await newRun())).toEqual([]);
    });

    test('a long transcript reported at once is stored completely', async () => {
      const id = await newRun();
      const writer = createPartialWriter(id, previews, await previews.last(id), () => {});
      writer.listener.report(Array.from({ length: 1250 }, (_, at) => part(at * 5, `part ${at}`)));
      await writer.finish();
      const read = await textsOf(id, 1200);
      expect([read.length, read.at(-1)]).toEqual([50, 'part 1249']);
    });

    test('parts that are stored already stay, and those after them are added', async () => {
      const id = await newRun();
      await previews.add(id, 0, [part(0, 'one')]);
      await previews.add(id, 0, [part(0, 'won'), part(5, 'two')]);
      expect(await textsOf(id)).toEqual(['one', 'two']);
    });

    test('it is deleted when the run ends', async () => {
      const [one, other] = [await newRun(), await newRun()];
      await previews.add(one, 0, [part(0, 'gone')]);
      await previews.add(other, 0, [part(0, 'stays')]);
      await store.finish(one, 'failed', failed, REACHED);
      expect([await textsOf(one), await textsOf(other)]).toEqual([[], ['stays']]);
    });

    test('a failing database affects only the preview', async () => {
      const refusing = { ...previews, add: () => Promise.reject(new Error('away')) };
      const writer = createPartialWriter(await newRun(), refusing, NOTHING_HEARD, () => {});
      writer.listener.report([part(0, 'lost')]);
      await writer.finish();
    });
  });
});

describe('the rows of runs in a file', async () => {
  const { database } = await sqliteDatabase();
  const { store, submit, change, row } = rowsOf(database);

  test('a list shows runs of earlier versions', async () => {
    const mine = newWorkspace();
    const id = await submit(mine, { audio: { key: 'short.mp3' } });
    await submit(mine, { audio: { key: 'long.mp3' }, glossary: 'x'.repeat(20_000) });
    await database.deleteFrom('runs').where('organization_id', '!=', mine).execute();
    for (const run of await store.list(mine, 9, null)) {
      const payload = (await store.payload(run.id))!;
      await change(run.id, { payload, result: '{"by":"1.20"}' });
    }
    const keys = async () =>
      (await store.list(mine, 9, null)).map((run) => run.payload.audio.key).toSorted();
    expect(await keys()).toEqual(['long.mp3', 'short.mp3']);
    expect(await store.result(id)).toBe('{"by":"1.20"}');
    await database.schema.dropTable('run_texts').execute();
    await MIGRATIONS['0014-run-texts'].up(database);
    expect(await keys()).toEqual(['long.mp3', 'short.mp3']);
    const moved = await database.selectFrom('run_texts').select('text').execute();
    expect(moved.map(({ text }) => JSON.parse(text).glossary.length)).toEqual([20_000]);
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

  test.each<[string, string, (id: string) => Promise<unknown>]>([
    ['is finished', 'run.completed', (id) => store.finish(id, 'completed', COMPLETED, REACHED)],
    [
      'is cancelled in the queue',
      'run.failed',
      (id) => store.endQueued(id, 'cancelled', COMPLETED),
    ],
  ])('a run %s only together with its event, %s', async (_, event, end) => {
    const workspace = newWorkspace();
    const webhooks = createWebhookStore(database);
    const webhook = (await webhooks.create(workspace, 'key', { url: 'https://hooks.example/' }))!;
    const id = await submit(workspace);
    await refusing(database, 'insert on webhook_deliveries', () => end(id));
    expect(await row(id)).toMatchObject({ state: 'queued', finished_at: null, result: null });
    await end(id);
    expect((await row(id)).finished_at).not.toBeNull();
    const told = { runId: id, event, state: 'pending' };
    expect(await webhooks.deliveries(workspace, webhook.id)).toMatchObject([told]);
    // It has ended, so there is nothing more to tell, whatever its end would be called now.
    await end(id);
    await store.finish(id, 'failed', COMPLETED, REACHED);
    expect(await webhooks.deliveries(workspace, webhook.id)).toMatchObject([told]);
  });
});

const onLinux = needs(process.platform === 'linux', 'only Linux tells the time of a thread');

onLinux('the time of a thread includes that of the system for it', () => {
  const own = ownThreadId()!;
  // Both times in hundredths of a second (proc(5)).
  const stat = () => readFileSync(`/proc/self/task/${own}/stat`, 'utf8').replace(/^.*\) /s, '');
  const times = () => [11, 12].map((at) => Number(stat().split(' ')[at]) * 10);
  const until = performance.now() + 20_000;
  while (times()[1]! < 20 && performance.now() < until);
  const [user = 0, system = 0] = times();
  expect(threadTime(own)).toBeGreaterThanOrEqual(user + system);
});
