/** The energies of frames, and a last frame that is not whole. */
import { expect, test } from 'bun:test';
import { loudnessVoiceActivity } from '../../../server/speech/host/voice-activity.ts';
import { frameEnergies } from '../../../server/whisper/search/missed-speech.ts';
import { never } from './engine-support.ts';

test('a frame has the sum of the squares of its samples, and the last one may be shorter', () => {
  expect([...frameEnergies(Float32Array.of(1, -2, 3), 2)]).toEqual([5, 9]);
  expect([...frameEnergies(Float32Array.of(1, -2, 3, 4), 2)]).toEqual([5, 25]);
  expect([...frameEnergies(new Float32Array(0), 2)]).toEqual([]);
});

test('speech by loudness ends with the last whole frame', async () => {
  // Half a second of silence, and half a second of sound: 16 frames and two thirds of one.
  const samples = new Float32Array(16_000).fill(0.5, 8000);
  const [speech] = await loudnessVoiceActivity(samples, never);
  expect(speech?.end).toBeCloseTo(0.99, 9);
});
