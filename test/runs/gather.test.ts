import { expect, test } from 'bun:test';
import { gather } from '../../server/runs/gather.ts';

test('the first goes at once, and what comes meanwhile goes together, at most so many at a time', async () => {
  const batches: number[][] = [];
  const send = gather<number>(async (batch) => {
    batches.push(batch);
    await Bun.sleep(5);
  }, 3);
  for (let i = 0; i < 8; i += 1) send(i);
  expect(batches).toEqual([[0]]);
  await Bun.sleep(50);
  send(8);
  expect(batches).toEqual([[0], [1, 2, 3], [4, 5, 6], [7], [8]]);
});
