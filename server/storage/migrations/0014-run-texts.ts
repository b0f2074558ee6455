/** Migration 14: the large texts of runs in a table of their own. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { briefOf } from '../../contract/payload.ts';

/** The length from which the payloads of earlier runs are moved. */
const LONG_BYTES = 16 * 2 ** 10;

interface Tables {
  runs: { id: string; payload: string };
  run_texts: { run_id: string; kind: string; text: string };
}

/**
 * Adds a table. SQLite has to pass over a long payload and result to read the columns after them, so that a list of
 * runs took as long as these are. Earlier results stay where they are, since moving them could take minutes.
 */
export const runTexts: Migration = {
  async up(database: Kysely<Tables>) {
    await database.schema
      .createTable('run_texts')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_texts_key', ['run_id', 'kind'])
      .execute();
    const long = await database
      .selectFrom('runs')
      .select('id')
      .where(sql<number>`octet_length(payload)`, '>', LONG_BYTES)
      .execute();
    for (const { id } of long) {
      const run = database.selectFrom('runs').select('payload').where('id', '=', id);
      const { payload: text } = await run.executeTakeFirstOrThrow();
      await database
        .insertInto('run_texts')
        .values({ run_id: id, kind: 'payload', text })
        .execute();
      const payload = JSON.stringify(briefOf(JSON.parse(text)));
      await database.updateTable('runs').set({ payload }).where('id', '=', id).execute();
    }
  },
};
