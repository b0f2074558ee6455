/** Speech that a provider lost is told in the result. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'bun:test';
import type { PieceTranscript } from '../../server/speech/provider.ts';
import { spoken } from '../support/doubles/scripted-speech.ts';
import { fixture, source } from '../mp3/support.ts';
import { run } from '../runs/support.ts';
import { sample } from '../support/sample.ts';
import { speechWith } from './staged-run.ts';

const recording = source(readFileSync(sample));
const DURATION = 35.172;
const words = spoken('word '.repeat(100));

/** The transcript's metadata in a run whose provider returns this for the sample. */
async function metadataOf(heard: PieceTranscript, audio = recording) {
  const speech = speechWith({
    plan: async () => ({
      duration: DURATION,
      pieces: [{ index: 0, start: 0, end: DURATION }],
      engine: { provider: 'edge', model: 'scripted' },
    }),
    transcribe: async () => heard,
  });
  const { result } = await run({ speech, recording: audio });
  expect(result.status).toBe('completed');
  return { ...result.transcript.metadata, score: result.quality.captions.score };
}

const without = (from: number, to: number) =>
  words.filter(({ start, end }) => end < from || start > to);

test('nothing is missing', async () => {
  expect(await metadataOf({ words })).toMatchObject({ unheard: [], droppedWords: 0 });
});

test('a part that a provider lost is found in the sound of the recording', async () => {
  const { unheard } = await metadataOf({ words: without(10, 20) });
  expect(unheard).toHaveLength(1);
  expect(unheard[0].start).toBeWithin(9.5, 11);
  expect(unheard[0].end).toBeWithin(19, 20.5);
});

test('a provider that detects speech is believed', async () => {
  const heard = { words: without(10, 20), speech: [{ start: 12, end: 16 }] };
  expect(await metadataOf(heard)).toMatchObject({ unheard: [{ start: 12, end: 16 }] });
  expect(await metadataOf({ ...heard, speech: [] })).toMatchObject({ unheard: [] });
});

test('a transcript without words has no score, and says why', async () => {
  const lost = await metadataOf({ words: [] });
  expect(lost).toMatchObject({ score: 0, noWords: expect.stringContaining('no words') });
  expect(lost.unheard[0].end - lost.unheard[0].start).toBeGreaterThan(30);
  expect(await metadataOf({ words: [], speech: [] })).toMatchObject({
    score: 0,
    unheard: [],
    noWords: expect.stringContaining('silent'),
  });
});

test('a recording that cannot be decoded here has its captions all the same', async () => {
  const metadata = await metadataOf({ words: without(10, 20) }, source(fixture('free-format.mp3')));
  expect(metadata).not.toHaveProperty('unheard');
});
