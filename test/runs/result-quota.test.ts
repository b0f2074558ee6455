/** The quota for the runs of a workspace, on each database. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { createResultQuota } from '../../server/runs/result-quota.ts';
import { QuotaExceeded } from '../../server/storage/quota-exceeded.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

setDefaultTimeout(300_000);

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
      expect(await store.get(id)).not.toBeNull();
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
