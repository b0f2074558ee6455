/** How results reach their readers: streams of events, and texts that several readers share. */
import { expect, test } from 'bun:test';
import {
  createRunTexts,
  type RunTexts,
  type SharedText,
} from '../../server/http/runs/run-texts.ts';
import { envelopeStream, eventStream } from '../../server/http/runs/run-streams.ts';
import { streamed } from '../../server/http/streamed.ts';
import type { Runs } from '../../server/runs/service.ts';
import type { RunSummary } from '../../server/runs/store/run-store.ts';
import type { FormatId } from '../../server/captions/files/formats.ts';
import { holdCaptions } from '../../server/http/runs/profiled-captions.ts';
import { textOf } from '../support/held-text.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { refusalOf } from '../support/refusal-of.ts';

// Streams of a run: keep-alive, and their end with the client, the run or the key.
const RUN = { id: 'run_1', organizationId: 'org_1' };

/** A run that advances on request, and counts its watchers. */
function scripted() {
  let run = {
    ...RUN,
    createdAt: 0,
    startedAt: 0,
    updatedAt: 0,
    payload: { audio: { key: 'a.mp3' } },
    state: 'running',
    finishedAt: null as number | null,
    result: null as string | null,
  };
  const waiting = new Set<() => void>();
  let watches = 0;
  let isNew = false;
  /** Like the real one: neither news that arrives before somebody waits nor an abort is lost. */
  const news = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const done = () => {
        waiting.delete(done);
        isNew = false;
        resolve();
      };
      if (isNew || signal.aborted) return done();
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  const runs = {
    summary: async () => run,
    result: async () => run.result,
    watch: (_: string, __: string, signal: AbortSignal) => {
      watches += 1;
      return { next: () => news(signal), close: () => void (watches -= 1) };
    },
    async wait(_: string, signal: AbortSignal) {
      watches += 1;
      try {
        while (run.finishedAt === null) {
          signal.throwIfAborted();
          await news(signal);
        }
      } finally {
        watches -= 1;
      }
    },
  } as unknown as Runs;
  const texts = createRunTexts(runs.result);
  type Sender = Parameters<typeof eventStream>[3];
  return {
    /** The stream of its events, and the wait for its result. */
    events: (by: Sender) => eventStream(runs, texts, run, by),
    result: (by: Sender) => envelopeStream(runs, texts, RUN, by),
    watches: () => watches,
    move(change: Partial<typeof run>) {
      run = { ...run, ...change };
      isNew = true;
      for (const wake of waiting) wake();
    },
  };
}

const finished = { state: 'completed', finishedAt: 1, result: '{"status":"completed"}' } as const;
const always = { stillAllowed: async () => true, keepAliveMs: 5 };

const BROKEN_OFF = { value: '(broken off)', done: true };

const reader = (response: Response) => {
  const from = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  return {
    cancel: () => from.cancel(),
    next: async () => (await from.read()).value,
    async until(pattern: RegExp): Promise<string> {
      for (let text = ''; ;) {
        const { value, done } = await from.read().catch(() => BROKEN_OFF);
        text += value ?? '';
        if (pattern.test(text) || done) return text;
      }
    },
  };
};

test('something is sent again and again, so that proxies keep the connection open', async () => {
  const waiting = reader(scripted().result(always));
  expect(await waiting.until(/ {3}/)).toMatch(/^ {3}$/);
  await waiting.cancel();
  const events = reader(scripted().events(always));
  expect(await events.until(/: awake\n\n: awake\n\n/)).toStartWith('id: 1\nevent: run\n');
  await events.cancel();
});

test('nothing is sent inside a text, even if the key check ends just then', async () => {
  const asked = Promise.withResolvers<void>();
  const good = Promise.withResolvers<boolean>();
  const stillAllowed = () => {
    asked.resolve();
    return good.promise;
  };
  const response = streamed(
    { type: 'text/plain', heartbeat: '!', keepAliveMs: 1, stillAllowed },
    ({ write }) => write('x'.repeat(150_000), 'x'.repeat(150_000)),
  );
  // The text is larger than what is sent ahead, so its writer waits for the client by now.
  await asked.promise;
  good.resolve(true);
  expect((await response.text()).replace(/!+$/, '')).toBe('x'.repeat(300_000));
});

test('a client that disconnects ends its watch, and nothing more is written', async () => {
  for (const of of ['events', 'result'] as const) {
    const script = scripted();
    const stream = reader(script[of](always));
    await stream.next();
    expect(script.watches()).toBe(1);
    await stream.cancel();
    await Bun.sleep(20);
    expect(script.watches()).toBe(0);
  }
});

test('an event stream ends when its key is revoked, while the run is slow', async () => {
  const script = scripted();
  let isGood = true;
  const events = reader(script.events({ ...always, stillAllowed: async () => isGood }));
  await events.until(/awake/);
  isGood = false;
  expect(await events.until(/never/)).toEndWith('(broken off)');
  expect(script.watches()).toBe(0);
});

test('a run that ends is not told to a revoked key, even before the next heartbeat', async () => {
  const { events: open, move, watches } = scripted();
  let isGood = true;
  const events = reader(open({ stillAllowed: async () => isGood, keepAliveMs: 60_000 }));
  await events.until(/\n\n$/);
  isGood = false;
  move(finished);
  expect(await events.until(/never/)).toBe('(broken off)');
  expect(watches()).toBe(0);
});

test('a wait for the result ends when its key is revoked', async () => {
  for (const keepAliveMs of [5, 60_000]) {
    const { result, move, watches } = scripted();
    let isGood = true;
    const response = result({ stillAllowed: async () => isGood, keepAliveMs });
    isGood = false;
    if (keepAliveMs > 1000) move(finished);
    await expect(response.text()).rejects.toThrow();
    expect(watches()).toBe(0);
  }
});

// Texts of results that are being read at the same time: only equal requests share one.
const result = (line: string) => ({
  transcript: { words: [], metadata: {} },
  captions: { cues: [{ start: 0, end: 1, lines: [line] }] },
});

test('captions of other runs, formats, versions and reviews are made of their own', async () => {
  const texts = createRunTexts((runId) =>
    Promise.resolve(JSON.stringify(result(`said in ${runId}`))),
  );
  const held: SharedText[] = [];
  const read = async (id: string, format: FormatId, review?: string, version?: 'original') => {
    const text = review && JSON.stringify({ cues: result(review).captions.cues });
    const found = text === undefined ? null : { tag: review, savedAt: 0, text };
    const stored = { review: () => Promise.resolve(found) };
    const run = { id, organizationId: 'org', state: 'completed', payload: {} } as RunSummary;
    const sources = { texts, stored: stored as never, translations: null as never, pool: poolHere };
    const one = await holdCaptions(sources, run, format, version ? { version } : {});
    held.push(one);
    return textOf(one);
  };
  expect(await read('run_1', 'txt')).toBe('said in run_1\n');
  expect(await read('run_2', 'txt')).toBe('said in run_2\n');
  expect(await read('run_1', 'vtt')).toStartWith('WEBVTT');
  expect(await read('run_1', 'txt', 'first review')).toBe('first review\n');
  expect(await read('run_1', 'txt', 'second review')).toBe('second review\n');
  expect(await read('run_1', 'txt', 'second review', 'original')).toBe('said in run_1\n');
  const [first, , , , , last] = held;
  expect(last!.read).toBe(first!.read);
});

/** Holds the result of a run. */
const hold = (texts: RunTexts, id: string, organizationId = 'org_1') =>
  texts.hold({ id, organizationId }, 'text', (read) => read());

test('a workspace that holds more than its share is refused, others are not', async () => {
  const texts = createRunTexts(async () => 'ää', { mostBytes: 32 });
  const first = await hold(texts, 'run_1');
  await hold(texts, 'run_2');
  expect(await refusalOf(hold(texts, 'run_3'))).toEqual([503, 'unavailable']);
  expect((await hold(texts, 'run_4', 'org_2')).size).toBe(4);
  first.release();
  first.release();
  expect((await hold(texts, 'run_3')).size).toBe(4);
});

test('workspaces take turns in having their texts made', async () => {
  const order: string[] = [];
  const texts = createRunTexts(async (id) => {
    order.push(id);
    return 'text';
  });
  const eve = Array.from({ length: 64 }, (_, at) => hold(texts, `eve_${at}`, 'eve'));
  const ann = ['ann_0', 'ann_1'].map((id) => hold(texts, id, 'ann'));
  await Promise.all([...eve, ...ann]);
  expect(order.slice(0, 5)).toEqual(['eve_0', 'eve_1', 'ann_0', 'ann_1', 'eve_2']);
  const many = Array.from({ length: 67 }, (_, at) => hold(texts, `more_${at}`, 'eve'));
  expect(await refusalOf(many[66]!)).toEqual([503, 'unavailable']);
  await Promise.all(many.slice(0, 66));
});
