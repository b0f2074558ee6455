/** An upload to a store with quotas: reserving, renewing and releasing space, in order. */
import { expect, spyOn, test } from 'bun:test';
import type { AudioStore } from '../../server/storage/audio.ts';
import type { AudioReservation, AudioUsage } from '../../server/storage/audio-usage.ts';
import { createMeteredAudioStore, STEP_BYTES } from '../../server/storage/metered-audio.ts';
import { chunks, filled } from './audio-store.suite.ts';

/** A store, its counts and its disk, which note what they are asked. */
function noted({ renew, release, keep }: Partial<AudioReservation> = {}) {
  const calls: string[] = [];
  const puts: unknown[][] = [];
  const note =
    (name: string) =>
    async (...given: unknown[]) =>
      void calls.push([name, ...given.filter((one) => typeof one === 'number')].join(' '));
  const claim = { grow: note('claim'), written: note('written'), release: note('unclaim') };
  const reservation = {
    grow: note('reserve'),
    renew: renew ?? note('renew'),
    keep: keep ?? note('keep'),
    release: release ?? note('unreserve'),
  };
  const store = createMeteredAudioStore(
    {
      ...({} as AudioStore),
      put: async (organizationId, key, body, declaredBytes) => {
        puts.push([organizationId, key, declaredBytes]);
        calls.push(`put ${declaredBytes}`);
        let size = 0;
        for await (const chunk of body) size += chunk.byteLength;
        return { size };
      },
    },
    {
      usage: {
        ...({} as AudioUsage),
        reserve: async (_name, bytes) => (await note('reserve')(bytes), reservation),
      },
      disk: { claim: async (bytes) => (await note('claim')(bytes), claim) },
    },
  );
  return { calls, puts, store };
}

/** A body whose connection breaks. */
async function* brokenOff() {
  yield filled(10, 1);
  throw new Error('the line is dead');
}

test('space is reserved as a body grows, counted as it is written, and kept by its size', async () => {
  const { calls, store } = noted();
  await store.put('a', 'a.mp3', chunks(filled(STEP_BYTES, 1), filled(2 * STEP_BYTES + 1, 1)));
  expect(calls).toEqual([
    `claim ${STEP_BYTES}`,
    `reserve ${STEP_BYTES}`,
    'put undefined',
    `written ${STEP_BYTES}`,
    `claim ${STEP_BYTES}`,
    `reserve ${2 * STEP_BYTES}`,
    `claim ${STEP_BYTES}`,
    `reserve ${3 * STEP_BYTES}`,
    `claim ${STEP_BYTES}`,
    `reserve ${4 * STEP_BYTES}`,
    `written ${2 * STEP_BYTES + 1}`,
    `keep ${3 * STEP_BYTES + 1}`,
    'unclaim',
  ]);
});

test('the store learns the size that a client declared', async () => {
  const { puts, store } = noted();
  expect(await store.put('a', 'a.mp3', chunks(filled(10, 1)), 10)).toEqual({ size: 10 });
  expect(await store.put('a', 'b.mp3', chunks(filled(20, 1)))).toEqual({ size: 20 });
  expect(puts).toEqual([
    ['a', 'a.mp3', 10],
    ['a', 'b.mp3', undefined],
  ]);
});

test('a failing body releases its space and disk reservation, once each', async () => {
  const { calls, store } = noted();
  await expect(store.put('a', 'a.mp3', brokenOff(), 20)).rejects.toThrow('the line is dead');
  expect(calls).toEqual(['claim 20', 'reserve 20', 'put 20', 'written 10', 'unreserve', 'unclaim']);
});

test('a failing body is reported as such, even if its space cannot be released', async () => {
  const { calls, store } = noted({ release: () => Promise.reject(new Error('it is down')) });
  await expect(store.put('a', 'a.mp3', brokenOff(), 20)).rejects.toThrow('the line is dead');
  expect(calls.at(-1)).toBe('unclaim');
});

test('a recording that cannot be counted is not stored for its client, and releases its space', async () => {
  const { calls, store } = noted({ keep: () => Promise.reject(new Error('it is down')) });
  await expect(store.put('a', 'a.mp3', chunks(filled(10, 1)), 10)).rejects.toThrow('it is down');
  expect(calls.slice(-2)).toEqual(['unreserve', 'unclaim']);
});

test('a reservation is renewed each minute until the upload has ended', async () => {
  const timers = spyOn(globalThis, 'setInterval');
  const cleared = spyOn(globalThis, 'clearInterval');
  const { calls, store } = noted();
  await store.put('a', 'a.mp3', chunks(filled(10, 1)), 10);
  const [renew, everyMs] = timers.mock.calls.at(-1) ?? [];
  expect(everyMs).toBe(60_000);
  (renew as () => void)();
  expect(calls).toContain('renew');
  expect(cleared.mock.calls.at(-1)?.[0] as unknown).toBe(timers.mock.results.at(-1)?.value);
  timers.mockRestore();
  cleared.mockRestore();
});

test('an upload goes on if its reservation cannot be renewed', async () => {
  const timers = spyOn(globalThis, 'setInterval');
  const { store } = noted({ renew: () => Promise.reject(new Error('the database is down')) });
  const body = (async function* () {
    yield filled(10, 1);
    const [renew] = timers.mock.calls.at(-1) ?? [];
    (renew as () => void)();
    // A rejection that nobody handles would fail the test by now.
    await new Promise(setImmediate);
    yield filled(10, 1);
  })();
  expect(await store.put('a', 'a.mp3', body, 20)).toMatchObject({ size: 20 });
  timers.mockRestore();
});

test('of a body for which the disk has no space left, the rest is neither counted nor stored', async () => {
  const stored: number[] = [];
  const store = createMeteredAudioStore(
    {
      ...({} as AudioStore),
      put: async (_organizationId, _key, body) => {
        for await (const chunk of body) stored.push(chunk.byteLength);
        return { size: 0 };
      },
    },
    {
      usage: {
        ...({} as AudioUsage),
        reserve: async () => ({
          grow: async () => void stored.push(-1),
          renew: async () => {},
          keep: async () => {},
          release: async () => {},
        }),
      },
      disk: {
        claim: async () => ({
          grow: () => Promise.reject(new Error('the disk is full')),
          written: () => {},
          release: () => {},
        }),
      },
    },
  );
  await expect(store.put('a', 'a.mp3', chunks(filled(11, 1)), 10)).rejects.toThrow(
    'the disk is full',
  );
  expect(stored).toEqual([]);
});

test.each([
  [true, 'v1', true],
  [false, 'v1', false],
  [false, undefined, true],
  [true, undefined, true],
])(
  'deleted: %p, of the version %p: no longer counted: %p',
  async (deleted, version, isForgotten) => {
    const forgotten: unknown[] = [];
    const usage = {
      ...({} as AudioUsage),
      forget: async (name: object) => void forgotten.push(name),
    };
    const store = { ...({} as AudioStore), delete: async () => deleted };
    const { disk } = { disk: { claim: () => Promise.reject(new Error('not asked')) } };
    const metered = createMeteredAudioStore(store, { usage, disk });
    expect(await metered.delete('org', 'a.mp3', version)).toBe(deleted);
    expect(forgotten).toEqual(isForgotten ? [{ organizationId: 'org', key: 'a.mp3' }] : []);
    usage.forget = () => Promise.reject(new Error('the disk is full'));
    const failing = createMeteredAudioStore(store, { usage, disk }).delete('org', 'a.mp3', version);
    if (isForgotten) await expect(failing).rejects.toThrow('the disk is full');
    else expect(await failing).toBe(deleted);
  },
);
