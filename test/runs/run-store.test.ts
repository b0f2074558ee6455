/** The rows of runs, on each database: queue positions, lists, quotas, previews, ends and deletion. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CaptionerPayload, resolvePayload } from '../../server/contract/payload.ts';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { resultOf } from '../../server/pipeline/result.ts';
import {
  createPartialTranscripts,
  createPartialWriter,
  NOTHING_HEARD,
} from '../../server/runs/store/partial-transcripts.ts';
import { createResultQuota } from '../../server/runs/store/result-quota.ts';
import { createRunAttempts } from '../../server/runs/store/run-attempts.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { ownThreadId, threadTime } from '../../server/processor-time.ts';
import { runTexts } from '../../server/storage/migrations.ts';
import { moveResult } from '../../server/storage/run-texts.ts';
import { QuotaExceeded } from '../../server/storage/audio-usage.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { needs } from '../support/requirements.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { COMPLETED, newWorkspace, REACHED } from '../support/servers/run-rows.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

setDefaultTimeout(300000);

const payload = { audio: { key: 'talk.mp3' } } as CaptionerPayload;
const result = { status: 'completed', metadata: { timingsMs: { total: 5 } } } as never;
const failed = { ...(result as object), status: 'failed', error: { stage: 'storage' } } as never;
const reached = { stage: 'captioning', progress: 0.99 } as const;
const DAY = 86_400_000;

await onEachDatabase((name, database) => {
  const store = createRunStore(database);
  const queries = createRunQueries(database);
  let count = 0;
  const submit = async (organizationId: string, idempotencyKey: string | null = null) => {
    const id = `${name}-${(count += 1)}`;
    const turn = await store.insert({
      id,
      organizationId,
      keyId: 'key',
      payload,
      idempotencyKey,
    });
    return { id, turn: turn ?? -1 };
  };

  describe(`runs in ${name}`, () => {
    test('positions are fair: a single run does not wait for a thousand of another workspace', async () => {
      const many: { id: string; turn: number }[] = [];
      for (let i = 0; i < 100; i += 1) many.push(await submit('greedy'));
      expect(many.map(({ turn }) => turn)).toEqual(many.map((_, at) => at + (many[0]?.turn ?? 0)));
      for (const { id } of many.slice(0, 10)) await store.markRunning(id);
      const modest = [await submit('modest'), await submit('modest'), await submit('modest')];
      const order = [...many.slice(10), ...modest].toSorted((a, b) => a.turn - b.turn);
      const places = modest.map((run) => order.indexOf(run));
      // Its n-th run comes no later than the other's n-th waiting one.
      expect(places[0]).toBe(0);
      expect(places[2]).toBeLessThanOrEqual(6);
      // Turns are not saved up while a workspace is idle.
      for (const { id } of modest) await store.markRunning(id);
      for (const { id } of many.slice(10, 60)) await store.markRunning(id);
      const back = await submit('modest');
      expect(back.turn).toBe(many[59]?.turn ?? 0);
    });

    test('an organisation has one run for an idempotency key, even with simultaneous requests', async () => {
      const runs = await Promise.all(
        Array.from({ length: 10 }, () => submit('organization', 'key')),
      );
      expect(runs.filter(({ turn }) => turn >= 0)).toHaveLength(1);
      expect((await submit('another', 'key')).turn).toBeGreaterThanOrEqual(0);
    });

    test('progress never decreases, and the first end is final', async () => {
      const { id } = await submit('progress');
      await store.markRunning(id);
      await store.report(id, 'storage', 0.005, 73_000_000);
      expect(await store.getSummary(id)).toMatchObject({ stage: 'storage', loadingBytes: 73e6 });
      await store.report(id, 'transcription', 0.5);
      await store.report(id, 'payload', 0.1);
      expect(await store.getSummary(id)).toMatchObject({ stage: 'transcription', progress: 0.5 });
      // A stage may begin where the last one ended.
      await store.report(id, 'moderation', 0.5);
      expect(await store.getSummary(id)).toMatchObject({ stage: 'moderation', progress: 0.5 });
      await store.finish(id, 'completed', result, reached);
      await store.finish(id, 'failed', failed, { stage: null, progress: 0 });
      await store.report(id, 'captioning', 1);
      const run = await store.getSummary(id);
      expect([run?.state, run?.progress, run?.stage]).toEqual(['completed', 1, 'captioning']);
      expect(JSON.parse((await store.result(id)) ?? '')).toEqual(result);
      expect(await store.result('run_gone')).toBeNull();
      expect(run?.timingsMs).toEqual({ total: 5 });
    });

    test('a run that failed shows the stage that its result names', async () => {
      const [{ id: running }, { id: queued }] = [await submit('stages'), await submit('stages')];
      await store.markRunning(running);
      await store.finish(running, 'failed', failed, { stage: 'payload', progress: 0.1 });
      await store.endQueued(queued, 'failed', failed);
      const stages = (await store.list('stages', 5, null)).map(({ stage }) => stage);
      expect(stages).toEqual(['storage', 'storage']);
    });

    test.each(['completed', 'blocked', 'failed', 'cancelled'] as const)(
      'a run has ended once it is %s, and if it is unknown',
      async (state) => {
        const { id } = await submit('ends');
        expect(await store.finished(id)).toBe(false);
        await store.markRunning(id);
        expect(await store.finished(id)).toBe(false);
        await store.finish(id, state, result, reached);
        expect([await store.finished(id), await store.finished('unknown')]).toEqual([true, true]);
      },
    );

    test('unqueued runs are found until they are queued', async () => {
      const before = Date.now();
      const { id, turn } = await submit('lost');
      expect(await queries.notEnqueued(before)).not.toContainEqual({
        id,
        position: turn,
      });
      expect(await queries.notEnqueued(Date.now() + 1000)).toContainEqual({ id, position: turn });
      await store.markEnqueued([id]);
      expect(await queries.notEnqueued(Date.now() + 1000)).not.toContainEqual({
        id,
        position: turn,
      });
    });

    test('runs that ended long ago are deleted with their moderation events', async () => {
      const [old, open] = [await submit('old'), await submit('old')];
      await store.finish(old.id, 'completed', result, reached);
      const event = (runId: string) => ({
        id: `event-${runId}`,
        run_id: runId,
        created_at: 1,
        decision: 'allow' as const,
        severity: 'none' as const,
        reason: '',
        model: '',
        flagged: null,
      });
      await database
        .insertInto('moderation_events')
        .values([event(old.id), event(open.id)])
        .execute();
      await database
        .updateTable('runs')
        .set({ finished_at: Date.now() - 2 * DAY })
        .where('id', '=', old.id)
        .execute();
      expect(await queries.audioInUse()).toContainEqual({ organizationId: 'old', key: 'talk.mp3' });
      expect(await queries.forget(Date.now() - DAY)).toBe(1);
      expect(await store.getSummary(old.id)).toBeNull();
      expect((await store.getSummary(open.id))?.state).toBe('queued');
      const events = await database
        .selectFrom('moderation_events')
        .select('id')
        .where('run_id', 'in', [old.id, open.id])
        .execute();
      expect(events).toEqual([{ id: `event-${open.id}` }]);
    });
  });
});

describe('reading and deleting many runs', async () => {
  const { database } = await sqliteDatabase();
  const store = createRunStore(database);
  const queries = createRunQueries(database);

  async function submit(organizationId: string, key = 'talk.mp3', glossary = ''): Promise<string> {
    const id = `run_${crypto.randomUUID()}`;
    const payload = { audio: { key }, ...(glossary && { glossary }) };
    await store.insert({ id, organizationId, keyId: 'key', payload, idempotencyKey: null });
    return id;
  }

  describe('a list', () => {
    test('is newest first, in pages, with each run once, even within one millisecond', async () => {
      const mine = newWorkspace();
      const ids: string[] = [];
      for (let at = 0; at < 5; at += 1) ids.push(await submit(mine));
      const at = database.updateTable('runs').where('organization_id', '=', mine);
      await at.set({ created_at: 1000 }).execute();
      await database
        .updateTable('runs')
        .set({ created_at: 2000 })
        .where('id', '=', ids[0]!)
        .execute();
      const seen: string[] = [];
      for (let after = null as { createdAt: number; id: string } | null; ;) {
        const page = await store.list(mine, 2, after);
        expect(page.length).toBeLessThanOrEqual(2);
        seen.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        if (!last || seen.length > 10) break;
        after = { createdAt: last.createdAt, id: last.id };
      }
      expect(seen).toEqual([ids[0]!, ...ids.slice(1).toSorted().toReversed()]);
    });

    test('takes no longer for long payloads and results', async () => {
      const [short, long] = [newWorkspace(), newWorkspace()];
      const large = 'x'.repeat(2 ** 20);
      for (let at = 0; at < 30; at += 1) {
        await store.finish(await submit(short), 'completed', result, reached);
        const id = await submit(long, 'talk.mp3', large);
        const all = { ...(result as object), large } as never;
        await store.finish(id, 'completed', all, reached);
      }
      const time = async (of: string): Promise<number> => {
        const times: number[] = [];
        for (let at = 0; at < 9; at += 1) {
          const begun = performance.now();
          expect(await store.list(of, 100, null)).toHaveLength(30);
          times.push(performance.now() - begun);
        }
        return Math.min(...times);
      };
      const least = await time(short);
      expect(await time(long)).toBeLessThan(4 * least + 0.5);
    });

    test('shows runs of earlier versions', async () => {
      const mine = newWorkspace();
      const id = await submit(mine, 'short.mp3');
      await submit(mine, 'long.mp3', 'x'.repeat(20_000));
      for (const run of await store.list(mine, 9, null)) {
        const payload = (await store.payload(run.id))!;
        const change = { payload, result: '{"by":"1.20"}' };
        await database.updateTable('runs').set(change).where('id', '=', run.id).execute();
      }
      const keys = async () =>
        (await store.list(mine, 9, null)).map((run) => run.payload.audio.key).toSorted();
      expect(await keys()).toEqual(['long.mp3', 'short.mp3']);
      expect(await store.result(id)).toBe('{"by":"1.20"}');
      await database.schema.dropTable('run_texts').execute();
      await runTexts.up(database);
      expect(await keys()).toEqual(['long.mp3', 'short.mp3']);
      const moved = await database.selectFrom('run_texts').select('text').execute();
      expect(moved.map(({ text }) => JSON.parse(text).glossary.length)).toEqual([20_000]);
    });

    test('of one state contains no others', async () => {
      const mine = newWorkspace();
      const [one, two] = [await submit(mine), await submit(mine)];
      await store.markRunning(two);
      expect((await store.list(mine, 10, null, 'queued')).map(({ id }) => id)).toEqual([one]);
      expect((await store.list(mine, 10, null, 'running')).map(({ id }) => id)).toEqual([two]);
    });
  });

  test('the recordings of waiting runs count as in use, those of ended runs do not', async () => {
    const mine = newWorkspace();
    const waits = await submit(mine, 'waits.mp3');
    const ended = await submit(mine, 'ended.mp3');
    await store.finish(ended, 'completed', COMPLETED, REACHED);
    const used = (await queries.audioInUse()).filter(
      ({ organizationId }) => organizationId === mine,
    );
    expect(used).toEqual([{ organizationId: mine, key: 'waits.mp3' }]);
    await store.requestCancel(waits);
    expect(await queries.cancelRequested([waits, ended])).toEqual([waits]);
  });
});

describe('writes to the row of a run', async () => {
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

  test('a run whose preview cannot be deleted has not ended', async () => {
    const id = await submit();
    await store.markRunning(id);
    const part = { run_id: id, position: 1, start: 0, end: 1, text: 'hello' };
    await database.insertInto('partial_transcripts').values(part).execute();
    const end = () => store.finish(id, 'completed', COMPLETED, REACHED);
    await refusing(database, 'delete on partial_transcripts', end);
    expect(await row(id)).toMatchObject({ state: 'running', result: null, finished_at: null });
  });

  test('every update of a run is a change that watchers see', async () => {
    const changed = async (id: string, write: () => Promise<unknown>) => {
      await change(id, { updated_at: 5 });
      await write();
      return ((await queries.lastChanges([id])).get(id)?.at ?? 0) > 5;
    };
    const [one, two] = [await submit(), await submit()];
    expect(await changed(one, () => store.requestCancel(one))).toBe(true);
    expect(await changed(one, () => store.markRunning(one))).toBe(true);
    expect(await changed(one, () => store.report(one, 'transcription', 0.5))).toBe(true);
    expect(await changed(one, () => store.finish(one, 'completed', COMPLETED, REACHED))).toBe(true);
    expect(await changed(two, () => store.endQueued(two, 'cancelled', COMPLETED))).toBe(true);
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
});

describe('the quota for the runs of a workspace, on each database', async () => {
  const MEBIBYTE = 2 ** 20;
  /** A result of about this many bytes; only its size matters here. */
  const result = (bytes: number) =>
    ({ metadata: { timingsMs: {} }, text: 'é'.repeat(bytes / 2) }) as unknown as CaptionerResult;

  await onEachDatabase((title, database) => {
    describe(title, () => {
      const store = createRunStore(database);
      const newRun = (organizationId: string, topic = '') => ({
        id: `run_${randomUUID()}`,
        organizationId,
        keyId: 'k',
        payload: { audio: { key: 'a.mp3' }, topic },
        idempotencyKey: null,
      });
      const insert = async (organizationId: string, topic?: string): Promise<string> => {
        const run = newRun(organizationId, topic);
        await store.insert(run);
        return run.id;
      };
      /** Stores one more run if the quota allows it. */
      const admit = async (organizationId: string, quota: number | null): Promise<string> => {
        const run = newRun(organizationId);
        await createResultQuota(database, quota).admit(organizationId, (transaction) =>
          store.insert(run, transaction),
        );
        return run.id;
      };
      /** The bytes that count, as a refusal reports them. */
      const used = async (organizationId: string): Promise<number> => {
        const nothing = createResultQuota(database, 0).admit(organizationId, async () => 1);
        const refusal = await nothing.catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(QuotaExceeded);
        return (refusal as QuotaExceeded).used;
      };

      test('a run counts with space for its result, then with its actual size', async () => {
        const id = await insert('counted', 'é'.repeat(50_000));
        expect(Math.round((await used('counted')) / 1000)).toBe(1149);
        await store.finish(id, 'completed', result(500_000), { stage: null, progress: 1 });
        expect(Math.round((await used('counted')) / 1000)).toBe(600);
        const short = await insert('short');
        await store.endQueued(short, 'cancelled', result(10));
        expect(await used('short')).toBe(16_384);
      });

      test('a run above the quota is refused and not stored, and others are not affected', async () => {
        const quota = 2.5 * MEBIBYTE;
        const kept = [await admit('full', quota), await admit('full', quota)];
        await expect(admit('full', quota)).rejects.toMatchObject({ quota });
        expect((await store.list('full', 10, null)).map(({ id }) => id).toSorted()).toEqual(
          kept.toSorted(),
        );
        await admit('empty', quota);
        await admit('full', null);
      });

      test('a workspace may use its quota to the last byte', async () => {
        const id = await insert('exact');
        const exact = await used('exact');
        await expect(admit('exact', 2 * exact - 1)).rejects.toThrow(QuotaExceeded);
        await admit('exact', 2 * exact);
        expect(await store.getSummary(id)).not.toBeNull();
      });

      test('of 30 simultaneous runs no more are stored than fit', async () => {
        const asked = await Promise.allSettled(
          Array.from({ length: 30 }, () => admit('race', 10.5 * MEBIBYTE)),
        );
        const stayed = asked.filter((each) => each.status === 'fulfilled').length;
        expect(stayed).toBe(10);
        for (const each of asked) {
          if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(QuotaExceeded);
        }
        expect((await store.list('race', 100, null)).length).toBe(stayed);
      });
    });
  });
});

describe('the smaller parts of runs', async () => {
  await onEachDatabase((title, database) => {
    describe(title, () => {
      const store = createRunStore(database);
      const attempts = createRunAttempts(database);
      const newRun = async () => {
        const id = `run_${crypto.randomUUID()}`;
        const payload = { audio: { key: 'talk.mp3' } };
        await store.insert({
          id,
          organizationId: 'org',
          keyId: 'k',
          payload,
          idempotencyKey: null,
        });
        return id;
      };

      test('a computation is counted for its own run, with its stage, and never below zero', async () => {
        const [one, other] = [await newRun(), await newRun()];
        const counts = async () =>
          Promise.all(
            [one, other].map(async (id) => {
              const run = (await store.getSummary(id))!;
              return [run.attempts, run.stage];
            }),
          );
        await attempts.count(one, 'moderation');
        await attempts.count(one);
        await attempts.count(other);
        expect(await counts()).toEqual([
          [2, 'moderation'],
          [1, null],
        ]);
        await attempts.uncount([one]);
        expect(await counts()).toEqual([
          [1, 'moderation'],
          [1, null],
        ]);
        for (let at = 0; at < 2; at += 1) await attempts.uncount([one]);
        expect(await counts()).toEqual([
          [0, 'moderation'],
          [1, null],
        ]);
      });

      test('a result of an earlier version moves from its row, and is read all the while', async () => {
        const [one, other] = [await newRun(), await newRun()];
        const texts = new Map([one, other].map((id) => [id, `{"of":"${id}","ü":true}`]));
        for (const [id, result] of texts) {
          await database.updateTable('runs').set({ result }).where('id', '=', id).execute();
        }
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
        await database
          .updateTable('runs')
          .set({ result: '{}' })
          .where('id', '=', await newRun())
          .execute();
        await Promise.all([moveResult(database, ''), moveResult(database, '')]);
        expect(await inRows()).toBe(0);
      });

      test('cancels are read for the runs that are asked for', async () => {
        const queries = createRunQueries(database);
        const [one, other, third] = [await newRun(), await newRun(), await newRun()];
        await store.requestCancel(one);
        await store.requestCancel(other);
        expect(await queries.cancelRequested([one, third])).toEqual([one]);
        expect((await store.getSummary(third))!.cancelRequested).toBe(false);
      });
    });
  });

  const onLinux = needs(process.platform === 'linux', 'only Linux tells the time of a thread');

  onLinux('the time of a thread includes that of the system for it', () => {
    const own = ownThreadId()!;
    // The times of the thread and of the system for it, in hundredths of a second (proc(5)).
    const times = () => {
      const stat = readFileSync(`/proc/self/task/${own}/stat`, 'utf8');
      const [user, system] = stat
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(11, 13)
        .map(Number);
      return { user: user! * 10, system: system! * 10 };
    };
    const until = performance.now() + 20_000;
    while (times().system < 20 && performance.now() < until) times();
    const { user, system } = times();
    expect(threadTime(own)).toBeGreaterThanOrEqual(user + system);
  });
});

describe('the stored previews of runs', async () => {
  const part = (start: number, text: string) => ({ start, end: start + 5, text });

  await onEachDatabase((title, database) => {
    describe(title, () => {
      const store = createPartialTranscripts(database);
      const runs = createRunStore(database);
      const newRun = async () => {
        const id = `run_${crypto.randomUUID()}`;
        const payload = { audio: { key: 'talk.mp3' } };
        await runs.insert({ id, organizationId: 'org', keyId: 'k', payload, idempotencyKey: null });
        await runs.markRunning(id);
        return id;
      };
      const end = (id: string) =>
        runs.finish(
          id,
          'failed',
          resultOf.failed({
            runId: id,
            request: resolvePayload({ audio: { key: 'talk.mp3' } }),
            timingsMs: {},
            models: {},
            stage: 'transcription',
            failure: { code: 'internal', message: '', retryable: false, suggestions: [] },
            terminology: {},
          }),
          { stage: 'transcription', progress: 0.5 },
        );

      test('the preview of one execution is continued by the next, in order', async () => {
        const id = await newRun();
        let news = 0;
        const first = createPartialWriter(id, store, await store.last(id), () => (news += 1));
        expect(first.listener.after).toBe(0);
        first.listener.report([part(0, 'one'), part(5, 'two')]);
        first.listener.report([part(10, 'three \0 \ud800')]);
        await first.finish();
        expect(news).toBe(2);
        first.listener.report([part(15, 'too late')]);

        const second = createPartialWriter(id, store, await store.last(id), () => {});
        expect(second.listener.after).toBe(15);
        second.listener.report([part(15, 'four')]);
        await second.finish();
        const read = await store.read(id, 0, 100);
        expect(read.map(({ position, text }) => [position, text])).toEqual([
          [1, 'one'],
          [2, 'two'],
          [3, 'three  \ufffd'],
          [4, 'four'],
        ]);
        expect((await store.read(id, 2, 1)).map(({ text }) => text)).toEqual(['three  \ufffd']);
        expect(await store.read(await newRun(), 0, 100)).toEqual([]);
      });

      test('a long transcript reported at once is stored completely', async () => {
        const id = await newRun();
        const writer = createPartialWriter(id, store, await store.last(id), () => {});
        writer.listener.report(Array.from({ length: 1250 }, (_, at) => part(at * 5, `part ${at}`)));
        await writer.finish();
        const read = await store.read(id, 1200, 100);
        expect([read.length, read.at(-1)?.text]).toEqual([50, 'part 1249']);
      });

      test('parts that are stored already stay, and those after them are added', async () => {
        const id = await newRun();
        await store.add(id, 0, [part(0, 'one')]);
        await store.add(id, 0, [part(0, 'won'), part(5, 'two')]);
        expect((await store.read(id, 0, 100)).map(({ text }) => text)).toEqual(['one', 'two']);
      });

      test('it is deleted when the run ends', async () => {
        const [one, other] = [await newRun(), await newRun()];
        await store.add(one, 0, [part(0, 'gone')]);
        await store.add(other, 0, [part(0, 'stays')]);
        await end(one);
        expect(await store.read(one, 0, 100)).toEqual([]);
        expect(await store.read(other, 0, 100)).toHaveLength(1);
      });

      test('a failing database affects only the preview', async () => {
        const refusing = { ...store, add: () => Promise.reject(new Error('away')) };
        const writer = createPartialWriter(await newRun(), refusing, NOTHING_HEARD, () => {});
        writer.listener.report([part(0, 'lost')]);
        await writer.finish();
      });
    });
  });
});
