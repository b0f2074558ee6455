/** The progress of a run: stored at most ten times a second, announced once it is stored, and never reduced. */
import { afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { createProgressReporter } from '../../server/runs/progress.ts';

let timers: Mock<typeof setTimeout>;
let cleared: Mock<typeof clearTimeout>;
beforeEach(() => {
  timers = spyOn(globalThis, 'setTimeout');
  timers.mockImplementation((() => ({ timer: timers.mock.calls.length })) as never);
  cleared = spyOn(globalThis, 'clearTimeout');
  cleared.mockImplementation(() => {});
});
afterEach(() => {
  timers.mockRestore();
  cleared.mockRestore();
});
/** Lets the time of the last timer run out. */
const passTime = () => (timers.mock.lastCall![0] as () => void)();

/** A reporter, and what it stores and announces. */
function reporting({ fails = false, reached = 0.1 } = {}) {
  const done: unknown[][] = [];
  const stored = Promise.withResolvers<void>();
  const reporter = createProgressReporter(
    'run_1',
    {
      async report(...what) {
        done.push(what);
        await stored.promise;
        if (fails) throw new Error('the database is down');
      },
    },
    (message) => void done.push([message]),
    reached,
  );
  return { done, stored: stored.resolve, ...reporter };
}

test('the latest progress is stored after a tenth of a second, then announced', async () => {
  const { done, stored, report, finish } = reporting();
  report('payload', 0.2);
  report('transcription', 0.3);
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([100]);
  expect(done).toEqual([]);
  passTime();
  await Promise.resolve();
  expect(done).toEqual([['run_1', 'transcription', 0.3]]);
  stored();
  expect(await finish()).toEqual({ stage: 'transcription', progress: 0.3 });
  expect(done.slice(1)).toEqual([[{ type: 'changed', runId: 'run_1' }]]);
});

test('it does not go back, nor beyond the end', async () => {
  const { done, stored, report, finish } = reporting({ reached: 0.5 });
  stored();
  for (const progress of [0.4, 0.7, 0.6, 1.2]) {
    report('transcription', progress);
    passTime();
  }
  await finish();
  expect(done.filter(([first]) => first === 'run_1').map((what) => what[2])).toEqual([
    0.5, 0.7, 0.7, 1,
  ]);
});

test('a run goes on if its progress cannot be stored, which is then not announced', async () => {
  const { done, stored, report, finish } = reporting({ fails: true });
  report('payload', 0.2);
  passTime();
  stored();
  expect(await finish()).toEqual({ stage: 'payload', progress: 0.2 });
  expect(done).toHaveLength(1);
});

test('the end waits for what is being stored, and nothing is stored after it', async () => {
  const { done, stored, report, finish } = reporting();
  report('payload', 0.2);
  passTime();
  report('moderation', 0.4);
  let isOver = false;
  const over = finish().then((reached) => ((isOver = true), reached));
  expect(cleared.mock.lastCall![0] as unknown).toEqual({ timer: 2 });
  report('captioning', 0.9);
  await new Promise(setImmediate);
  expect([isOver, timers.mock.calls.length]).toEqual([false, 2]);
  stored();
  expect(await over).toEqual({ stage: 'moderation', progress: 0.4 });
  expect(done).toHaveLength(2);
});

test('without progress there is nothing to store', async () => {
  const { done, finish } = reporting({ reached: 0.5 });
  expect(await finish()).toEqual({ stage: null, progress: 0.5 });
  expect([done, cleared.mock.calls]).toEqual([[], []]);
});
