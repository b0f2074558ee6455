/** Lists that follow the captions, and the loudest moment in a part of the recording. */
import { signal } from '@preact/signals';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { loudestIn } from '../../../web/review/play/draw-time-line.ts';
import { mapChanged, sameList } from '../../../web/review/model/same-list.ts';

test('a value is recomputed only if an item or the next one has changed', () => {
  const pool = Array.from({ length: 12 }, (_, id) => ({ id }));
  const lists = fc.array(fc.uniqueArray(fc.constantFrom(...pool), { maxLength: 12 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(lists, (all) => {
      const map = mapChanged((item: { id: number }, next) => `${item.id}, ${next?.id}`);
      for (const items of all)
        expect(map(items)).toEqual(items.map(({ id }, at) => `${id}, ${items[at + 1]?.id}`));
    }),
  );
  const asked: number[] = [];
  const map = mapChanged((item: { id: number }) => asked.push(item.id));
  map(pool);
  asked.length = 0;
  map([...pool.slice(0, 5), { id: 50 }, ...pool.slice(6)]);
  expect(asked).toEqual([4, 50]);
  asked.length = 0;
  map([...pool.slice(0, 5), { id: 51 }, { id: 52 }, ...pool.slice(7)]);
  expect(asked).toEqual([4, 51, 52]);
  asked.length = 0;
  map([...pool.slice(0, 5), { id: 51 }, { id: 53 }, { id: 52 }, ...pool.slice(7)]);
  expect(asked).toEqual([4, 51, 53, 52]);
});

test('a list with the same items is the same object, and causes no update', () => {
  const numbers = signal([1, 2, 3]);
  const halves = sameList(() => numbers.value.map((number) => Math.floor(number / 2)));
  const first = halves.value;
  numbers.value = [1, 3, 2];
  expect(halves.value).toBe(first);
  numbers.value = [1, 4, 2];
  expect(halves.value).toEqual([0, 2, 1]);
  numbers.value = [1, 4];
  expect(halves.value).toEqual([0, 2]);
});

test('the loudest moment of a part equals that of a full search', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 700 }),
      fc.integer({ min: -20, max: 720 }),
      fc.integer({ min: 0, max: 720 }),
      (peaks, from, length) => {
        const part = peaks.slice(Math.max(0, from), Math.max(0, from + length));
        expect(loudestIn(peaks, from, from + length)).toBe(Math.max(0, ...part));
      },
    ),
  );
});
