/** The time for which single workspaces keep their runs and their media, if it is shorter than that of the service. */
import type { Log } from '../base/log.ts';
import { type AudioStore, audioWorkspaceName } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { deleteMedia } from '../storage/run-media.ts';
import type { RunErasures } from './run-erasure.ts';

const DAY_MS = 86_400_000;
/** The most runs of a workspace that are erased at a time; the rest follows the next time. */
const AT_ONCE = 200;
/** The workspaces that are read at a time. */
const PAGE = 200;

/** The days for which a workspace keeps its runs; null for as long as the service. */
export async function retentionOf(
  database: Database,
  organizationId: string,
): Promise<number | null> {
  const row = await database
    .selectFrom('workspace_retention')
    .select('run_days')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row?.run_days ?? null;
}

/** Sets them. */
export async function setRetention(
  database: Database,
  organizationId: string,
  days: number | null,
): Promise<void> {
  if (days === null) {
    await database
      .deleteFrom('workspace_retention')
      .where('organization_id', '=', organizationId)
      .execute();
    return;
  }
  await database
    .insertInto('workspace_retention')
    .values({ organization_id: organizationId, run_days: days })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ run_days: days }))
    .execute();
}

/** Erases the runs that their workspaces no longer keep. @returns their number */
export async function eraseOverdue(
  { database, erasure, log }: { database: Database; erasure: RunErasures; log: Log },
  now: number,
): Promise<number> {
  let count = 0;
  for await (const { organization_id: organizationId, run_days: days } of retentions(database)) {
    const due = await database
      .selectFrom('runs')
      .select(['id', 'payload'])
      .where('organization_id', '=', organizationId)
      .where('finished_at', '<', now - days * DAY_MS)
      .orderBy('finished_at')
      .limit(AT_ONCE)
      .execute();
    for (const { id, payload } of due) {
      const run = { id, organizationId, payload: JSON.parse(payload) };
      const erased = await erasure.erase(run, false).catch((error: unknown) => {
        log.warn('overdue_run_not_erased', { runId: id, error });
        return null;
      });
      if (erased) count += 1;
    }
    await database
      .deleteFrom('translations')
      .where('organization_id', '=', organizationId)
      .where('run_id', 'is', null)
      .where('finished_at', '<', now - days * DAY_MS)
      .execute();
  }
  if (count > 0) await erasure.forgetDeleted();
  return count;
}

/** Deletes the sounds and videos that their workspaces no longer keep with runs. @returns their number */
export async function deleteOverdueMedia(
  { database, audio, log }: { database: Database; audio: Pick<AudioStore, 'delete'>; log: Log },
  now: number,
): Promise<number> {
  const due = await database
    .selectFrom('owner_limits')
    .innerJoin('run_media', 'run_media.organization_id', 'owner_limits.organization_id')
    .innerJoin('runs', 'runs.id', 'run_media.run_id')
    .select(['run_media.kind', 'runs.id', 'runs.organization_id as organizationId', 'runs.payload'])
    .where('owner_limits.kind', '=', 'mediaDays')
    .where('run_media.bytes', 'is not', null)
    .where((eb) => eb('runs.finished_at', '<', eb(eb.val(now), '-', eb('amount', '*', DAY_MS))))
    .orderBy('runs.finished_at')
    .limit(AT_ONCE)
    .execute();
  let count = 0;
  for (const { kind, payload, ...run } of due) {
    const owner = { ...run, payload: JSON.parse(payload) };
    const isGone = await deleteMedia({ database, audio }, owner, kind).catch((error: unknown) => {
      log.warn('overdue_media_not_deleted', { runId: run.id, error });
      return false;
    });
    if (isGone) count += 1;
  }
  return count;
}

/**
 * The instants before which recordings without a run are too old, for workspaces that keep media for a shorter time, by
 * their audioWorkspaceName().
 */
export async function keptRecordingsSince(
  database: Database,
  now: number,
): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom('owner_limits')
    .select(['organization_id', 'amount'])
    .where('kind', '=', 'mediaDays')
    .execute();
  return new Map(
    rows.map(({ organization_id: id, amount }) => [audioWorkspaceName(id), now - amount * DAY_MS]),
  );
}

/** The workspaces with a time of their own, a page at a time. */
async function* retentions(database: Database) {
  for (let last = ''; ;) {
    const page = await database
      .selectFrom('workspace_retention')
      .selectAll()
      .where('organization_id', '>', last)
      .orderBy('organization_id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1)?.organization_id ?? '';
  }
}
