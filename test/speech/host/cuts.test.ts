/** The cuts between the pieces of a recording: the chosen pause, and the limits on pieces. */
import { describe, expect, test } from 'bun:test';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { planPieces } from '../../../server/speech/host/pieces.ts';
import { fixture, join, junk, source } from '../../mp3/support.ts';
import { never } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

const audio = silentMp3(64, 60);
const index = await indexMp3(audio);

type Stretch = [start: number, end: number];

/**
 * The first cut, if the examined part has pauses at these seconds before (negative) or after the intended end. The
 * part reaches about eight seconds in both directions.
 */
async function cut(pauses: Stretch[]) {
  let target = 0;
  const speech = (length: number) => {
    // Later pieces do not matter here.
    if (target > 0) return [{ start: 0, end: length }];
    target = length / 2;
    const bounds = pauses
      .flat()
      .map((at) => (Math.abs(at) > 8 ? target + Math.sign(at) * target : target + at));
    const ends = [0, ...bounds, length];
    return Array.from({ length: ends.length / 2 }, (_, at) => ({
      start: ends[2 * at]!,
      end: ends[2 * at + 1]!,
    })).filter(({ start, end }) => end > start);
  };
  const { pieces } = await planPieces(
    audio,
    index,
    131_072,
    (samples) => Promise.resolve(speech(samples.length / 16_000)),
    never,
  );
  const [first, second] = pieces;
  // The piece begins at 0, so the part begins at half of the intended end.
  return { end: first!.end - 2 * target, next: second!.start - 2 * target };
}

describe('a piece ends', () => {
  test.each<[string, Stretch[], number]>([
    ['in the middle of the only pause', [[-3, -2]], -2.5],
    [
      'in the nearer of two equal pauses',
      [
        [-3, -2.5],
        [1, 1.5],
      ],
      1.25,
    ],
    [
      'in the nearer of two equal pauses on the other side',
      [
        [-2, -1.5],
        [3, 3.5],
      ],
      -1.75,
    ],
    [
      'in a longer pause, if it is not much farther away',
      [
        [-3.6, -2.6],
        [0.75, 1.25],
      ],
      -3.1,
    ],
    [
      'in the nearer pause, if the longer one is much farther away',
      [
        [-4.2, -3.2],
        [0.75, 1.25],
      ],
      1,
    ],
    [
      'in the nearer of two pauses of two seconds and more',
      [
        [-6, -3],
        [1, 3.5],
      ],
      1.15,
    ],
    ['at the intended end, in a long silence around it', [[-4, 5]], 0],
    ['near the end of a long silence before it', [[-7, -2]], -2.15],
    ['near the start of a long silence after it', [[2, 7]], 2.15],
    ['in the middle of a pause of exactly two seconds', [[1, 3]], 2],
    ['in a pause of 0.31 s', [[2, 2.31]], 2.155],
    ['in the silence before the first speech', [[-9, -5]], -5.15],
    ['in the silence after the last speech', [[5, 9]], 5.15],
    ['at the intended end, if nobody speaks', [[-9, 9]], 0],
  ])('%s', async (_, pauses, expected) => {
    const { end, next } = await cut(pauses);
    expect(end).toBeCloseTo(expected, 2);
    expect(next).toBe(end);
  });

  test.each<[string, Stretch[]]>([
    ['without a pause', []],
    [
      'with pauses of less than 0.3 s',
      [
        [-2, -1.72],
        [3, 3.29],
      ],
    ],
  ])('after the next one begins, %s', async (_, pauses) => {
    const { end, next } = await cut(pauses);
    expect(end).toBeCloseTo(1, 2);
    expect(next).toBeCloseTo(-1, 2);
  });
});

describe('pieces', () => {
  const findSpeech = (samples: Float32Array) =>
    Promise.resolve([{ start: 0, end: samples.length / 16_000 }]);
  const plan = async (kilobits: 16 | 64 | 128, seconds: number, chunkBytes: number) => {
    const recording = silentMp3(kilobits, seconds);
    const own = await indexMp3(recording);
    const { pieces } = await planPieces(recording, own, chunkBytes, findSpeech, never);
    return pieces.map(({ index, start, end }) => [index, Math.round(start), Math.round(end)]);
  };

  test.each<[string, Parameters<typeof plan>, number[][]]>([
    // 131,072 bytes are 16.4 s at 64 kbit/s, 65.5 s at 16 kbit/s.
    [
      'of the wanted size',
      [64, 60, 131_072],
      [
        [0, 0, 17],
        [1, 15, 33],
        [2, 31, 48],
        [3, 46, 60],
      ],
    ],
    [
      'with a short first one',
      [16, 150, 131_072],
      [
        [0, 0, 21],
        [1, 19, 86],
        [2, 84, 150],
      ],
    ],
    [
      'without a short first one, if they are short anyway',
      [64, 84, 314_573],
      [
        [0, 0, 40],
        [1, 38, 84],
      ],
    ],
    ['with a short end added to the last', [64, 20, 131_072], [[0, 0, 20]]],
    [
      'with an end that is long enough',
      [64, 21, 131_072],
      [
        [0, 0, 17],
        [1, 15, 21],
      ],
    ],
  ])('%s', async (_, given, expected) => {
    expect(await plan(...given)).toEqual(expected);
  });
});

test('pieces advance, though a damaged stretch is longer than a piece', async () => {
  const bytes = Buffer.concat(await Array.fromAsync(audio.read()));
  const half = index.byteOffset(800);
  const damaged = source(join(bytes.subarray(0, half), junk(200_000), bytes.subarray(half)));
  const own = await indexMp3(damaged);
  expect(own.duration).toBe(index.duration);
  const everything = (samples: Float32Array) =>
    Promise.resolve([{ start: 0, end: samples.length / 16_000 }]);
  const { pieces } = await planPieces(damaged, own, 60_000, everything, never);
  const ends = pieces.map(({ end }) => end);
  for (const [at, end] of ends.entries()) expect(end).toBeGreaterThan(ends[at - 1] ?? 0);
  expect(ends.at(-1)).toBe(own.duration);
});

test('a piece has the wanted bytes, whatever the delay of the encoder', async () => {
  const recording = source(fixture('mono-16k.mp3'));
  const own = await indexMp3(recording);
  const bytes = own.byteOffset(60) - own.byteOffset(own.frameAt(0));
  let examined = 0;
  const { pieces } = await planPieces(
    recording,
    own,
    bytes,
    async (samples) => {
      examined = samples.length / 16_000;
      return [{ start: 0, end: examined }];
    },
    never,
  );
  // The frame with the last of these bytes ends where the next one begins, in the middle of the part.
  const bound = (60 * 576 - own.delaySamples) / 16_000;
  expect(own.delaySamples).toBeGreaterThan(0);
  expect((pieces[0]!.end + pieces[1]!.start) / 2).toBeCloseTo(bound, 6);
});
