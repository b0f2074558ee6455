/** Enforces the storage quota of a workspace's runs, in which its translations and terms count too. */
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { lockUntilCommit } from '../../storage/transaction-lock.ts';
import { QuotaExceeded } from '../../storage/audio-usage.ts';
import { quotaOf } from '../../storage/workspace-quotas.ts';

export type ResultQuota = ReturnType<typeof createResultQuota>;

/**
 * Creates the quota in the service's database.
 * @param quota the bytes allowed for a workspace without a quota of its own; null for no limit
 */
export function createResultQuota(database: Database, quota: number | null) {
  return {
    /**
     * Stores a run of a workspace if its quota allows it. No other request sees the run before that is decided: one that
     * repeats its idempotency key would get the id of a run that is then removed.
     * @param insert stores the run in the given transaction; returns null if there is nothing to store
     * @throws {QuotaExceeded} the run exceeds the quota, and is not stored
     */
    async admit<T>(
      organizationId: string,
      insert: (database: Database) => Promise<T | null>,
    ): Promise<T | null> {
      return database.transaction().execute(async (transaction) => {
        const limit = await quotaOf(transaction, organizationId, 'results', quota);
        if (limit === null) return insert(transaction);
        // If two runs compete for the last space, only one gets it.
        await lockUntilCommit(transaction, `results:${organizationId}`);
        const inserted = await insert(transaction);
        if (inserted === null) return null;
        const { rows } = await sql<{ used: number | string }>`
          select coalesce((select sum(kept_bytes) from runs where organization_id = ${organizationId}), 0)
            + coalesce((select sum(kept_bytes) from translations where organization_id = ${organizationId}), 0)
            + coalesce((select octet_length(document) from workspace_terms where organization_id = ${organizationId}), 0)
            as used`.execute(transaction);
        const used = Number(rows[0]?.used);
        if (used > limit) throw new QuotaExceeded('results', limit, used);
        return inserted;
      });
    },
  };
}
