import { expect, test } from 'bun:test';
import { SourceAudioRetention } from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import { cleanUpAudio, type CleanUpRequest } from '../../server/pipeline/clean-up.ts';
import type { RunAudio } from '../../server/pipeline/services.ts';

/** A store with one object whose deletion may fail. */
function object(failures = 0) {
  let there = true;
  let left = failures;
  const audio: RunAudio = {
    key: 'talk.mp3',
    open: async () =>
      there ? { version: '1', source: { size: 1, read: () => null as never } } : null,
    delete: async (version) => {
      if (version !== '1') return false;
      if (left-- > 0) throw new Error('the disk is read-only');
      const was = there;
      there = false;
      return was;
    },
  };
  return { audio, there: () => there };
}

const cleanUp = async (request: Partial<CleanUpRequest> & { audio: RunAudio }) => {
  const done = await cleanUpAudio({
    retain: false,
    phase: 'after_transcription',
    version: '1',
    consumed: true,
    ...request,
  });
  expect(validator(SourceAudioRetention).issues(done)).toEqual([]);
  return done;
};

test('used audio is deleted, and stays deleted in later phases', async () => {
  const { audio, there } = object();
  const earlier = await cleanUp({ audio });
  expect(earlier).toMatchObject({ status: 'deleted', cleanupPhase: 'after_transcription' });
  expect(there()).toBe(false);
  expect(await cleanUp({ audio, phase: 'success', earlier })).toEqual(earlier);
});

test('a failed deletion is retried when the run ends', async () => {
  const { audio, there } = object(1);
  const earlier = await cleanUp({ audio });
  expect(earlier).toMatchObject({ status: 'failed', error: 'the disk is read-only' });
  for (const phase of ['failure', 'success', 'moderation_blocked'] as const) {
    expect(await cleanUp({ audio, phase, earlier })).toMatchObject({
      status: 'deleted',
      cleanupPhase: phase,
    });
  }
  expect(there()).toBe(false);
});

test('retained audio stays', async () => {
  const { audio, there } = object();
  expect(await cleanUp({ audio, retain: true, phase: 'success' })).toMatchObject({
    policy: 'retain',
    status: 'retained',
    cleanupPhase: 'success',
  });
  expect(there()).toBe(true);
});

test('audio that transcription did not use is kept, and the result says why', async () => {
  const { audio, there } = object();
  expect(await cleanUp({ audio, consumed: false, phase: 'failure' })).toMatchObject({
    policy: 'delete_after_use',
    status: 'skipped',
    cleanupPhase: 'failure',
  });
  expect(there()).toBe(true);
});

test('a newer upload under the same key is not deleted', async () => {
  const { audio, there } = object();
  expect(await cleanUp({ audio, version: '0' })).toMatchObject({ status: 'skipped' });
  expect(there()).toBe(true);
});

test('without audio nothing is deleted', async () => {
  expect(await cleanUp({ audio: object().audio, version: null, phase: 'failure' })).toMatchObject({
    status: 'skipped',
  });
});

test('a step repeated after a crash reports the same', async () => {
  const { audio } = object();
  await cleanUp({ audio });
  expect(await cleanUp({ audio })).toMatchObject({ status: 'deleted' });
});

test('each outcome has its reason', async () => {
  const reasonOf = async (request: Parameters<typeof cleanUp>[0]) =>
    (await cleanUp(request)).reason;
  const { audio } = object();
  const gone = { ...audio, open: async () => null };
  expect(await reasonOf({ audio: gone, version: null })).toBe('No audio was found under this key.');
  expect(await reasonOf({ audio, retain: true })).toBe('storage.retainSourceAudio is set.');
  expect(await reasonOf({ audio, consumed: false })).toBe(
    'Transcription did not use the audio, so it is kept for another run.',
  );
  expect(await reasonOf({ audio, version: '0' })).toBe('A newer upload has replaced the audio.');
  expect(await reasonOf(object(1))).toBe(
    'The audio could not be deleted yet. The service keeps trying.',
  );
  expect(await reasonOf({ audio })).toBeUndefined();
  const odd = { ...audio, delete: () => Promise.reject('no error') };
  expect(await cleanUp({ audio: odd })).toMatchObject({ status: 'failed', error: 'unknown' });
});
