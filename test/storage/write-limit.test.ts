/** What the requests of a workspace may write to the database, in a minute and on a full disk. */
import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { openDatabase } from '../../server/storage/database.ts';
import { createDiskReserve, DiskReserveReached } from '../../server/storage/disk-reserve.ts';
import {
  answering,
  createWriteLimit,
  storesDocument,
  writeFor,
  WroteTooMuch,
  type BeforeWrite,
} from '../../server/storage/write-limit.ts';

const MEBIBYTE = 2 ** 20;

/** Writes as a request of a workspace. */
const as = (workspace: string, before: BeforeWrite, ...sizes: number[]) =>
  answering(async () => {
    writeFor(workspace);
    for (const bytes of sizes) await before(bytes);
  });

test('64 MiB a minute are written, then it takes its time; others are not concerned', async () => {
  let now = 0;
  const before = createWriteLimit(null, () => now);
  await as('eve', before, ...Array.from({ length: 64 }, () => MEBIBYTE));
  await as('eve', before, 1000 * 1000);
  const refused = await as('eve', before, MEBIBYTE).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(WroteTooMuch);
  expect((refused as WroteTooMuch).seconds).toBe(1);
  await as('ann', before, 16 * MEBIBYTE);
  // A few bytes are always written, such as a cancel.
  await as('eve', before, 100);
  now += 1000;
  await as('eve', before, MEBIBYTE);
});

test('many small writes use up the minute of a large one', async () => {
  const before = createWriteLimit(null, () => 0);
  await as('eve', before, ...Array.from({ length: 16_385 }, () => 10));
  await expect(as('eve', before, 5000)).rejects.toThrow(WroteTooMuch);
});

test('at the reserve of the disk no document is written, but little things are', async () => {
  let free = 100 * MEBIBYTE;
  const before = createWriteLimit(createDiskReserve('/', 50 * MEBIBYTE, async () => free));
  await as('ann', before, 16 * MEBIBYTE);
  free = 51 * MEBIBYTE;
  await expect(as('ann', before, 2 * MEBIBYTE)).rejects.toThrow(DiskReserveReached);
  await as('ann', before, MEBIBYTE, 4096);
  free = 50 * MEBIBYTE;
  await as('ann', before, 4096);
  const short = answering(async () => {
    writeFor('ann');
    storesDocument();
    await before(10);
  });
  await expect(short).rejects.toThrow(DiskReserveReached);
  // The service itself goes on: the results of runs, and requests that are not authorised.
  await before(2 * MEBIBYTE);
  await answering(() => before(2 * MEBIBYTE));
});

test('every statement that writes is counted with the length of its texts', async () => {
  const seen: number[] = [];
  const beforeWrite = async (bytes: number) => void seen.push(bytes);
  const database = openDatabase(':memory:', { answersRequests: true, beforeWrite });
  await sql`create table schedules (name text primary key, due_at int, lease_until int)`.execute(
    database,
  );
  const row = { name: 'x'.repeat(5000), due_at: 1 };
  await database.insertInto('schedules').values(row).execute();
  await database.transaction().execute(async (transaction) => {
    await transaction.updateTable('schedules').set({ name: 'short' }).execute();
    await transaction.selectFrom('schedules').selectAll().where('name', '=', 'short').execute();
    await transaction.deleteFrom('schedules').where('name', '=', 'short').execute();
  });
  expect(seen).toEqual([5000, 5]);
  await database.destroy();
});
