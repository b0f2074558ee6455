/** What workspaces may store and do store: the quotas of the service, those of single workspaces, and what counts. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { audioWorkspaceName } from './audio.ts';
import { ownerLimit } from './owner-limits.ts';

/** What a quota limits: recordings, or everything else of runs. */
export type QuotaKind = 'recordings' | 'results';

/** The bytes that a workspace may store, or does; as a limit, null is none. */
export type Quotas<Bytes = number | null> = Record<QuotaKind, Bytes>;

/** What a workspace may store: what the service allows it, or less if its owners say so. @param usual that of the service */
export async function quotaOf(
  database: Database,
  organizationId: string,
  kind: QuotaKind,
  usual: number | null,
): Promise<number | null> {
  const allowed = await allowedQuota(database, organizationId, kind, usual);
  const chosen = await ownerLimit(database, organizationId, kind);
  return chosen === null || (allowed !== null && allowed < chosen) ? allowed : chosen;
}

/** What the service allows a workspace: its own quota, if an operator set one. @param usual that of the service */
export async function allowedQuota(
  database: Database,
  organizationId: string,
  kind: QuotaKind,
  usual: number | null,
): Promise<number | null> {
  const own = await database
    .selectFrom('workspace_quotas')
    .select('bytes')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return own ? own.bytes : usual;
}

/** Sets the quota of a workspace; undefined gives it that of the service again. Holds from its next request on. */
export async function setQuota(
  database: Database,
  organizationId: string,
  kind: QuotaKind,
  bytes: number | null | undefined,
): Promise<void> {
  const row = { organization_id: organizationId, kind };
  if (bytes !== undefined) {
    await database
      .insertInto('workspace_quotas')
      .values({ ...row, bytes })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'kind']).doUpdateSet({ bytes }),
      )
      .execute();
    return;
  }
  await database
    .deleteFrom('workspace_quotas')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .execute();
}

/** Counts bytes more, or fewer, that are kept beside a run and deleted with it; false if the run is gone. */
export async function countKept(
  database: Database,
  runId: string,
  bytes: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('runs')
    .set({ kept_bytes: sql<number>`kept_bytes + ${bytes}` })
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** What a workspace stores, and may store. */
export interface WorkspaceUsage {
  organizationId: string;
  used: Quotas<number>;
  quota: Quotas;
}

/** What one workspace stores, and may store. */
export async function usageOf(
  database: Database,
  organizationId: string,
  usual: Quotas,
): Promise<Omit<WorkspaceUsage, 'organizationId'>> {
  const recordings = await database
    .selectFrom('audio_usage')
    .select((eb) => eb.fn.sum<number | string | null>('bytes').as('bytes'))
    .where('workspace', '=', audioWorkspaceName(organizationId))
    .executeTakeFirst();
  const { rows } = await sql<{ bytes: number | string | null }>`
    select sum(bytes) as bytes from (
      select kept_bytes as bytes from runs where organization_id = ${organizationId}
      union all select kept_bytes from translations where organization_id = ${organizationId}
      union all select octet_length(document) from workspace_terms where organization_id = ${organizationId}
    ) as kept`.execute(database);
  return {
    used: { recordings: Number(recordings?.bytes ?? 0), results: Number(rows[0]?.bytes ?? 0) },
    quota: {
      recordings: await quotaOf(database, organizationId, 'recordings', usual.recordings),
      results: await quotaOf(database, organizationId, 'results', usual.results),
    },
  };
}

/**
 * What each workspace stores that has stored something, and has a quota of its own, or was ever registered; of what the
 * service allows it, whatever its owners set.
 */
export async function usageOfAll(database: Database, usual: Quotas): Promise<WorkspaceUsage[]> {
  const [organizations, own, recordings, results] = await Promise.all([
    database.selectFrom('organizations').select('id').execute(),
    database.selectFrom('workspace_quotas').selectAll().execute(),
    database
      .selectFrom('audio_usage')
      .select((eb) => ['workspace', eb.fn.sum<number | string>('bytes').as('bytes')])
      .groupBy('workspace')
      .execute(),
    sql<{ id: string; bytes: number | string }>`
      select id, sum(bytes) as bytes from (
        select organization_id as id, kept_bytes as bytes from runs
        union all select organization_id, kept_bytes from translations
        union all select organization_id, octet_length(document) from workspace_terms
      ) as kept group by id`
      .execute(database)
      .then(({ rows }) => rows),
  ]);
  const bytesOf = new Map(
    [...recordings.map(({ workspace, bytes }) => ({ id: workspace, bytes })), ...results].map(
      ({ id, bytes }) => [id, Number(bytes)],
    ),
  );
  const ids = [organizations.map(({ id }) => id), results.map(({ id }) => id)];
  const named = own.map(({ organization_id }) => organization_id);
  return [...new Set([...ids.flat(), ...named])].toSorted().map((organizationId) => {
    const quota = { ...usual };
    for (const { organization_id, kind, bytes } of own) {
      if (organization_id === organizationId) quota[kind] = bytes;
    }
    const used = {
      recordings: bytesOf.get(audioWorkspaceName(organizationId)) ?? 0,
      results: bytesOf.get(organizationId) ?? 0,
    };
    return { organizationId, used, quota };
  });
}
