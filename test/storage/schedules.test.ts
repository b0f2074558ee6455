import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openDatabase } from '../../server/storage/database.ts';
import { doIfDue } from '../../server/storage/schedules.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

setDefaultTimeout(300_000);

await onEachDatabase((name, database, url) => {
  describe(`schedules in ${name}`, () => {
    test('due work is done once, however many processes check', async () => {
      const others = [openDatabase(url), openDatabase(url)];
      const schedule = { name: 'once', everyMs: 1000, leaseMs: 60_000 };
      let done = 0;
      const look = (now: number) =>
        Promise.all(
          Array.from({ length: 12 }, (_, at) =>
            doIfDue([database, ...others][at % 3] ?? database, schedule, now, async () => {
              done += 1;
              await Bun.sleep(20);
            }),
          ),
        );
      const answers = await look(5000);
      expect([done, answers.filter(Boolean).length]).toEqual([1, 1]);
      await look(5999);
      expect(done).toBe(1);
      await look(6000);
      expect(done).toBe(2);
      await Promise.all(others.map((other) => other.destroy()));
    });

    test("work that ends late does not release another's lease", async () => {
      const schedule = { name: 'late', everyMs: 1000, leaseMs: 500 };
      const hold = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const late = doIfDue(database, schedule, 0, () => {
        begun.resolve();
        return hold.promise;
      });
      await begun.promise;
      let third = false;
      await doIfDue(database, schedule, 600, async () => {
        hold.resolve();
        await late;
        // Due again by the late end, but within the lease of the one before.
        await doIfDue(database, schedule, 1050, async () => void (third = true));
      });
      expect(third).toBe(false);
    });

    test('failed work is due again immediately, interrupted work when its lease ends', async () => {
      const schedule = { name: 'fails', everyMs: 1000, leaseMs: 500 };
      const fail = async () => {
        throw new Error('it broke');
      };
      await expect(doIfDue(database, schedule, 0, fail)).rejects.toThrow('it broke');
      expect(await doIfDue(database, schedule, 1, async () => {})).toBe(true);
      // Never ends, as if the process had died.
      await new Promise<void>((begun) => {
        void doIfDue(database, schedule, 1001, () => {
          begun();
          return new Promise(() => {});
        });
      });
      expect(await doIfDue(database, schedule, 1400, async () => {})).toBe(false);
      expect(await doIfDue(database, schedule, 1501, async () => {})).toBe(true);
    });
  });
});

test.each([
  ['set up', 'insert on schedules', 'first'],
  ['ended', 'update of due_at on schedules', 'second'],
])('work whose schedule cannot be %s is an error', async (_what, write, name) => {
  const { database } = await sqliteDatabase();
  const due = { name, everyMs: 1000, leaseMs: 1000 };
  await refusing(database, write, () => doIfDue(database, due, 5000, async () => {}));
});
