/** Enforces the storage quota of a workspace's runs. */
import { sql } from 'kysely';
import type { CaptionerResult } from '../contract/results.ts';
import type { Database } from '../storage/database.ts';
import { QuotaExceeded } from '../storage/quota-exceeded.ts';

/** The space reserved for the result of a run in progress: about that of an hour's talk. */
export const EXPECTED_RESULT_BYTES = 2 ** 20;
/** The least space that a run counts for, because it needs a row, indexes and steps, however short its result. */
const LEAST_BYTES = 16 * 2 ** 10;

export interface ResultQuota {
  /**
   * Accepts a run that was just stored.
   * @throws {QuotaExceeded} the run exceeds the quota, and was removed
   */
  admit(organizationId: string, runId: string): Promise<void>;
}

/**
 * Creates the quota in the service's database.
 * @param quota the bytes allowed for one workspace; null for no limit
 */
export function createResultQuota(database: Database, quota: number | null): ResultQuota {
  return {
    async admit(organizationId, runId) {
      if (quota === null) return;
      // Checked after the run is stored, so that simultaneous runs see each other, even in different processes.
      const row = await database
        .selectFrom('runs')
        .select((eb) => eb.fn.sum<number | string | null>('kept_bytes').as('used'))
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow();
      const used = Number(row.used ?? 0);
      if (used <= quota) return;
      await database.deleteFrom('runs').where('id', '=', runId).execute();
      throw new QuotaExceeded('results', quota, used);
    },
  };
}

/** The columns of a stored result. */
export function kept(result: CaptionerResult) {
  const text = JSON.stringify(result);
  const bytes = Buffer.byteLength(text);
  return {
    result: text,
    kept_bytes: sql<number>`case
      when octet_length(payload) + ${bytes} > ${LEAST_BYTES} then octet_length(payload) + ${bytes}
      else ${LEAST_BYTES} end`,
  };
}
