import { expect, test } from 'bun:test';
import { inBatches } from '../../server/runs/batch.ts';
import { until } from '../support/servers/client.ts';

test('the first item is sent immediately, and those that arrive meanwhile together, up to the maximum', async () => {
  const batches: number[][] = [];
  let sent = 0;
  const send = inBatches<number>(async (batch) => {
    batches.push(batch);
    await Bun.sleep(5);
    sent += batch.length;
  }, 3);
  for (let i = 0; i < 8; i += 1) send(i);
  expect(batches).toEqual([[0]]);
  await until(async () => sent === 8);
  send(8);
  expect(batches).toEqual([[0], [1, 2, 3], [4, 5, 6], [7], [8]]);
});
