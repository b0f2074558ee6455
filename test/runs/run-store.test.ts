/** The rows of runs, on each database: queue positions, ends and deletion. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

setDefaultTimeout(300_000);

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
      await store.report(id, 'transcription', 0.5);
      await store.report(id, 'payload', 0.1);
      expect(await store.get(id)).toMatchObject({ stage: 'transcription', progress: 0.5 });
      // A stage may begin where the last one ended.
      await store.report(id, 'moderation', 0.5);
      expect(await store.get(id)).toMatchObject({ stage: 'moderation', progress: 0.5 });
      await store.finish(id, 'completed', result, reached);
      await store.finish(id, 'failed', failed, { stage: null, progress: 0 });
      await store.report(id, 'captioning', 1);
      const run = await store.get(id);
      expect([run?.state, run?.progress, run?.stage]).toEqual(['completed', 1, 'captioning']);
      expect(JSON.parse(run?.result ?? '')).toEqual(result);
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

    test('changes and cancels are read for many runs in one query', async () => {
      const runs = [];
      for (let i = 0; i < 600; i += 1) runs.push(await submit('watched'));
      const ids = runs.map(({ id }) => id);
      expect((await queries.lastChanges([...ids, 'none'])).size).toBe(600);
      expect(await store.requestCancel(ids[550] ?? '')).toBe(true);
      expect(await queries.cancelRequested(ids)).toEqual([ids[550] ?? '']);
      expect(await queries.cancelRequested([])).toEqual([]);
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
      expect(await store.get(old.id)).toBeNull();
      expect((await store.get(open.id))?.state).toBe('queued');
      const events = await database
        .selectFrom('moderation_events')
        .select('id')
        .where('run_id', 'in', [old.id, open.id])
        .execute();
      expect(events).toEqual([{ id: `event-${open.id}` }]);
    });

    test('states are counted', async () => {
      const counts = await queries.countByState();
      expect(counts.get('queued')).toBeGreaterThan(600);
      expect(typeof counts.get('queued')).toBe('number');
    });
  });
});
