/** Queries over many runs at once, for watchers, housekeeping and metrics. */
import type { PayloadBrief } from '../../contract/payload.ts';
import type { RunState } from '../../contract/runs.ts';
import type { AudioName } from '../../storage/audio.ts';
import type { LastChange } from './watches.ts';
import { forgetStrangers } from '../../voices/voice-store.ts';
import type { Database } from '../../storage/database.ts';

/** Most ids in one statement. */
const MAX_IDS = 500;

export type RunQueries = ReturnType<typeof createRunQueries>;

/** Creates the queries in the service's database. */
export function createRunQueries(database: Database) {
  return {
    /**
     * Runs and translations stored before an instant that never reached the queue, with their queue positions. A
     * translation of a run in progress waits for it.
     */
    async notEnqueued(before: number): Promise<{ id: string; position: number }[]> {
      const lost = await database
        .selectFrom('runs')
        .select(['id', 'queue_position as position', 'created_at'])
        .where('enqueued', '=', 0)
        .where('finished_at', 'is', null)
        .where('created_at', '<', before)
        .unionAll(
          database
            .selectFrom('translations')
            .select(['id', 'queue_position as position', 'created_at'])
            .where('enqueued', '=', 0)
            .where('finished_at', 'is', null)
            .where('created_at', '<', before)
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('runs')
                    .select('runs.id')
                    .whereRef('runs.id', '=', 'translations.run_id')
                    .where('runs.finished_at', 'is', null),
                ),
              ),
            ),
        )
        .orderBy('created_at')
        .execute();
      return lost.map(({ id, position }) => ({ id, position }));
    },
    /** The last change of each of these runs. */
    async lastChanges(ids: readonly string[]): Promise<Map<string, LastChange>> {
      const rows = await someOf(ids, (some) =>
        database
          .selectFrom('runs')
          .select(['id', 'updated_at', 'finished_at'])
          .where('id', 'in', some)
          .execute(),
      );
      return new Map(
        rows.map((row) => [row.id, { at: row.updated_at, isEnd: row.finished_at !== null }]),
      );
    },
    /** Those of the given runs and translations that are to be cancelled. */
    async cancelRequested(ids: readonly string[]): Promise<string[]> {
      const rows = await someOf(ids, (some) =>
        database
          .selectFrom('runs')
          .select('id')
          .where('id', 'in', some)
          .where('cancel_requested', '=', 1)
          .unionAll(
            database
              .selectFrom('translations')
              .select('id')
              .where('id', 'in', some)
              .where('cancel_requested', '=', 1),
          )
          .execute(),
      );
      return rows.map((row) => row.id);
    },
    /** The recordings of runs that have not ended. */
    async audioInUse(): Promise<AudioName[]> {
      const rows = await database
        .selectFrom('runs')
        .select(['organization_id', 'payload'])
        .where('finished_at', 'is', null)
        .execute();
      return rows.map(({ organization_id: organizationId, payload }) => {
        const { audio }: PayloadBrief = JSON.parse(payload);
        return { organizationId, key: audio.key };
      });
    },
    /** Deletes the runs that ended before an instant, with all their data, and such translations of other captions. */
    async forget(before: number): Promise<number> {
      return database.transaction().execute(async (transaction) => {
        const old = transaction.selectFrom('runs').select('id').where('finished_at', '<', before);
        await transaction.deleteFrom('moderation_events').where('run_id', 'in', old).execute();
        // Events of an execution that outlived its run, which was erased meanwhile.
        await transaction
          .deleteFrom('moderation_events')
          .where('created_at', '<', before)
          .where('run_id', 'not in', transaction.selectFrom('runs').select('id'))
          .execute();
        await transaction
          .deleteFrom('translations')
          .where('run_id', 'is', null)
          .where('finished_at', '<', before)
          .execute();
        const { numDeletedRows } = await transaction
          .deleteFrom('runs')
          .where('finished_at', '<', before)
          .executeTakeFirst();
        await forgetStrangers(transaction);
        return Number(numDeletedRows);
      });
    },
    /** The creation time of the oldest run that no worker has taken; null if there is none. */
    async oldestQueued(): Promise<number | null> {
      const row = await database
        .selectFrom('runs')
        .select((eb) => eb.fn.min<number | null>('created_at').as('at'))
        .where('state', '=', 'queued')
        .executeTakeFirst();
      return row?.at ?? null;
    },
    /** The number of runs in each state. */
    async countByState(): Promise<Map<RunState, number>> {
      const rows = await database
        .selectFrom('runs')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute();
      return new Map(rows.map(({ state, count }) => [state, count]));
    },
  };
}

/** Queries in groups, since databases limit the number of parameters in a statement. */
async function someOf<T>(
  ids: readonly string[],
  read: (some: string[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    rows.push(...(await read(ids.slice(at, at + MAX_IDS))));
  }
  return rows;
}
