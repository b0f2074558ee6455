/** Reading and deleting many runs: lists, recordings in use, and data deleted with old runs. */
import { describe, expect, test } from 'bun:test';
import { createRunQueries } from '../../server/runs/run-queries.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { COMPLETED, newWorkspace, REACHED } from '../support/servers/run-rows.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const store = createRunStore(database);
const queries = createRunQueries(database);

async function submit(organizationId: string, key = 'talk.mp3'): Promise<string> {
  const id = `run_${crypto.randomUUID()}`;
  const payload = { audio: { key } };
  await store.insert({ id, organizationId, keyId: 'key', payload, idempotencyKey: null });
  return id;
}

describe('a list', () => {
  test('is newest first, in pages, with each run once, even within one millisecond', async () => {
    const mine = newWorkspace();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.push(await submit(mine));
    const at = database.updateTable('runs').where('organization_id', '=', mine);
    await at.set({ created_at: 1000 }).execute();
    await database
      .updateTable('runs')
      .set({ created_at: 2000 })
      .where('id', '=', ids[0]!)
      .execute();
    const seen: string[] = [];
    for (let after = null as { createdAt: number; id: string } | null; ;) {
      const page = await store.list(mine, 2, after);
      expect(page.length).toBeLessThanOrEqual(2);
      seen.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (!last || seen.length > 10) break;
      after = { createdAt: last.createdAt, id: last.id };
    }
    expect(seen).toEqual([ids[0]!, ...ids.slice(1).toSorted().toReversed()]);
  });

  test('of one state contains no others', async () => {
    const mine = newWorkspace();
    const [one, two] = [await submit(mine), await submit(mine)];
    await store.markRunning(two);
    expect((await store.list(mine, 10, null, 'queued')).map(({ id }) => id)).toEqual([one]);
    expect((await store.list(mine, 10, null, 'running')).map(({ id }) => id)).toEqual([two]);
  });
});

test('runs are deleted with their events, including events of deleted runs, but not new ones', async () => {
  const event = (id: string, run_id: string, created_at: number) =>
    database
      .insertInto('moderation_events')
      .values({
        id,
        run_id,
        created_at,
        decision: 'allow',
        severity: 'none',
        reason: 'safe',
        model: 'm',
        flagged: null,
      })
      .execute();
  const mine = newWorkspace();
  const [old, kept, going] = [await submit(mine), await submit(mine), await submit(mine)];
  await store.finish(old, 'completed', COMPLETED, REACHED);
  await database.updateTable('runs').set({ finished_at: 500 }).where('id', '=', old).execute();
  await store.finish(kept, 'completed', COMPLETED, REACHED);
  await database.updateTable('runs').set({ finished_at: 1000 }).where('id', '=', kept).execute();
  await event('mod_old', old, 5000);
  await event('mod_kept', kept, 100);
  await event('mod_going', going, 100);
  await event('mod_orphan', 'run_gone', 100);
  await event('mod_new_orphan', 'run_gone', 5000);
  expect(await queries.forget(1000)).toBe(1);
  const left = await database.selectFrom('moderation_events').select('id').orderBy('id').execute();
  expect(left.map(({ id }) => id)).toEqual(['mod_going', 'mod_kept', 'mod_new_orphan']);
  expect(await store.get(kept)).not.toBeNull();
});

test('the recordings of waiting runs count as in use, those of ended runs do not', async () => {
  const mine = newWorkspace();
  const waits = await submit(mine, 'waits.mp3');
  const ended = await submit(mine, 'ended.mp3');
  await store.finish(ended, 'completed', COMPLETED, REACHED);
  const used = (await queries.audioInUse()).filter(({ organizationId }) => organizationId === mine);
  expect(used).toEqual([{ organizationId: mine, key: 'waits.mp3' }]);
  await store.requestCancel(waits);
  expect(await queries.cancelRequested([waits, ended])).toEqual([waits]);
});

test('changes are reported for the requested runs only', async () => {
  const mine = newWorkspace();
  const [one] = [await submit(mine), await submit(mine)];
  expect([...(await queries.lastChanges([one])).keys()]).toEqual([one]);
});

test('more ids than fit in one statement are all looked up', async () => {
  const mine = newWorkspace();
  const known = [await submit(mine), await submit(mine), await submit(mine)];
  const unknown = Array.from({ length: 1498 }, (_, at) => `run_${at}`);
  const ids = [known[0]!, ...unknown.slice(0, 499), known[1]!, ...unknown.slice(499), known[2]!];
  expect([...(await queries.lastChanges(ids)).keys()].toSorted()).toEqual(known.toSorted());
});
