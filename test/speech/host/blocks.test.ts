/** The division of a long recording into blocks that do not cut its speech. */
import { expect, test } from 'bun:test';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { recognise } from '../../../server/speech/host/recognise.ts';
import { never } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

const audio = silentMp3(16, 320);
const index = await indexMp3(audio);

/**
 * Where the second block begins, if these are the last seconds of speech in the first one of five minutes. Nothing
 * that begins after that is recognised in the first block.
 */
async function secondBlock(...speech: [start: number, end: number][]): Promise<number> {
  const lengths: number[] = [];
  const recognised: number[] = [];
  await recognise(
    {
      findSpeech: async (samples) => {
        lengths.push(samples.length / 16_000);
        return lengths.length === 1 ? speech.map(([start, end]) => ({ start, end })) : [];
      },
      recognize: async (_samples, stretch) => {
        recognised.push(stretch.start);
        return [];
      },
    },
    { audio, index, range: { start: 0, end: 320 }, signal: never, progress: () => {} },
  );
  const second = 320 - lengths[1]!;
  // A window begins up to a second before its speech.
  expect(recognised.filter((start) => start > second - 1)).toEqual([]);
  return second;
}

test.each<[string, [number, number][], number]>([
  ['before the speech that extends beyond its end', [[290, 300]], 289.7],
  ['before speech that pauses at its end for less than a second', [[290, 299.9]], 289.7],
  [
    'before all parts of it, if the detector has cut it',
    [
      [1, 280],
      [285, 290],
      [290.05, 300],
    ],
    284.7,
  ],
  ['near its end, if the speech fills more than half of it', [[140, 300]], 298.6],
])('a block ends %s', async (_where, speech, expected) => {
  // A block ends with a whole chunk of the decoder, so it may be a little longer.
  expect(await secondBlock(...speech)).toBeWithin(expected - 0.15, expected + 0.15);
});
