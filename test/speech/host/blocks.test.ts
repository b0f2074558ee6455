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

test('words that the next block may replace are not previewed before', async () => {
  const preview: string[] = [];
  let blocks = 0;
  let previewed: string[] = [];
  await recognise(
    {
      findSpeech: async (samples) => {
        blocks += 1;
        if (blocks === 2) previewed = [...preview];
        return [{ start: blocks === 1 ? 100 : 0, end: samples.length / 16_000 }];
      },
      recognize: async (_samples, { start, end }) => [
        { text: `from ${start.toFixed()}`, start: start + 0.2, end: start + 0.4 },
        { text: `to ${end.toFixed()}`, start: end - 0.4, end: end - 0.2 },
      ],
    },
    {
      audio,
      index,
      range: { start: 0, end: 320 },
      signal: never,
      progress: () => {},
      heard: (words) => preview.push(...words.map(({ text }) => text)),
    },
  );
  expect(previewed.at(-1)).toBe('to 276');
  expect(preview.slice(previewed.length)).toEqual(['from 299', 'to 301', 'to 320']);
});

test('a recording is closed if the recognition of a block fails', async () => {
  let open = 0;
  const watched = {
    size: audio.size,
    async *read(range?: { start: number; end: number }) {
      open += 1;
      try {
        yield* audio.read(range);
      } finally {
        open -= 1;
      }
    },
  };
  const failing = recognise(
    {
      findSpeech: async () => [{ start: 1, end: 2 }],
      recognize: async () => Promise.reject(new Error('lost')),
    },
    {
      audio: watched,
      index,
      range: { start: 0, end: 320 },
      signal: never,
      progress: () => expect(open).toBe(1),
    },
  );
  await expect(failing).rejects.toThrow('lost');
  expect(open).toBe(0);
});
