/** What the runs of a workspace take up, held within its quota. */
import { sql } from 'kysely';
import type { CaptionerResult } from '../contract/results.ts';
import type { Database } from '../storage/database.ts';

/** Room for the result of a run that has not ended: about that of an hour's talk. */
export const EXPECTED_RESULT_BYTES = 2 ** 20;
/** The least that a run counts: it takes a row, its indexes and its steps, however short its result. */
const LEAST_BYTES = 16 * 2 ** 10;

/** A workspace keeps as many results as it may. */
export class ResultQuotaExceeded extends Error {
  override readonly name = 'ResultQuotaExceeded';
  /** Bytes that a workspace may keep. */
  readonly quota: number;
  /** Bytes that this one keeps, room for the results of runs under way among them. */
  readonly used: number;

  constructor(quota: number, used: number) {
    super(`The workspace keeps ${used} bytes of results, of ${quota} at most.`);
    this.quota = quota;
    this.used = used;
  }
}

export interface ResultQuota {
  /**
   * Lets a run stay that was just stored.
   * @throws {ResultQuotaExceeded} it was one too many, and is gone again
   */
  admit(organizationId: string, runId: string): Promise<void>;
}

/**
 * The quota on the service's database.
 * @param quota bytes for one workspace; null: any amount
 */
export function createResultQuota(database: Database, quota: number | null): ResultQuota {
  return {
    async admit(organizationId, runId) {
      if (quota === null) return;
      // Looked at after the run is stored: of several at once, in any process, each sees the others.
      const row = await database
        .selectFrom('runs')
        .select((eb) => eb.fn.sum<number | string | null>('kept_bytes').as('used'))
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow();
      const used = Number(row.used ?? 0);
      if (used <= quota) return;
      await database.deleteFrom('runs').where('id', '=', runId).execute();
      throw new ResultQuotaExceeded(quota, used);
    },
  };
}

/** The columns of a result that is kept. */
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
