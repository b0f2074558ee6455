/** The data in a run's row that outlasts its end and crashes, on each database. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { createLog } from '../../server/log.ts';
import { retryDeletions } from '../../server/runs/pending-deletions.ts';
import { createRunAttempts } from '../../server/runs/run-attempts.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

setDefaultTimeout(300_000);

const log = createLog('silent');
const reached = { stage: 'captioning', progress: 1 } as const;
const resultWith = (status: string) =>
  ({
    status: 'completed',
    metadata: {
      timingsMs: {},
      storage: {
        sourceAudio: {
          key: 'talk.mp3',
          policy: 'delete_after_use',
          status,
          cleanupPhase: 'success',
          reason: 'later',
          error: 'EIO',
        },
      },
    },
  }) as never;

await onEachDatabase((name, database) => {
  const store = createRunStore(database);
  const queries = createRunQueries(database);
  let count = 0;
  const submit = async (key = 'talk.mp3'): Promise<string> => {
    const id = `${name}-owed-${(count += 1)}`;
    const payload = { audio: { key } } as CaptionerPayload;
    const run = { id, organizationId: 'org', keyId: 'key', payload, idempotencyKey: null };
    await store.insert(run);
    return id;
  };
  const retention = async (id: string) =>
    JSON.parse((await store.get(id))?.result ?? '{}').metadata.storage.sourceAudio;
  /** A store that fails for some calls. */
  const audioStore = (failures: number, deleted: boolean, there = false) => {
    let left = failures;
    const asked: unknown[] = [];
    return {
      asked,
      delete: async (...what: unknown[]) => {
        asked.push(what);
        if (left-- > 0) throw new Error('it is away');
        return deleted;
      },
      stat: async () => (there ? { size: 1, version: 'newer' } : null),
    };
  };

  describe(`in ${name}`, () => {
    test('a pending deletion is retried until it succeeds, and the result reports it', async () => {
      const id = await submit('a.mp3');
      await store.markRunning(id);
      await store.finish(id, 'completed', resultWith('failed'), reached, 'v1');
      // A second upload after the deletion does not change the report.
      const audio = audioStore(2, true, true);
      expect(await retryDeletions(database, audio, log)).toBe(0);
      expect(await retryDeletions(database, audio, log)).toBe(0);
      expect((await retention(id)).status).toBe('failed');
      expect(await retryDeletions(database, audio, log)).toBe(1);
      expect(audio.asked).toEqual(Array.from({ length: 3 }, () => ['org', 'a.mp3', 'v1']));
      expect(await retention(id)).toEqual({
        key: 'talk.mp3',
        policy: 'delete_after_use',
        status: 'deleted',
        cleanupPhase: 'success',
        reason: 'It was deleted after the run had ended.',
      });
      expect(await retryDeletions(database, audio, log)).toBe(0);
      expect(audio.asked.length).toBe(3);
    });

    test('a newer upload is kept, and reported', async () => {
      const id = await submit();
      await store.finish(id, 'completed', resultWith('failed'), reached, 'v1');
      expect(await retryDeletions(database, audioStore(0, false, true), log)).toBe(1);
      expect(await retention(id)).toMatchObject({ status: 'skipped' });
    });

    test('a recording already gone is reported as deleted; others are not touched', async () => {
      const owed = await submit();
      await store.finish(owed, 'completed', resultWith('failed'), reached, 'v1');
      const kept = await submit();
      await store.finish(kept, 'completed', resultWith('retained'), reached);
      const audio = audioStore(0, false);
      expect(await retryDeletions(database, audio, log)).toBe(1);
      expect((await retention(owed)).status).toBe('deleted');
      expect((await retention(kept)).status).toBe('retained');
    });

    test('attempts are counted in the row, and never negative', async () => {
      const id = await submit();
      const attempts = createRunAttempts(database);
      await attempts.uncount(id);
      for (let i = 0; i < 2; i += 1) await attempts.count(id, 'transcription');
      // If the run's activity is unknown, the earlier information stays.
      await attempts.count(id);
      await attempts.uncount(id);
      expect(await store.markRunning(id)).toMatchObject({ attempts: 2, stage: 'transcription' });
    });

    test('a restarted run keeps its first start time', async () => {
      const id = await submit();
      await database.updateTable('runs').set({ started_at: 5 }).where('id', '=', id).execute();
      expect((await store.markRunning(id))?.startedAt).toBe(5);
    });

    test('a run that was cancelled in the queue is not queued again', async () => {
      const id = await submit();
      const lost = async () => (await queries.notEnqueued(Date.now() + 1)).map((run) => run.id);
      expect(await lost()).toContain(id);
      const cancel = () => store.endQueued(id, 'cancelled', resultWith('skipped'));
      expect([await cancel(), await cancel()]).toEqual([true, false]);
      expect(await lost()).not.toContain(id);
    });

    test('the recordings in use are those of runs that have not ended', async () => {
      const open = await submit(`${name}-open.mp3`);
      const over = await submit(`${name}-over.mp3`);
      await store.finish(over, 'completed', resultWith('retained'), reached);
      const keys = (await queries.audioInUse()).map(({ key }) => key);
      expect(keys).toContain(`${name}-open.mp3`);
      expect(keys).not.toContain(`${name}-over.mp3`);
      await store.finish(open, 'completed', resultWith('retained'), reached);
    });

    test('the first end of a run is final', async () => {
      const id = await submit();
      await store.finish(id, 'completed', resultWith('retained'), reached);
      await store.finish(id, 'failed', resultWith('failed'), reached, 'v1');
      expect(await store.get(id)).toMatchObject({ state: 'completed' });
      expect(await retryDeletions(database, audioStore(0, true), log)).toBe(0);
      expect(await store.markRunning(id)).toBeNull();
      expect(await store.requestCancel(id)).toBe(false);
    });
  });
});
