/** The reading of reviews to learn from: their choice, their frequency, and the number at once. */
import { expect, test } from 'bun:test';
import { createLearner } from '../../server/learning/learn.ts';
import { createTerminologyStore } from '../../server/learning/terminology-store.ts';
import type { Database } from '../../server/storage/database.ts';
import { watchDatabase } from '../support/doubles/watched-database.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { reverseUnordered, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { reviewValues } from './documents.ts';

const { database } = await sqliteDatabase();
const reviews = reviewValues(database);
const learnerOn = (database: Database) =>
  createLearner(database, createTerminologyStore(database), () => 5000);
const { learn } = learnerOn(database);

let count = 0;
const workspace = (): string => `reading_${(count += 1)}`;

/** A run whose review corrects names, such as `key cloke` to Keycloak. */
async function reviewed(organizationId: string, heard: string, right: string) {
  const { runId } = await completedRun(database, organizationId, spoken(heard));
  const document = {
    cues: [{ start: 0, end: 2, lines: [right] }],
    corrections: [],
    speakers: [],
    finished: true,
  };
  const run = { id: runId, organizationId };
  await reviews.save(run, document, 'none');
  return { ...run, document };
}
const keycloak = (of: string) => reviewed(of, 'We use key cloke here.', 'We use Keycloak here.');

/** Copies a review to more runs of its workspace. */
async function copied(runId: string, copies: number): Promise<void> {
  const run = await database
    .selectFrom('runs')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  const review = await database
    .selectFrom('reviews')
    .selectAll()
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  const ids = Array.from({ length: copies }, (_, at) => `${runId}_${at}`);
  await database.transaction().execute(async (transaction) => {
    for (const id of ids) {
      await transaction
        .insertInto('runs')
        .values({ ...run, id })
        .execute();
      await transaction
        .insertInto('reviews')
        .values({ ...review, run_id: id })
        .execute();
    }
  });
}

test.each([false, true])(
  'the latest 500 reviews are read, and count; unordered rows in reverse: %p',
  async (isReverse) => {
    await reverseUnordered(database, isReverse);
    const of = workspace();
    const oldest = await reviewed(of, 'We use coober netties.', 'We use Kubernetes.');
    await database
      .updateTable('reviews')
      .set({ saved_at: 1 })
      .where('run_id', '=', oldest.id)
      .execute();
    const { id } = await keycloak(of);
    await copied(id, 499);
    const read = async () =>
      (
        await database
          .selectFrom('reviews')
          .innerJoin('review_evidence as known', 'known.run_id', 'reviews.run_id')
          .select('known.run_id')
          .where('organization_id', '=', of)
          .execute()
      ).length;
    await learn(of);
    expect(await read()).toBe(500);
    const left = await database
      .selectFrom('reviews')
      .select('run_id')
      .where('organization_id', '=', of)
      .where('run_id', 'not in', database.selectFrom('review_evidence').select('run_id'))
      .execute();
    expect(left).toEqual([{ run_id: oldest.id }]);
    const { candidates } = await learn(of);
    expect(candidates).toHaveLength(1);
    expect(candidates).toMatchObject([{ canonical: 'Keycloak', accepted: 500, talks: 500 }]);
    expect(await read()).toBe(501);
  },
);

test('a review is read once, and again after it has changed', async () => {
  const of = workspace();
  const run = await keycloak(of);
  const { database: watched, statements } = watchDatabase(database);
  const { learn } = learnerOn(watched);
  await learn(of);
  expect(statements).toContain('insert review_evidence: 0');
  statements.length = 0;
  await learn(of);
  expect(statements).not.toContain('insert review_evidence: 0');
  await reviews.save(run, { ...run.document, finished: false }, 'any');
  await learn(of);
  expect(statements).toContain('insert review_evidence: 0');
});
