/** A round of housekeeping: its order, its log, and failures of its parts. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import type { RunQueue } from '../../server/runs/queue.ts';
import { DAY_MS, house, MINUTE_MS } from './house.ts';

setDefaultTimeout(300_000);

test('pending deletions are made in a round, which waits for them and for lost runs', async () => {
  const { round, record, run, audio, database, services } = await house();
  await record('owed.mp3', MINUTE_MS);
  await run('run_owing', 'owed.mp3', MINUTE_MS);
  const { version } = (await audio.stat('org', 'owed.mp3'))!;
  await database.updateTable('runs').set({ owed_audio: version }).execute();
  let isRecovered = false;
  const recover = async () => {
    await Bun.sleep(5);
    isRecovered = true;
    return 1;
  };
  await round({ runs: { ...services.runs, recover } });
  expect([await audio.stat('org', 'owed.mp3'), isRecovered]).toEqual([null, true]);
});

test('the log counts deleted data, if there was any', async () => {
  const { round, record, run, log, database } = await house();
  await record('old.mp3', 8 * DAY_MS);
  await run('run_old', 'a.mp3', 31 * DAY_MS);
  const prune = async () => 3;
  const queue = { prune } as unknown as RunQueue;
  await round({ queue });
  const line =
    log()
      .split('\n')
      .find((text) => text.includes('"pruned"')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({ runs: 1, steps: 3, recordings: 1 });
  await database.deleteFrom('schedules').execute();
  await round({ queue: { prune: async () => 0 } as unknown as RunQueue });
  expect(log().split('"pruned"')).toHaveLength(2);
});

test.each(['audit_answers', 'webhook_deliveries', 'resumable_uploads'])(
  'a failed deletion of %s is logged',
  async (table) => {
    const { round, database, log } = await house();
    await sql.raw(`alter table ${table} rename to away`).execute(database);
    await round();
    expect(log()).toMatch(new RegExp(`pruning_failed.*no such table: (main\\.)?${table}`));
  },
);

test('a failure is logged, does not stop the other parts, and is retried', async () => {
  const { round, services, asked, log, database } = await house();
  const away = async () => {
    throw new Error('it is away');
  };
  await round({ audio: { ...services.audio, expire: away } });
  expect(log()).toContain('pruning_failed');
  expect(log()).toContain('it is away');
  await round({ runs: { ...services.runs, recover: away } });
  expect(log()).toMatch(/runs_not_recovered.*it is away/);
  expect([asked.prune.length, asked.recover.length]).toEqual([2, 1]);
  expect(log()).not.toContain('pending_deletions_not_read');
  await database.schema.alterTable('runs').renameTo('away').execute();
  await round();
  expect(log()).toMatch(/pending_deletions_not_read.*no such table: runs/);
});

test('a part of an upload counts as abandoned after an hour, not before', async () => {
  const { round, services } = await house();
  const swept: number[] = [];
  await round({ audio: { ...services.audio, sweep: async (ms) => void swept.push(ms) } });
  expect(swept).toEqual([3_600_000]);
});
