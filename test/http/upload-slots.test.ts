/** Limits of simultaneous uploads to one process. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createUploads } from '../../server/http/uploads/mp3-upload.ts';
import { createUploadSlots } from '../../server/http/uploads/throttles.ts';
import { Problem } from '../../server/http/problems.ts';

const shares = { atOnce: 64, perWorkspace: 4, perNetwork: 32 };

/** Takes slots in new workspaces until it is refused. */
function takeAll(slots: ReturnType<typeof createUploadSlots>, network: string | null) {
  const held: (() => void)[] = [];
  while (held.length <= shares.atOnce) {
    try {
      held.push(slots.take(`${network}-${held.length}`, network));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { held, status: error.status };
    }
  }
  throw new Error('nothing was refused');
}

test('one client with several networks cannot take all slots', () => {
  const slots = createUploadSlots(shares);
  const taken = ['a', 'b', 'c', 'd'].map((network) => takeAll(slots, network));
  expect(taken.map(({ held }) => held.length)).toEqual([32, 16, 8, 4]);
  expect(taken.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  const last = slots.take('newcomer', 'e');
  last();
  for (const { held } of taken) for (const release of held) release();
  expect(takeAll(slots, 'a').held).toHaveLength(32);
});

test('clients without a network share all slots', () => {
  const { held, status } = takeAll(createUploadSlots(shares), null);
  expect([held.length, status]).toEqual([64, 503]);
});

test('a network without uploads is not to blame if no slot is left', () => {
  const slots = createUploadSlots(shares);
  takeAll(slots, null);
  expect(takeAll(slots, 'a')).toEqual({ held: [], status: 503 });
});

test('a network without uploads gets a slot while one is free', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 100 }), (order) => {
      const slots = createUploadSlots({ atOnce: 8, perWorkspace: 8, perNetwork: 8 });
      let held = 0;
      for (const network of order) {
        try {
          slots.take('one', `${network}`);
          held += 1;
        } catch {
          // This network has used its share.
        }
      }
      if (held < 8) slots.take('two', 'new');
    }),
  );
});

test('the RateLimit headers count down to zero and up again', () => {
  const slots = createUploadSlots(shares);
  const rateLimit = (left: number) => ({
    'ratelimit-policy': '"uploads";q=4;qu="concurrent-requests"',
    ratelimit: `"uploads";r=${left}`,
  });
  expect(slots.rateLimit('org')).toEqual(rateLimit(4));
  const held = [1, 2, 3, 4].map(() => slots.take('org', null));
  expect(slots.rateLimit('org')).toEqual(rateLimit(0));
  expect(() => slots.take('org', null)).toThrow(
    expect.objectContaining({
      status: 429,
      options: { headers: { 'retry-after': '5', ...rateLimit(0) } },
    }),
  );
  held[0]?.();
  // Releasing twice counts once.
  held[0]?.();
  expect(slots.rateLimit('org')).toEqual(rateLimit(1));
  expect(slots.rateLimit('other')).toEqual(rateLimit(4));
});

test('uploads of several workspaces from one network share the slots of that network', async () => {
  let address = '198.51.100.7';
  const { receive } = createUploads({
    audio: {} as never,
    metrics: { uploading() {}, received() {} } as never,
    uploadsAtOnce: 9,
    uploadsPerWorkspace: 9,
    uploadsPerNetwork: 1,
    clientAddress: () => address,
    setIdleTimeout() {},
  });
  const upload = (workspace: string, work: () => Promise<string>) =>
    receive(new Request('http://host/'), workspace, work);
  const end = Promise.withResolvers<string>();
  const first = upload('ann', () => end.promise);
  await expect(upload('bob', async () => 'taken')).rejects.toMatchObject({ status: 429 });
  address = '203.0.113.7';
  expect(await upload('bob', async () => 'taken')).toBe('taken');
  end.resolve('done');
  expect(await first).toBe('done');
});
