/**
 * The large texts in the service's database, read and written without the thread that answers requests: SQLite and the
 * driver of PostgreSQL take a tenth of a second for a result of 18 MiB.
 */
import { CompiledQuery, sql } from 'kysely';
import {
  createReviewStore,
  isExpected,
  type Expected,
  type PreparedReview,
  type ReviewedRun,
  type ReviewStore,
  type Saved,
  type StoredReview,
} from '../../reviews/review-store.ts';
import { findVersion, readVersion } from '../../reviews/review-versions.ts';
import type { Runs } from '../../runs/service.ts';
import type { Translations } from '../../runs/translations.ts';
import type { Database } from '../../storage/database.ts';
import type { BeforeWrite } from '../../storage/write-limit.ts';
import { HERE_BYTES, type WorkPool } from './pool.ts';
import { RESULT_BYTES, WHOLE_RESULT } from '../../storage/run-texts.ts';

/** A stored text: as a string, or the same in UTF-8, which can be handed to another thread. */
export type StoredText = string | Uint8Array<ArrayBuffer>;

/** A stored text as a string. */
export const stringOf = (text: StoredText): string =>
  typeof text === 'string' ? text : new TextDecoder().decode(text);

/** A review with its text in either form. */
export interface LargeReview extends Omit<StoredReview, 'text'> {
  text: StoredText;
}

interface StoredTextServices {
  databaseUrl: string;
  database: Database;
  beforeWrite: BeforeWrite;
  runs: Pick<Runs, 'result'>;
  reviews: Pick<ReviewStore, 'get' | 'tagOf' | 'save'>;
  translations: Pick<Translations, 'result'>;
  pool: WorkPool;
}

/** Reads and writes the large texts. */
export type StoredTexts = ReturnType<typeof createStoredTexts>;

/** Creates the access to the service's database. */
export function createStoredTexts(services: StoredTextServices) {
  const { databaseUrl, database, beforeWrite, runs, reviews, translations, pool } = services;
  const load = (id: string) => ({ workspace: `the texts of ${id}` });
  return {
    /** The result of a run as JSON; null if it has none. */
    async result(id: string): Promise<StoredText | null> {
      const row = await database
        .selectFrom('runs')
        .select(RESULT_BYTES)
        .where('id', '=', id)
        .executeTakeFirst();
      if ((row?.bytes ?? 0) <= HERE_BYTES) return runs.result(id);
      const found = await pool.do(readStoredText, { databaseUrl, of: 'result', id }, load(id));
      return found?.text ?? null;
    },
    /** The review of a run; null if it has none. */
    async review(id: string): Promise<LargeReview | null> {
      const row = await database
        .selectFrom('reviews')
        .select(sql<number>`octet_length(document)`.as('bytes'))
        .where('run_id', '=', id)
        .executeTakeFirst();
      if ((row?.bytes ?? 0) <= HERE_BYTES) return reviews.get(id);
      return pool.do(readStoredText, { databaseUrl, of: 'review', id }, load(id));
    },
    /** A version of the review of a run; null if it has no such version. */
    async version(runId: string, id: string): Promise<LargeReview | null> {
      const found = await findVersion(database, runId, id);
      if (!found) return null;
      if (found.isCurrent) return this.review(runId);
      if (found.bytes <= HERE_BYTES) return readVersion(database, id);
      return pool.do(readStoredText, { databaseUrl, of: 'version', id }, load(runId));
    },
    /** Stores a review like the store of reviews. */
    async saveReview(run: ReviewedRun, review: PreparedReview, expected: Expected): Promise<Saved> {
      const size = review.text.byteLength;
      if (size <= HERE_BYTES) return reviews.save(run, review, expected);
      const tag = await reviews.tagOf(run.id);
      const isWritten = tag !== review.tag && isExpected(tag, expected);
      if (!isWritten) return reviews.save(run, review, expected);
      await beforeWrite(size);
      const input = { ...review, databaseUrl, run, expected };
      return pool.do(storeReview, input, { workspace: run.organizationId, size, writes: true });
    },
    /** The result of a translation as JSON, with what people have changed; null if it has none. */
    async translation(id: string): Promise<StoredText | null> {
      const row = await database
        .selectFrom('translations')
        .leftJoin('translation_edits as edited', 'edited.translation_id', 'translations.id')
        .select(
          sql<
            number | null
          >`coalesce(octet_length(edited.result), octet_length(translations.result))`.as('bytes'),
        )
        .where('id', '=', id)
        .executeTakeFirst();
      if ((row?.bytes ?? 0) <= HERE_BYTES) return translations.result(id);
      const of = 'translation';
      const found = await pool.do(readStoredText, { databaseUrl, of, id }, load(id));
      return found?.text ?? null;
    },
    /** The rows that a query selects, if they may have many texts. */
    async rows<Row>(
      { sql: statement, parameters }: CompiledQuery<Row>,
      workspace: string,
    ): Promise<Row[]> {
      const query = { databaseUrl, statement, parameters };
      return (await pool.do(readRows, query, { workspace })) as Row[];
    },
  };
}

/** How the texts are read from the database of a thread. */
const READERS = {
  async result(database: Database, id: string) {
    const row = database.selectFrom('runs').select(WHOLE_RESULT).where('id', '=', id);
    return { tag: '', savedAt: 0, text: (await row.executeTakeFirst())?.result };
  },
  async translation(database: Database, id: string) {
    const row = database
      .selectFrom('translations')
      .leftJoin('translation_edits as edited', 'edited.translation_id', 'translations.id')
      .select((eb) => eb.fn.coalesce('edited.result', 'translations.result').as('text'))
      .where('id', '=', id);
    return { tag: '', savedAt: 0, text: (await row.executeTakeFirst())?.text };
  },
  review: (database: Database, id: string) => createReviewStore(database).get(id),
  version: readVersion,
};

/** The databases that this thread has opened. */
const databases = new Map<string, Database>();
async function databaseAt(url: string): Promise<Database> {
  // Loaded here, because the shell makes captions on Nodes that have no SQLite.
  const { openDatabase } = await import('../../storage/database.ts');
  const database = databases.get(url) ?? openDatabase(url, { answersRequests: false });
  databases.set(url, database);
  return database;
}

/** Reads the rows that a statement selects. A task. */
export async function readRows(query: {
  databaseUrl: string;
  statement: string;
  parameters: readonly unknown[];
}): Promise<unknown[]> {
  const database = await databaseAt(query.databaseUrl);
  const compiled = CompiledQuery.raw(query.statement, [...query.parameters]);
  return (await database.executeQuery(compiled)).rows;
}

/** Reads a text. A task. */
export async function readStoredText({
  databaseUrl,
  of,
  id,
}: {
  databaseUrl: string;
  of: keyof typeof READERS;
  id: string;
}): Promise<(Omit<LargeReview, 'text'> & { text: Uint8Array<ArrayBuffer> }) | null> {
  const found = await READERS[of](await databaseAt(databaseUrl), id);
  if (found?.text == null) return null;
  return { ...found, text: whole(new TextEncoder().encode(found.text)) };
}

/** Stores a review. A task. */
export async function storeReview({
  databaseUrl,
  run,
  expected,
  ...review
}: PreparedReview & {
  databaseUrl: string;
  run: { id: string; organizationId: string };
  expected: Expected;
}): Promise<Saved> {
  return createReviewStore(await databaseAt(databaseUrl)).save(run, review, expected);
}

/** The same bytes in a buffer of their own, so that they can be handed over. */
const whole = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
