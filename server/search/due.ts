/** The runs whose captions have changed since they were last made ready to be searched. */
import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';

/** Notes that the captions of a run are new, or others than before. @param transaction the one that changes them */
export async function captionsChanged(
  transaction: Database,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<void> {
  await transaction
    .insertInto('caption_search_due')
    .values({ run_id: id, organization_id: organizationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Notes all runs that are not searched, or not in the version of their review: those of earlier versions, also while
 * these still run, and all that were restored from a backup.
 */
export async function noteUnsearched(database: Database): Promise<void> {
  await database
    .insertInto('caption_search_due')
    .columns(['run_id', 'organization_id'])
    .expression((eb) =>
      eb
        .selectFrom('runs')
        .leftJoin('reviews', 'reviews.run_id', 'runs.id')
        .leftJoin('caption_search_runs as searched', 'searched.run_id', 'runs.id')
        .select(['runs.id', 'runs.organization_id'])
        .where('runs.state', '=', 'completed')
        .where(sql<boolean>`searched.tag is null or searched.tag <> coalesce(reviews.tag, '')`),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
