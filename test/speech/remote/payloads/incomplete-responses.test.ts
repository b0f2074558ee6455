/** Incomplete responses of transcription services. */
import { expect, test } from 'bun:test';
import { readDeepgram } from '../../../../server/speech/remote/payloads/deepgram.ts';
import { sending } from '../../../../server/speech/remote/whole-file.ts';

const answer = (transcript: string, words: object[]) => ({
  metadata: { duration: 2 },
  results: { channels: [{ alternatives: [{ transcript, words }] }] },
});

test('Deepgram: text without word times is not a transcript; silence is one', () => {
  expect(readDeepgram(answer('Hello there.', []))).toBeNull();
  expect(readDeepgram(answer('', []))?.words).toEqual([]);
  expect(readDeepgram(answer(' \n', []))?.words).toEqual([]);
  const hello = { word: 'hello', start: 0.1, end: 0.4, confidence: 0.9 };
  expect(readDeepgram(answer('hello', [hello]))?.words).toHaveLength(1);
});

test('sending a recording is the first half of the progress', async () => {
  const told: number[] = [];
  const audio = {
    size: 4,
    async *read() {
      yield new Uint8Array(1);
      yield new Uint8Array(3);
    },
  } as unknown as Parameters<typeof sending>[0];
  for await (const _ of sending(audio, (fraction) => told.push(fraction)));
  expect(told).toEqual([0.125, 0.5]);
});
