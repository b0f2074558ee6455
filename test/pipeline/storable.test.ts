/** Outputs of steps that can be stored: JSON, neither too deep nor too large. */
import { expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { createLog } from '../../server/log.ts';
import { boundPayload } from '../../server/pipeline/raw-payload.ts';
import { LOCAL_RETRIES, perform } from '../../server/pipeline/perform.ts';
import { storable } from '../../server/pipeline/storable.ts';
import fc from 'fast-check';

/** Nested arrays, as a response may contain them. */
const nested = (depth: number, inner: unknown[] = []): unknown => {
  let value: unknown = inner;
  for (let i = 1; i < depth; i += 1) value = [value];
  return value;
};
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;

test('a fitting value is unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (raw) => {
      expect(boundPayload(raw, 1_000_000)).toEqual({ value: raw, cut: false });
    }),
    { numRuns: 200 },
  );
  expect(boundPayload(JSON.parse('{"__proto__":{"a":1}}'), 1000).value).toEqual(
    JSON.parse('{"__proto__":{"a":1}}'),
  );
});

test('a too large value loses its end, whatever it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 10, max: 300 }), (raw, most) => {
      const { value, cut } = boundPayload(raw, most);
      const size = Buffer.byteLength(JSON.stringify(value));
      expect(size).toBeLessThanOrEqual(most + 8 * depthOf(value) + 8);
      if (Buffer.byteLength(JSON.stringify(raw)) > most * 2) expect(cut).toBe(true);
    }),
    { numRuns: 300 },
  );
  const { value, cut } = boundPayload({ words: Array.from({ length: 1000 }, () => 1e20) }, 4000);
  expect(cut).toBe(true);
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(4100);
});

test('a value of exactly the limit is whole', () => {
  expect(boundPayload('abc', 5)).toEqual({ value: 'abc', cut: false });
  expect(boundPayload('abc', 4).cut).toBe(true);
  expect(boundPayload(12, 2)).toEqual({ value: 12, cut: false });
  expect(boundPayload(12, 1)).toEqual({ value: null, cut: true });
});

test('a too deeply nested value is omitted', () => {
  const { value, cut } = boundPayload(nested(40_000), 1_000_000);
  expect([cut, depthOf(value)]).toEqual([true, 64]);
  expect(boundPayload(nested(64), 1000).cut).toBe(false);
  // The texts in place of what is too deep count as well.
  const many = nested(
    64,
    Array.from({ length: 1000 }, () => []),
  );
  expect(JSON.stringify(boundPayload(many, 1000).value).length).toBeLessThan(1200);
});

test('a step whose output cannot be stored fails once, finally', async () => {
  let done = 0;
  const context = {
    steps: { run: <T>(_name: string, work: () => Promise<T>) => work() },
    signal: new AbortController().signal,
    log: createLog('silent'),
  };
  const failure = await perform(context, 'step', LOCAL_RETRIES, async () => {
    done += 1;
    return nested(100_000);
  }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StageFailure);
  expect((failure as StageFailure).failure).toMatchObject({ code: 'internal', retryable: false });
  expect(done).toBe(1);
  expect(() => storable('x'.repeat(134_217_727))).toThrow(StageFailure);
}, 300_000);
