/** The suite that every audio store has to pass. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type AudioStore, audioWorkspaceName } from '../../server/storage/audio.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';

export async function* chunks(...parts: Uint8Array[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield part;
}

const bytesOf = async (stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(Buffer.concat(await Array.fromAsync(stream)));

export const filled = (size: number, value: number): Uint8Array => new Uint8Array(size).fill(value);

export function audioStoreSuite(
  name: string,
  store: AudioStore,
  leftovers: () => Promise<number>,
  /**
   * Whether the underlying server replaces objects atomically, as S3 does (its consistency model)
   * and s3rver does not.
   */
  replacesWhole = true,
  /**
   * Whether the underlying server supports If-Match on DELETE, as S3 does since 2025 and s3rver
   * does not.
   */
  deletesVersions = replacesWhole,
  /** The time for which the same bytes have the same version. */
  sameBytesAfterMs = replacesWhole ? 0 : 1000,
): void {
  describe(name, () => {
    test('stores, describes, reads and deletes', async () => {
      expect(await store.stat('org', 'a/b.mp3')).toBeNull();
      expect(await store.put('org', 'a/b.mp3', chunks(filled(3, 1), filled(2, 2)))).toEqual({
        size: 5,
      });
      expect((await store.stat('org', 'a/b.mp3'))?.size).toBe(5);
      expect([...(await bytesOf(store.read('org', 'a/b.mp3')))]).toEqual([1, 1, 1, 2, 2]);
      expect(await store.delete('org', 'a/b.mp3')).toBe(true);
      expect(await store.delete('org', 'a/b.mp3')).toBe(false);
      expect(await store.stat('org', 'a/b.mp3')).toBeNull();
    });

    test('deletes only the given version, even if another has the same bytes', async () => {
      const put = (value: number) => store.put('org', 'v.mp3', chunks(filled(4, value)));
      const version = async () => (await store.stat('org', 'v.mp3'))?.version ?? '';
      await put(1);
      const first = await version();
      await put(2);
      expect(await store.delete('org', 'v.mp3', first)).toBe(false);
      expect([...(await bytesOf(store.read('org', 'v.mp3')))]).toEqual([2, 2, 2, 2]);
      const second = await version();
      // Times in HTTP are whole seconds.
      await Bun.sleep(sameBytesAfterMs);
      await put(2);
      expect(await store.delete('org', 'v.mp3', second)).toBe(false);
      const third = await version();
      // The version as stored by a run of 1.0.
      expect(await store.delete('org', 'v.mp3', third.split('@')[0])).toBe(true);
      expect(await store.delete('org', 'v.mp3', third)).toBe(false);
      expect(await leftovers()).toBe(0);
    });

    test('a simultaneous upload survives a deletion', async () => {
      // A server that does not replace objects atomically may crash here, and is started again.
      const accept = (error: unknown): void => {
        if (replacesWhole || !(error instanceof StorageUnavailable)) throw error;
      };
      const race = async () => {
        await store.put('org', 'both.mp3', chunks(filled(3, 1)));
        const { version } = (await store.stat('org', 'both.mp3')) ?? { version: '' };
        const outcomes = await Promise.allSettled([
          store.delete('org', 'both.mp3', version),
          store.put('org', 'both.mp3', chunks(filled(4, 2))),
        ]);
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
        if (deletesVersions) expect((await store.stat('org', 'both.mp3'))?.size).toBe(4);
      };
      for (let round = 0; round < 20; round += 1) await race().catch(accept);
      await store.delete('org', 'both.mp3').catch(accept);
      // Otherwise what a crash has left would be counted by other tests.
      const left = await store.expire(Date.now() + 60_000, []);
      if (replacesWhole) expect(left).toBe(0);
      expect(await leftovers()).toBe(0);
    });

    test('reads any range', async () => {
      const whole = Uint8Array.from({ length: 700_000 }, (_, at) => at % 251);
      await store.put('org', 'range.mp3', chunks(whole));
      await fc.assert(
        fc.asyncProperty(fc.nat(700_000), fc.nat(710_000), async (a, b) => {
          const range = { start: Math.min(a, b), end: Math.max(a, b) };
          const read = await bytesOf(store.read('org', 'range.mp3', range));
          expect(Buffer.compare(read, whole.slice(range.start, range.end))).toBe(0);
        }),
        { numRuns: 25, examples: [[0, 1]] },
      );
      await store.delete('org', 'range.mp3');
    });

    test('deletes old objects, except those still in use', async () => {
      const before = Date.now() + 60_000;
      for (const key of ['old.mp3', 'used.mp3']) await store.put('gone', key, chunks(filled(1, 1)));
      expect(await store.expire(Date.now() - 60_000, [])).toBe(0);
      expect(await store.expire(before, [{ organizationId: 'gone', key: 'used.mp3' }])).toBe(1);
      expect(await store.stat('gone', 'old.mp3')).toBeNull();
      expect((await store.stat('gone', 'used.mp3'))?.size).toBe(1);
      expect(await store.expire(before, [])).toBe(1);
    });

    test('deletes objects of a workspace sooner than those of others', async () => {
      for (const of of ['brief', 'patient']) await store.put(of, 'a.mp3', chunks(filled(1, 1)));
      const sooner = new Map([[audioWorkspaceName('brief'), Date.now() + 60_000]]);
      expect(await store.expire(Date.now() - 60_000, [], sooner)).toBe(1);
      expect(await store.stat('brief', 'a.mp3')).toBeNull();
      expect(await store.stat('patient', 'a.mp3')).not.toBeNull();
      await store.delete('patient', 'a.mp3');
    });

    test('keys differ by organisation, case and form', async () => {
      const keys = [
        'A.mp3',
        'a.mp3',
        'é.mp3',
        'e\u0301.mp3',
        'a/a.mp3',
        '😀/ .mp3',
        `${'k'.repeat(1000)}.mp3`,
      ];
      for (const [at, key] of keys.entries())
        await store.put('one', key, chunks(filled(at + 1, 1)));
      await store.put('two', 'a.mp3', chunks(filled(100, 1)));
      for (const [at, key] of keys.entries())
        expect((await store.stat('one', key))?.size).toBe(at + 1);
      expect((await store.stat('two', 'a.mp3'))?.size).toBe(100);
      expect(await store.stat('two', 'A.mp3')).toBeNull();
    });

    test('a broken body leaves the previous object, and nothing else', async () => {
      await store.put('org', 'kept.mp3', chunks(filled(4, 7)));
      async function* broken(): AsyncIterable<Uint8Array> {
        yield filled(100_000, 1);
        throw new Error('the client went away');
      }
      await expect(store.put('org', 'kept.mp3', broken())).rejects.toThrow('went away');
      expect([...(await bytesOf(store.read('org', 'kept.mp3')))]).toEqual([7, 7, 7, 7]);
      expect(await leftovers()).toBe(0);
    });

    const writers = replacesWhole ? 8 : 1;
    test(`with ${writers} writers of one key, one complete object wins`, async () => {
      await Promise.all(
        Array.from({ length: writers }, (_, at) =>
          store.put(
            'org',
            'race.mp3',
            chunks(...Array.from({ length: 20 }, () => filled(5000, at))),
          ),
        ),
      );
      const bytes = await bytesOf(store.read('org', 'race.mp3'));
      expect([bytes.length, new Set(bytes).size]).toEqual([100_000, 1]);
      expect(await leftovers()).toBe(0);
    });
  });
}
