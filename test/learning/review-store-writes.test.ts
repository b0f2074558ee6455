/** The responses to saving and deleting a review, and failed writes of the database. */
import { describe, expect, test } from 'bun:test';
import type { ReviewDocument } from '../../server/contract/review.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { completedRun, keptBytesOf, spoken } from '../support/servers/completed-run.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { reviewValues } from './documents.ts';

const { database } = await sqliteDatabase();
const store = reviewValues(database, () => 1000);
const document = (text: string): ReviewDocument => ({
  cues: [{ start: 0, end: 1, lines: [text] }],
  corrections: [],
  speakers: [],
  finished: true,
});
const newRun = async () => {
  const { runId } = await completedRun(database, 'org_1', spoken('one two three'));
  return { id: runId, organizationId: 'org_1' };
};

test('saving a review returns its tag, its time and its text', async () => {
  const run = await newRun();
  await createWebhookStore(database).create('org_1', 'key', { url: 'https://a.example/' });
  const first = await store.save(run, document('first'), 'none');
  const review = { savedAt: 1000, document: document('first') };
  expect(first).toEqual({
    outcome: 'saved',
    created: true,
    review: { ...review, tag: expect.stringMatching(/^[\w-]{27}$/) },
  });
  const again = await reviewValues(database, () => 2000).save(run, document('first'), 'none');
  expect(again).toEqual({ ...first, created: false } as never);
  const { tag, savedAt } = (await store.get(run.id))!;
  expect(savedAt).toBe(1000);
  expect(await store.save(run, document('second'), [tag])).toMatchObject({
    outcome: 'saved',
    created: false,
    review: { savedAt: 1000, document: document('second') },
  });
  const told = await database.selectFrom('webhook_deliveries').select('body').execute();
  expect(told.map(({ body }) => JSON.parse(body).data)).toEqual([
    { runId: run.id, finished: true },
    { runId: run.id, finished: true },
  ]);
});

test('no review is saved for a deleted run, although there are others', async () => {
  await newRun();
  const gone = { id: 'run_gone', organizationId: 'org_1' };
  expect(await store.save(gone, document('late'), 'none')).toEqual({ outcome: 'no-run' });
});

test('a review is deleted only by somebody who expects it', async () => {
  const run = await newRun();
  const saved = await store.save(run, document('kept'), 'none');
  const tag = saved.outcome === 'saved' ? saved.review.tag : '';
  for (const expected of ['none', [], ['another']] as const) {
    expect(await store.forget(run.id, expected)).toBe(false);
    expect(await store.get(run.id)).toMatchObject({ tag });
  }
  expect(await store.forget(run.id, ['another', tag])).toBe(true);
  expect(await store.get(run.id)).toBeNull();
  expect(await store.forget(run.id, 'none')).toBe(true);
});

describe('a database that refuses', () => {
  test('to count the bytes of a review leaves it as it was', async () => {
    const run = await newRun();
    const before = await keptBytesOf(database, run.id);
    const count = 'update of kept_bytes on runs';
    await refusing(database, count, () => store.save(run, document('one'), 'none'));
    expect(await store.get(run.id)).toBeNull();
    await store.save(run, document('one'), 'none');
    await refusing(database, count, () => store.forget(run.id, 'any'));
    expect(await store.get(run.id)).not.toBeNull();
    expect(await store.forget(run.id, 'any')).toBe(true);
    expect(await store.forget(run.id, 'any')).toBe(true);
    expect(await store.forget(run.id, ['another'])).toBe(true);
    expect(await keptBytesOf(database, run.id)).toBe(before);
  });
});
