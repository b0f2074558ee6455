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
    const insert = async (organizationId: string, topic = ''): Promise<string> => {
      const id = `run_${randomUUID()}`;
      const payload = { audio: { key: 'a.mp3' }, topic };
      await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
      return id;
    };
    const admit = async (organizationId: string, id: string, quota: number | null) =>
      createResultQuota(database, quota).admit(organizationId, id);
    /** The bytes that count, as a refusal reports them; the run that asks is removed again. */
    const used = async (organizationId: string): Promise<number> => {
      const refusal = await admit(organizationId, 'nobody', 0).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(QuotaExceeded);
      return (refusal as QuotaExceeded).used;
    };

    test('a run counts with room for its result, then with what it is', async () => {
      const id = await insert('counted', 'x'.repeat(100_000));
      expect(Math.round((await used('counted')) / 1000)).toBe(1149);
      await store.finish(id, 'completed', result(500_000), { stage: null, progress: 1 });
      expect(Math.round((await used('counted')) / 1000)).toBe(600);
      const short = await insert('short');
      await store.endQueued(short, 'cancelled', result(10));
      expect(await used('short')).toBe(16_384);
    });

    test('one too many is refused and not kept, others are not touched', async () => {
      const quota = 2.5 * MEBIBYTE;
      const kept = [await insert('full'), await insert('full')];
      for (const id of kept) await admit('full', id, quota);
      const third = await insert('full');
      await expect(admit('full', third, quota)).rejects.toMatchObject({ quota });
      expect(await store.get(third)).toBeNull();
      for (const id of kept) expect(await store.get(id)).not.toBeNull();
      await admit('empty', await insert('empty'), quota);
      await admit('full', await insert('full'), null);
    });

    test('a workspace may use its quota to the last byte', async () => {
      const id = await insert('exact');
      const exact = await used('exact');
      await expect(admit('exact', await insert('exact'), 2 * exact - 1)).rejects.toThrow(
        QuotaExceeded,
      );
      await admit('exact', await insert('exact'), 2 * exact);
      expect(await store.get(id)).not.toBeNull();
    });

    test('of 30 at once no more stay than fit', async () => {
      const asked = await Promise.allSettled(
        Array.from({ length: 30 }, async () =>
          admit('race', await insert('race'), 10.5 * MEBIBYTE),
        ),
      );
      const stayed = asked.filter((each) => each.status === 'fulfilled').length;
      expect(stayed).toBeLessThanOrEqual(10);
      for (const each of asked) {
        if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(QuotaExceeded);
      }
      expect((await store.list('race', 100, null)).length).toBe(stayed);
    });
  });
});
