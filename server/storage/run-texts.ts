/**
 * The large texts of runs, in a table apart from them: SQLite passes over a long text in a row to read the columns
 * after it. Expressions for queries of runs.
 */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

type Kind = Tables['run_texts']['kind'];

/** An expression of a text of the run in a query; null if there is none. */
const textOf = (kind: Kind, expression: 'text' | 'octet_length(text)' = 'text') =>
  sql`(select ${sql.raw(expression)} from run_texts where run_id = runs.id and kind = ${sql.lit(kind)})`;

/** Its payload as JSON; the column of that name has only the brief. */
export const WHOLE_PAYLOAD = sql<string>`coalesce(${textOf('payload')}, payload)`.as('whole');

/** Its result as JSON; null if it has none. */
export const WHOLE_RESULT = sql<string | null>`coalesce(result, ${textOf('result')})`.as('result');

/** The bytes of its result, which need not be read for them; null if it has none. */
export const RESULT_BYTES = sql<
  number | null
>`coalesce(octet_length(result), ${textOf('result', 'octet_length(text)')})`.as('bytes');

/** Stores a text of a run. */
export async function keepText(
  transaction: Database,
  run_id: string,
  kind: Kind,
  text: string,
): Promise<void> {
  await transaction.insertInto('run_texts').values({ run_id, kind, text }).execute();
}

/**
 * Moves a result that an earlier version left in the row of its run to the other texts. Nobody sees a difference.
 * @param after the id after which to look; at first ''
 * @returns the id of its run, after which to go on; null once there is none
 */
export async function moveResult(database: Database, after: string): Promise<string | null> {
  const found = await database
    .selectFrom('runs')
    .select('id')
    .where('id', '>', after)
    .where('result', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!found) return null;
  const { id } = found;
  await database.transaction().execute(async (transaction) => {
    const row = transaction.updateTable('runs').where('id', '=', id);
    // Takes the lock of the row first, so that nobody changes the result between its copy and its removal.
    const locked = row.set((eb) => ({ state: eb.ref('state') })).where('result', 'is not', null);
    if (!(await locked.returning('id').executeTakeFirst())) return;
    await transaction
      .insertInto('run_texts')
      .columns(['run_id', 'kind', 'text'])
      .expression((eb) =>
        eb
          .selectFrom('runs')
          .select(['id', sql.lit<Kind>('result').as('kind'), sql<string>`result`.as('text')])
          .where('id', '=', id),
      )
      .execute();
    await row.set({ result: null }).execute();
  });
  return id;
}
