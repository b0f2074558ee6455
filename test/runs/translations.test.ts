/** The rows of translations, on each database: queue, cancel, quota, end and deletion. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createResultQuota } from '../../server/runs/store/result-quota.ts';
import type { RunEvent } from '../../server/runs/store/run-events.ts';
import { createRunAttempts } from '../../server/runs/store/run-attempts.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import {
  beginTranslation,
  createTranslations,
  endTranslation,
  noteTranslation,
} from '../../server/runs/translations.ts';
import { QuotaExceeded } from '../../server/storage/audio-usage.ts';
import { createReviewStore, preparedReview } from '../../server/reviews/review-store.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { newWorkspace } from '../support/servers/run-rows.ts';

setDefaultTimeout(300_000);

await onEachDatabase((name, database) => {
  const published: RunEvent[] = [];
  const forgotten: string[] = [];
  const started: [string, number][] = [];
  const openWith = (quota: number | null) =>
    createTranslations({
      database,
      resultQuota: createResultQuota(database, quota),
      queue: {
        start: async ({ runId }, position) => void started.push([runId, position]),
        forget: async (id) => forgotten.push(id),
        forgetDeleted: async () => {},
      },
      events: { publish: (event) => void published.push(event) },
    });
  const translations = openWith(null);
  const sent = (organizationId: string) =>
    translations.submit({
      organizationId,
      runId: null,
      request: { language: 'de' },
      source: '{"captions":[]}',
    });
  const ofRun = async (language: string, run: { organizationId: string; runId: string }) =>
    translations.submit({ ...run, request: { language }, source: null });

  describe(`translations in ${name}`, () => {
    test('take their turns with runs, and are found if they were never queued', async () => {
      const organizationId = newWorkspace();
      const [first, second] = [await sent(organizationId), await sent(organizationId)];
      const positions = started.slice(-2).map(([, position]) => position);
      expect(started.slice(-2).map(([id]) => id)).toEqual([first.id, second.id]);
      expect(positions[1]! - positions[0]!).toBe(1);
      await database
        .updateTable('translations')
        .set({ enqueued: 0, created_at: 5 })
        .where('id', '=', second.id)
        .execute();
      const lost = await createRunQueries(database).notEnqueued(6);
      expect(lost).toEqual([{ id: second.id, position: positions[1]! }]);
      await createRunStore(database).markEnqueued([second.id]);
      expect(await createRunQueries(database).notEnqueued(6)).toEqual([]);
    });

    test('of a run in progress wait for its end, and need nobody then', async () => {
      const organizationId = newWorkspace();
      const { runId } = await completedRun(database, organizationId, spoken('Eins zwei.'));
      const ending = (finished_at: number | null) =>
        database.updateTable('runs').set({ finished_at }).where('id', '=', runId).execute();
      await ending(null);
      const request = { language: 'en' };
      const one = { organizationId, runId, request, source: null, waits: true };
      const { id } = await translations.submit(one);
      const lost = async () =>
        (await createRunQueries(database).notEnqueued(Date.now() + 1)).map((row) => row.id);
      expect([started.some(([known]) => known === id), await lost()]).toEqual([false, []]);
      await ending(Date.now());
      expect(await lost()).toEqual([id]);
      await endTranslation(database, id, 'completed', {}, '{}');
      const { signal } = new AbortController();
      const waited = { organizationId, runId, id };
      expect(await translations.finish(waited, signal)).toMatchObject({ id, state: 'completed' });
      await translations.finish(waited, signal);
      expect(started.filter(([known]) => known === id).length).toBe(1);
    });

    test('count towards the quota, with what they reserve and then with what they are', async () => {
      const organizationId = newWorkspace();
      const small = openWith(300_000);
      const one = { organizationId, runId: null, request: { language: 'de' }, source: null };
      const { id } = await small.submit(one);
      await expect(small.submit(one)).rejects.toThrow(QuotaExceeded);
      await beginTranslation(database, id);
      await endTranslation(database, id, 'completed', {}, '{}');
      await small.submit(one);
    });

    test('a cancel ends what waits at once, and reaches the worker of what runs', async () => {
      const organizationId = newWorkspace();
      const [waiting, running] = [await sent(organizationId), await sent(organizationId)];
      expect(await beginTranslation(database, running.id)).toMatchObject({
        state: 'running',
        source: '{"captions":[]}',
      });
      expect([await translations.cancel(waiting), await translations.cancel(running)]).toEqual([
        true,
        true,
      ]);
      const list = await translations.list(organizationId, null);
      const states = Object.fromEntries(list.map(({ id, state }) => [id, state]));
      expect(states).toEqual({ [waiting.id]: 'cancelled', [running.id]: 'running' });
      expect(published.at(-1)).toEqual({ type: 'cancel', runId: running.id });
      expect(await createRunQueries(database).cancelRequested([running.id])).toEqual([running.id]);
      expect(await translations.erase(running)).toBe(false);
      await endTranslation(database, running.id, 'cancelled', {}, null);
      expect(await translations.cancel(running)).toBe(false);
      expect(await translations.erase(running)).toBe(true);
      expect(forgotten).toContain(running.id);
      expect(await translations.get(organizationId, null, running.id)).toBeNull();
    });

    test('only the first end counts, and progress never goes back', async () => {
      const { id, organizationId } = await sent(newWorkspace());
      await beginTranslation(database, id);
      await noteTranslation(database, id, { progress: 0.5 });
      await noteTranslation(database, id, { progress: 0.2 });
      expect((await translations.get(organizationId, null, id))?.progress).toBe(0.5);
      expect(await endTranslation(database, id, 'completed', { model: 'm' }, '{"x":1}')).toBe(true);
      expect(await endTranslation(database, id, 'failed', {}, null)).toBe(false);
      expect(await beginTranslation(database, id)).toBeNull();
      const ended = await translations.get(organizationId, null, id);
      expect(ended).toMatchObject({ state: 'completed', progress: 1, outcome: { model: 'm' } });
      expect(await translations.result(id)).toBe('{"x":1}');
    });

    test('know the review that they are made from, and the latest of a language', async () => {
      const organizationId = newWorkspace();
      const { runId } = await completedRun(database, organizationId, spoken('One two.'));
      const run = { organizationId, runId };
      const reviews = createReviewStore(database);
      const [old, latest] = [await ofRun('pt-BR', run), await ofRun('pt-br', run)];
      for (const { id } of [old, latest]) {
        await noteTranslation(database, id, { basis: 'original', reviewTag: null });
        await endTranslation(database, id, 'completed', {}, '{}');
      }
      const earlier = database.updateTable('translations').set({ finished_at: 1 });
      await earlier.where('id', '=', old.id).execute();
      const found = await translations.latest(runId, 'PT-BR');
      expect([found?.id, found?.reviewChanged]).toEqual([latest.id, false]);
      const review = { cues: [], corrections: [], speakers: [], finished: false };
      await reviews.save({ id: runId, organizationId }, preparedReview(review), 'none');
      expect((await translations.latest(runId, 'pt-BR'))?.reviewChanged).toBe(true);
      expect(await translations.get(organizationId, null, latest.id)).toBeNull();
      expect(await translations.get(newWorkspace(), runId, latest.id)).toBeNull();
    });

    test('computations that end their worker are counted', async () => {
      const { id, organizationId } = await sent(newWorkspace());
      const attempts = createRunAttempts(database);
      await attempts.count(id, 'captioning');
      await attempts.count(id);
      await attempts.uncount([id]);
      expect((await translations.get(organizationId, null, id))?.attempts).toBe(1);
    });
  });
});
