/**
 * Bodies in parts: nothing is lost at their boundaries, and a broken connection ends a part without
 * damaging it.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { incomingBody, incomplete } from '../../server/http/uploads/throttles.ts';
import { Problem } from '../../server/http/problems.ts';
import { inParts } from '../../server/http/uploads/resumable-uploading.ts';

async function* body(
  chunks: readonly Uint8Array[],
  failure: Problem | null,
): AsyncIterable<Uint8Array> {
  yield* chunks;
  if (failure) throw failure;
}

test('all parts but the last are full, and together they are the body', async () => {
  const chunk = fc.uint8Array({ maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 12 }),
      fc.integer({ min: 1, max: 16 }),
      fc.constantFrom(
        null,
        incomplete('The connection broke.'),
        new Problem(408, 'upload_too_slow', 'The upload was too slow.'),
      ),
      async (chunks, partBytes, failure) => {
        const whole = Buffer.concat(chunks);
        const parts = inParts(body(chunks, failure), { partBytes, room: whole.length });
        const found: Buffer[] = [];
        for (let part = await parts.next(); part; part = await parts.next()) {
          const pieces: Uint8Array[] = [];
          for await (const piece of part) pieces.push(piece);
          found.push(Buffer.concat(pieces));
        }
        expect(Buffer.concat(found).equals(whole)).toBe(true);
        const sizes = found.map(({ length }) => length);
        expect(sizes.slice(0, -1).every((size) => size === partBytes)).toBe(true);
        expect(sizes.every((size) => size > 0 && size <= partBytes)).toBe(true);
        expect(parts.failure()).toBe(failure);
      },
    ),
  );
});

test('an error other than a broken connection, or excess bytes, invalidates the part', async () => {
  async function* faulty(): AsyncIterable<Uint8Array> {
    yield new Uint8Array(3);
    throw new Error('disk');
  }
  const drain = async (source: AsyncIterable<Uint8Array>, room: number) => {
    const parts = inParts(source, { partBytes: 10, room });
    for (let part = await parts.next(); part; part = await parts.next())
      for await (const _ of part);
  };
  await expect(drain(faulty(), 5)).rejects.toThrow('disk');
  await expect(drain(body([new Uint8Array(3), new Uint8Array(3)], null), 5)).rejects.toMatchObject({
    code: 'upload_too_long',
  });
});

test('each wait for bytes ends its own timer', async () => {
  const timers = new Set<object>();
  const clock = {
    now: () => 0,
    after: () => {
      const timer = {};
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  for await (const _ of incomingBody(new Blob(['a', 'b']).stream(), clock)) {
    expect(timers.size).toBe(0);
  }
  expect(timers.size).toBe(0);
});
