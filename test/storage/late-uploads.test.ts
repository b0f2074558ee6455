/**
 * Uploads that arrive after they timed out: one whose recording was deleted meanwhile is removed.
 */
import { beforeEach, expect, test } from 'bun:test';
import { createLateUploads } from '../../server/storage/late-uploads.ts';

const removed: string[] = [];
const late = createLateUploads(async (name, etag) => {
  removed.push(`${name} ${etag}`);
  if (etag === 'refused') throw new Error('the store is away');
});
beforeEach(() => void (removed.length = 0));

/** An upload under way, and its end. */
function under(name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ etag: string }>();
  late.follow(name, promise);
  const settled = () => new Promise(setImmediate);
  return {
    arrive: async (etag: string) => {
      resolve({ etag });
      await settled();
    },
    fail: async () => {
      reject(new Error('it broke off'));
      await settled();
    },
  };
}

test('an upload that arrives after a deletion is removed; one that nobody deleted stays', async () => {
  const [gone, kept] = [under('a'), under('b')];
  late.deleted('a');
  await gone.arrive('1');
  await kept.arrive('2');
  expect(removed).toEqual(['a 1']);
});

test('a newer upload makes the name valid again', async () => {
  const upload = under('a');
  late.deleted('a');
  late.renewed('a');
  await upload.arrive('1');
  expect(removed).toEqual([]);
});

test('several uploads under one name are each followed to their end', async () => {
  const [first, second, third] = [under('a'), under('a'), under('a')];
  await first.arrive('1');
  await second.fail();
  late.deleted('a');
  await third.arrive('3');
  expect(removed).toEqual(['a 3']);
  // All have ended, so that a later deletion concerns only later uploads.
  const fourth = under('a');
  await fourth.arrive('4');
  expect(removed).toEqual(['a 3']);
});

test('an upload is followed only while it is in progress', async () => {
  const [arriving, failing] = [under('a'), under('b')];
  expect(late.count()).toBe(2);
  await arriving.arrive('1');
  expect(late.count()).toBe(1);
  await failing.fail();
  expect(late.count()).toBe(0);
});

test('one that cannot be removed, or never arrives, causes no error', async () => {
  const [refused, broken] = [under('a'), under('a')];
  late.deleted('a');
  await refused.arrive('refused');
  await broken.fail();
  expect(removed).toEqual(['a refused']);
});
