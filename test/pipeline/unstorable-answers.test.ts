/** Responses that cannot be stored, and the number of pieces transcribed at once. */
import { expect, test } from 'bun:test';
import { StageFailure } from '../../server/contract/failure.ts';
import { storable } from '../../server/pipeline/storable.ts';
import type { SpeechProvider } from '../../server/speech/provider.ts';
import { speechWith, stagedRun } from './staged-run.ts';

/** Contains itself, so JSON cannot represent it. */
const endless: unknown[] = [];
endless.push(endless);

const cut = [{ label: 'Cut the recording into shorter parts' }];

test('a response of a provider that cannot be stored fails the run after one call', async () => {
  let calls = 0;
  const speech = speechWith({
    transcribe: async () => {
      calls += 1;
      return { words: [], detail: endless };
    },
  });
  const { result } = await stagedRun({ speech });
  expect(result.error).toEqual({
    code: 'provider_bad_response',
    message: 'The response of the provider is too large, or nested too deeply, to store.',
    retryable: false,
    provider: 'edge',
    suggestions: cut,
    stage: 'transcription',
    runId: 'run_1',
  });
  expect(calls).toBe(1);
});

test('any other output that cannot be stored is an internal failure, which is final', () => {
  let refused: unknown;
  try {
    storable(endless);
  } catch (error) {
    refused = error;
  }
  if (!(refused instanceof StageFailure)) throw new Error('it was stored');
  expect(refused.isFinal).toBe(true);
  expect(refused.failure).toEqual({
    code: 'internal',
    message: 'The output of a step of the run is too large to store.',
    retryable: false,
    suggestions: cut,
  });
});

test.each([
  [undefined, 2],
  [3, 3],
])('with piecesAtOnce %p, %d pieces are transcribed at once', async (piecesAtOnce, expected) => {
  let [running, most] = [0, 0];
  const changes: Partial<SpeechProvider> = {
    ...(piecesAtOnce && { piecesAtOnce }),
    plan: async () => ({
      duration: 6,
      pieces: Array.from({ length: 6 }, (_, index) => ({ index, start: index, end: index + 1 })),
      engine: { provider: 'edge', model: 'm' },
    }),
    transcribe: async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { words: [] };
    },
  };
  await stagedRun({ speech: speechWith(changes) });
  expect(most).toBe(expected);
});
