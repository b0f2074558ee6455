/**
 * The quota for the recordings of workspaces, on each database: never exceeded, however many
 * uploads compete.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ListedAudio } from '../../server/storage/audio.ts';
import { objectName } from '../../server/storage/audio-names.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { QuotaExceeded } from '../../server/storage/quota-exceeded.ts';
import { openDatabase } from '../../server/storage/database.ts';
import { onEachDatabase } from '../support/servers/databases.ts';

setDefaultTimeout(300_000);

const name = (organizationId: string, key: string) => ({ organizationId, key });
async function* listed(...objects: ListedAudio[]): AsyncIterable<ListedAudio> {
  yield* objects;
}

await onEachDatabase((title, database, url) => {
  describe(title, () => {
    let now = 1_000_000;
    const usage = createAudioUsage(database, 100, () => now);
    const used = async (organization: string): Promise<number> => {
      const asked = await createAudioUsage(database, 0, () => now)
        .reserve(name(organization, 'probe.mp3'), 1)
        .catch((error: unknown) => error);
      expect(asked).toBeInstanceOf(QuotaExceeded);
      return (asked as QuotaExceeded).used;
    };

    test('an upload counts from the first byte, then with its size, until it is deleted', async () => {
      const upload = await usage.reserve(name('one', 'a.mp3'), 60);
      expect(await used('one')).toBe(60);
      await upload.keep(40);
      expect(await used('one')).toBe(40);
      expect(await used('another')).toBe(0);
      await usage.forget(name('one', 'a.mp3'));
      expect(await used('one')).toBe(0);
    });

    test('exactly the quota is allowed, one byte more is not', async () => {
      const upload = await usage.reserve(name('exact', 'a.mp3'), 100);
      await expect(usage.reserve(name('exact', 'b.mp3'), 1)).rejects.toThrow(QuotaExceeded);
      await expect(upload.grow(101)).rejects.toMatchObject({ quota: 100, used: 0 });
      expect(await used('exact')).toBe(100);
      await upload.release();
      expect(await used('exact')).toBe(0);
    });

    test('a replaced recording is not counted twice, but counts until it is replaced', async () => {
      await (await usage.reserve(name('swap', 'a.mp3'), 80)).keep(80);
      const again = await usage.reserve(name('swap', 'a.mp3'), 90);
      await expect(usage.reserve(name('swap', 'b.mp3'), 15)).rejects.toThrow(QuotaExceeded);
      await again.release();
      expect(await used('swap')).toBe(80);
      await (await usage.reserve(name('swap', 'a.mp3'), 100)).keep(70);
      expect(await used('swap')).toBe(70);
    });

    test('of 40 simultaneous uploads over several connections, as many succeed as fit', async () => {
      const use = { answersRequests: true };
      const others = [openDatabase(url, use), openDatabase(url, use)];
      afterAll(() => Promise.all(others.map((other) => other.destroy())));
      const all = [database, ...others].map((each) => createAudioUsage(each, 100, () => now));
      const asked = await Promise.allSettled(
        Array.from({ length: 40 }, (_, at) =>
          all[at % all.length]?.reserve(name('race', `${at}.mp3`), 9),
        ),
      );
      const refused = asked.filter((each) => each.status === 'rejected');
      expect(refused.length).toBe(29);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(QuotaExceeded);
      expect(await used('race')).toBe(99);
    });

    test('an upload of a dead process stops counting after ten minutes, one in progress does not', async () => {
      await usage.reserve(name('crash', 'dead.mp3'), 50);
      const alive = await usage.reserve(name('crash', 'alive.mp3'), 50);
      now += 599_000;
      await alive.renew();
      expect(await used('crash')).toBe(100);
      now += 2000;
      expect(await used('crash')).toBe(50);
    });

    test('the count is corrected to match the store', async () => {
      await (await usage.reserve(name('drift', 'gone.mp3'), 30)).keep(30);
      await (await usage.reserve(name('drift', 'wrong.mp3'), 20)).keep(20);
      const underWay = await usage.reserve(name('drift', 'coming.mp3'), 5);
      await usage.reconcile(
        listed(
          { name: objectName(name('drift', 'wrong.mp3')), size: 25 },
          { name: objectName(name('drift', 'new.mp3')), size: 40 },
          { name: 'objects/somebody/elses.mp3', size: 1000 },
          { name: `copy/${objectName(name('drift', 'copied.mp3'))}`, size: 1000 },
          { name: `${objectName(name('drift', 'copied.mp3'))}.bak`, size: 1000 },
        ),
      );
      expect(await used('drift')).toBe(70);
      await underWay.release();
      expect(await used('drift')).toBe(65);
      expect(await usage.isEmpty()).toBe(false);
      await usage.reconcile(listed());
      expect(await used('drift')).toBe(0);
    });

    test('a recording known only from the store has no name until it is uploaded again', async () => {
      const found = objectName(name('named', 'a.mp3'));
      const keyOf = async (id = found) =>
        (
          await database
            .selectFrom('audio_usage')
            .select('key')
            .where('id', '=', id)
            .executeTakeFirst()
        )?.key;
      await usage.reconcile(listed({ name: found, size: 30 }));
      expect(await keyOf()).toBeNull();
      await (await usage.reserve(name('named', 'a.mp3'), 20)).keep(20);
      expect(await keyOf()).toBe('a.mp3');
      await (await usage.reserve(name('named', 'b.mp3'), 20)).keep(20);
      expect(await keyOf(objectName(name('named', 'b.mp3')))).toBe('b.mp3');
      await usage.reconcile(listed());
    });

    test('recordings that match the store keep counting', async () => {
      await (await usage.reserve(name('agrees', 'a.mp3'), 30)).keep(30);
      await usage.reconcile(listed({ name: objectName(name('agrees', 'a.mp3')), size: 30 }));
      expect(await used('agrees')).toBe(30);
      await usage.reconcile(listed());
      expect(await used('agrees')).toBe(0);
    });

    test('a recording that is replaced while the store is listed keeps counting', async () => {
      await (await usage.reserve(name('relist', 'a.mp3'), 10)).keep(10);
      async function* listing() {
        await (await usage.reserve(name('relist', 'a.mp3'), 25)).keep(25);
        yield* [];
      }
      await usage.reconcile(listing());
      expect(await used('relist')).toBe(25);
      await usage.reconcile(listed());
      expect(await used('relist')).toBe(0);
    });

    test('a listed recording that is replaced before its turn counts with its new size', async () => {
      const one = name('replaced', 'a.mp3');
      await (await usage.reserve(one, 10)).keep(10);
      async function* listing() {
        await (await usage.reserve(one, 25)).keep(25);
        yield { name: objectName(one), size: 10 };
      }
      await usage.reconcile(listing());
      expect(await used('replaced')).toBe(25);
      await usage.reconcile(listed());
    });

    test('an upload counts up to the end of its ten minutes, unless it is renewed', async () => {
      const upload = await usage.reserve(name('ending', 'a.mp3'), 30);
      now += 599_999;
      expect(await used('ending')).toBe(30);
      await upload.renew();
      now += 599_999;
      expect(await used('ending')).toBe(30);
      now += 1;
      expect(await used('ending')).toBe(0);
    });

    test('without a quota any amount is stored, and still counted', async () => {
      const free = createAudioUsage(database, null, () => now);
      await (await free.reserve(name('free', 'a.mp3'), 10 ** 15)).keep(10 ** 15);
      expect(await used('free')).toBe(10 ** 15);
    });
  });
});
