/** The upload places of one process. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createUploadPlaces } from '../../server/http/upload-places.ts';
import { Problem } from '../../server/http/problems.ts';

const shares = { atOnce: 64, perWorkspace: 4, perNetwork: 32 };

/** Takes places in new workspaces until it is refused. */
function takeAll(places: ReturnType<typeof createUploadPlaces>, network: string | null) {
  const held: (() => void)[] = [];
  while (held.length <= shares.atOnce) {
    try {
      held.push(places.take(`${network}-${held.length}`, network));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { held, status: error.status };
    }
  }
  throw new Error('nothing was refused');
}

test('somebody with several networks leaves places to others', () => {
  const places = createUploadPlaces(shares);
  const taken = ['a', 'b', 'c', 'd'].map((network) => takeAll(places, network));
  expect(taken.map(({ held }) => held.length)).toEqual([32, 16, 8, 4]);
  expect(taken.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  const last = places.take('newcomer', 'e');
  last();
  for (const { held } of taken) for (const release of held) release();
  expect(takeAll(places, 'a').held).toHaveLength(32);
});

test('clients without a network share all places', () => {
  const { held, status } = takeAll(createUploadPlaces(shares), null);
  expect([held.length, status]).toEqual([64, 503]);
});

test('a network that has no upload gets a place while one is free', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 100 }), (order) => {
      const places = createUploadPlaces({ atOnce: 8, perWorkspace: 8, perNetwork: 8 });
      let held = 0;
      for (const network of order) {
        try {
          places.take('one', `${network}`);
          held += 1;
        } catch {
          // This network has used its share.
        }
      }
      if (held < 8) places.take('two', 'new');
    }),
  );
});

test('a workspace is told what it has left, and so is one that has nothing left', () => {
  const places = createUploadPlaces(shares);
  const told = (left: number) => ({
    'ratelimit-policy': '"uploads";q=4;qu="concurrent-requests"',
    ratelimit: `"uploads";r=${left}`,
  });
  expect(places.rateLimit('org')).toEqual(told(4));
  const held = [1, 2, 3, 4].map(() => places.take('org', null));
  expect(places.rateLimit('org')).toEqual(told(0));
  expect(() => places.take('org', null)).toThrow(
    expect.objectContaining({
      status: 429,
      options: { headers: { 'retry-after': '5', ...told(0) } },
    }),
  );
  held[0]?.();
  // Releasing twice counts once.
  held[0]?.();
  expect(places.rateLimit('org')).toEqual(told(1));
  expect(places.rateLimit('other')).toEqual(told(4));
});
