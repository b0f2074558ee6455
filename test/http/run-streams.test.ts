/** Streams of a run: keep-alive, and their end with the client, the run or the key. */
import { expect, test } from 'bun:test';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import {
  envelopeStream,
  eventStream,
  runAnswer,
  transcriptPosition,
} from '../../server/http/runs/run-streams.ts';
import { KEEP_ALIVE_MS, streamed } from '../../server/http/streamed.ts';
import type { Runs } from '../../server/runs/service.ts';
import type { StoredRun } from '../../server/runs/stored-run.ts';

/** A run that advances on request, and counts its watchers. */
function scripted() {
  let run: StoredRun = {
    id: 'run_1',
    organizationId: 'org_1',
    payload: { audio: { key: 'a.mp3' } },
    state: 'running',
    stage: null,
    progress: 0,
    createdAt: 0,
    startedAt: 0,
    finishedAt: null,
    cancelRequested: false,
    updatedAt: 0,
    timingsMs: {},
    result: null,
  } as StoredRun;
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
  return {
    runs,
    run,
    watches: () => watches,
    move(change: Partial<StoredRun>) {
      run = { ...run, ...change };
      isNew = true;
      for (const wake of waiting) wake();
    },
  };
}

const finished = { state: 'completed', finishedAt: 1, result: '{"status":"completed"}' } as const;
const always = { stillAllowed: async () => true, keepAliveMs: 5 };

const RUN = { id: 'run_1', organizationId: 'org_1' };
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

test('something is sent every five seconds, so that proxies keep the connection open', async () => {
  expect(KEEP_ALIVE_MS).toBe(5000);
  const { runs, run } = scripted();
  const waiting = reader(envelopeStream(runs, createRunTexts(runs.result), RUN, always));
  expect(await waiting.until(/ {3}/)).toMatch(/^ {3}$/);
  await waiting.cancel();
  const events = reader(eventStream(runs, createRunTexts(runs.result), run, always));
  expect(await events.until(/: awake\n\n: awake\n\n/)).toStartWith('id: 1\nevent: run\n');
  await events.cancel();
});

test('the envelope follows the spaces, as valid JSON in all', async () => {
  const { runs, move } = scripted();
  const response = envelopeStream(runs, createRunTexts(runs.result), RUN, always);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  setTimeout(() => move(finished), 20);
  expect(await response.json()).toEqual({
    result: { status: 'completed' },
    _meta: { runId: 'run_1' },
  });
});

test('a slow read of the result does not split its event, and the stream is kept alive', async () => {
  const { runs, run, move } = scripted();
  const read = Promise.withResolvers<void>();
  const slow = createRunTexts(async (id) => {
    await read.promise;
    return runs.result(id);
  });
  const events = reader(eventStream(runs, slow, run, always));
  await events.until(/\n\n/);
  move(finished);
  await events.until(/: awake/);
  read.resolve();
  const last = await events.until(/"envelope":.*\n\n/s);
  const [, data = ''] = /^data: (.*)$/m.exec(last) ?? [];
  expect(JSON.parse(data)).toMatchObject({ envelope: { result: { status: 'completed' } } });
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
  for (const open of [
    ({ runs, run }: ReturnType<typeof scripted>) =>
      eventStream(runs, createRunTexts(runs.result), run, always),
    ({ runs }: ReturnType<typeof scripted>) =>
      envelopeStream(runs, createRunTexts(runs.result), RUN, always),
  ]) {
    const script = scripted();
    const stream = reader(open(script));
    await stream.next();
    expect(script.watches()).toBe(1);
    await stream.cancel();
    await Bun.sleep(20);
    expect(script.watches()).toBe(0);
  }
});

test('an event stream ends when its key is revoked, while the run is slow', async () => {
  const { runs, run, watches } = scripted();
  let isGood = true;
  const events = reader(
    eventStream(runs, createRunTexts(runs.result), run, {
      ...always,
      stillAllowed: async () => isGood,
    }),
  );
  await events.until(/awake/);
  isGood = false;
  expect(await events.until(/never/)).toEndWith('(broken off)');
  expect(watches()).toBe(0);
});

test('nothing about the run is sent after that, even before the next heartbeat', async () => {
  const { runs, run, move, watches } = scripted();
  let isGood = true;
  const stillAllowed = async () => isGood;
  const events = reader(
    eventStream(runs, createRunTexts(runs.result), run, { stillAllowed, keepAliveMs: 60_000 }),
  );
  await events.until(/\n\n$/);
  isGood = false;
  move(finished);
  expect(await events.until(/never/)).toBe('(broken off)');
  expect(watches()).toBe(0);
});

test('a wait for the result ends when its key is revoked', async () => {
  for (const keepAliveMs of [5, 60_000]) {
    const { runs, move, watches } = scripted();
    let isGood = true;
    const stillAllowed = async () => isGood;
    const response = envelopeStream(runs, createRunTexts(runs.result), RUN, {
      stillAllowed,
      keepAliveMs,
    });
    isGood = false;
    if (keepAliveMs > 1000) move(finished);
    expect(
      await response.text().then(
        (text) => `told ${text}`,
        () => 'broken off',
      ),
    ).toBe('broken off');
    expect(watches()).toBe(0);
  }
});

test('the result is released once it is sent', async () => {
  const { runs, run, move } = scripted();
  move(finished);
  const texts = createRunTexts(runs.result, { mostBytes: 1 });
  const other = async () => {
    const held = await texts.hold({ ...RUN, id: 'run_2' }, 'other', async () => 'x');
    held.release();
    return held.size;
  };
  await eventStream(runs, texts, run, always).text();
  expect(await other()).toBe(1);
  await envelopeStream(runs, texts, RUN, always).text();
  expect(await other()).toBe(1);
  const { finishedAt, state } = finished;
  await (await runAnswer(new Request('http://host/'), texts, { ...run, finishedAt, state })).text();
  expect(await other()).toBe(1);
});

test.each([
  ['3-17', 17],
  ['17', 0],
  ['', 0],
  ['a3-17', 0],
  ['3-17a', 0],
  ['3-1234567890', 0],
])('the id %j of an event has the position %d', (id, position) => {
  expect(transcriptPosition(id)).toBe(position);
});
