/** The end of a run, as stored and reported: a poisoned run, an invalid result, and a completed run. */
import { expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { worker } from './executed-run.ts';

test.each([
  ['captioning', 'captioning'],
  [null, 'workflow'],
] as const)('a run poisoned in the stage %p fails in %p, with advice', async (stage, failed) => {
  const one = worker({ attempts: 3, stage, progress: 0.4, createdAt: Date.now() + 60_000 });
  await one.execute();
  const [, , result, reached, owed] = one.finished[0];
  expect(result).toMatchObject({
    status: 'failed',
    id: 'run_1',
    metadata: { timingsMs: { total: 0 }, models: {} },
  });
  expect(result.error).toEqual({
    code: 'internal',
    stage: failed,
    message: 'The run was tried 3 times, and each time its worker crashed or did not finish.',
    retryable: false,
    suggestions: [
      { label: 'Start the run with a simpler payload, in particular fewer terms' },
      { label: 'Encode the recording as MP3 again, and start a run with that' },
      { label: 'Report the id of the run to the operator of this service' },
    ],
    runId: 'run_1',
    debug: { attempts: 3 },
  });
  expect([reached, owed]).toEqual([{ stage, progress: 0.4 }, null]);
});

test('a poisoned run does not end while its recording cannot be reached', async () => {
  const one = worker({ attempts: 3 });
  one.parts.audio.stat = () => Promise.reject(new StorageUnavailable('the store is away'));
  await expect(one.execute()).rejects.toThrow('the store is away');
  expect([one.finished, one.deleted()]).toEqual([[], null]);
});

test('a poisoned run ends although its recording is gone', async () => {
  const one = worker({ attempts: 3 });
  one.parts.audio.stat = async () => null;
  await one.execute();
  expect(one.finished[0][2].error.code).toBe('internal');
});

test('a completed run has reached its last stage', async () => {
  const one = worker({ stage: 'transcription', progress: 0.3 });
  await one.execute();
  const [, , result, reached] = one.finished[0];
  expect(reached).toEqual({ stage: 'captioning', progress: expect.any(Number) });
  expect(reached.progress).toBeGreaterThan(0.9);
  expect(one.lines.filter(({ event }) => event === 'run_finished')).toMatchObject([
    { level: 'info', runId: 'run_1', state: 'completed', timingsMs: result.metadata.timingsMs },
  ]);
  expect(one.lines.some((line) => 'code' in line || 'stage' in line)).toBe(false);
});

test('a run ends only when its preview is stored, so that nothing of it is left behind', async () => {
  const one = worker();
  const order: string[] = [];
  one.parts.partial.add = async () => {
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    order.push('preview');
  };
  one.parts.store.finish = async () => void order.push('end');
  await one.execute();
  expect(order).toEqual(['preview', 'end']);
});

test('a recording whose deletion succeeds at a later attempt is not deleted again', async () => {
  const one = worker();
  let isAway = true;
  one.parts.audio.delete = () =>
    isAway ? Promise.reject(new Error('the store is away')) : Promise.resolve(true);
  one.parts.pipeline.moderator = {
    moderate: () => {
      isAway = false;
      return Promise.reject(
        new StageFailure({ code: 'internal', message: '', retryable: false, suggestions: [] }),
      );
    },
  } as never;
  await one.execute();
  const [, state, result, , owed] = one.finished[0];
  expect([state, result.metadata.storage.sourceAudio.status, owed]).toEqual([
    'failed',
    'deleted',
    null,
  ]);
});

test('the log says why a run failed', async () => {
  const one = worker();
  one.parts.audio.stat = async () => null;
  await one.execute();
  expect(one.lines.find(({ event }) => event === 'run_finished')).toMatchObject({
    runId: 'run_1',
    state: 'failed',
    code: 'audio_not_found',
    stage: 'storage',
  });
});

test('a result that violates the contract fails the run, unless results are not checked', async () => {
  const broken = () => {
    const one = worker();
    one.parts.pipeline.moderator = { moderate: async () => ({ decision: 'perhaps' }) } as never;
    return one;
  };
  const checked = broken();
  checked.parts.audio.delete = () => Promise.reject(new Error('the store is away'));
  await checked.execute();
  const [, state, result, , owed] = checked.finished[0];
  // Its recording is still to be deleted.
  expect([state, result.status, owed]).toEqual(['failed', 'failed', expect.any(String)]);
  expect(result).toMatchObject({ id: 'run_1', input: { source: { key: 'talk.mp3' } } });
  expect(result.error).toEqual({
    code: 'internal',
    stage: 'workflow',
    message: 'Something went wrong on the server. The run can be started again.',
    retryable: true,
    suggestions: [{ label: 'Start the run again with the same payload' }],
    runId: 'run_1',
  });
  const line = checked.lines.find(({ event }) => event === 'result_breaks_contract');
  expect(line.error.message).toContain('metadata.moderation.source is required');
  const unchecked = broken();
  unchecked.parts.checksResults = false;
  await unchecked.execute();
  expect(unchecked.finished[0][2].metadata.moderation).toMatchObject({ decision: 'perhaps' });
});
