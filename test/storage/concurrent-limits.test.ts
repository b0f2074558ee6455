/** Limits of a workspace on both databases hold for simultaneous requests. */
import { describe, expect, test } from 'bun:test';
import { createResumableRows } from '../../server/storage/resumable-rows.ts';
import { createWebhookStore, MAX_WEBHOOKS } from '../../server/webhooks/webhook-store.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

/** The results of 30 calls at once, without the refusals. */
async function takenOf<T>(call: () => Promise<T | null>): Promise<number> {
  const results = await Promise.all(Array.from({ length: 30 }, call));
  return results.filter((result) => result !== null).length;
}

await onEachDatabase((name, database) => {
  describe(`at once on ${name}`, () => {
    test('no more webhooks than allowed are created', async () => {
      const store = createWebhookStore(database);
      const create = () => store.create('org_1', 'key_1', { url: 'https://a.example/' });
      expect(await takenOf(create)).toBe(MAX_WEBHOOKS);
      expect(await store.list('org_1')).toHaveLength(MAX_WEBHOOKS);
    });

    test('no more uploads than allowed are opened', async () => {
      const rows = createResumableRows(database, () => 0);
      const upload = {
        organizationId: 'org_1',
        key: 'a.mp3',
        metadata: '',
        length: 9,
        expiresAt: 9,
      };
      expect(await takenOf(() => rows.create(upload, 5))).toBe(5);
    });
  });
});
