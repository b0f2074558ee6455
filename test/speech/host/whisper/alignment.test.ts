/** The alignment of tokens, compared with its definition in openai-whisper's timing.py, written out plainly. */
import { expect, test } from 'bun:test';
import { type Attention, tokenStarts } from '../../../../server/whisper/search/align.ts';

/** Numbers from 0 to 1 that look random and are the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[3]!;

/** The mean attention of the heads: each is normalised over all tokens, and smoothed over seven frames. */
function smoothed({ heads, frames, tokens }: Attention): number[][] {
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  return tokens.map((own) =>
    Array.from({ length: frames }, (_, frame) =>
      mean(
        Array.from({ length: heads }, (_, head) => {
          const normal = (at: number): number => {
            const column = tokens.map((row) => row[head * frames + at]!);
            const middle = mean(column);
            const deviation = Math.sqrt(mean(column.map((value) => (value - middle) ** 2)));
            return (own[head * frames + at]! - middle) / (deviation || 1);
          };
          const mirrored = (at: number): number => {
            const within = Math.abs(at);
            return within < frames ? within : 2 * (frames - 1) - within;
          };
          return median([-3, -2, -1, 0, 1, 2, 3].map((step) => normal(mirrored(frame + step))));
        }),
      ),
    ),
  );
}

/** The frames at which the path of least cost enters each row, found among all paths. */
function bestPath(attention: readonly number[][]): number[] {
  const frames = attention[0]!.length;
  const from = new Map<string, { sum: number; entered: number[] }>();
  const pathTo = (row: number, frame: number): { sum: number; entered: number[] } => {
    const key = `${row} ${frame}`;
    const known = from.get(key);
    if (known) return known;
    const own = attention[row]![frame]!;
    const ways = [
      ...(frame > 0 ? [pathTo(row, frame - 1)] : []),
      ...(row > 0 ? [pathTo(row - 1, frame)] : []),
      ...(row > 0 && frame > 0 ? [pathTo(row - 1, frame - 1)] : []),
    ].toSorted((a, b) => b.sum - a.sum);
    const before = ways[0] ?? { sum: 0, entered: [] };
    const entered = [...before.entered];
    entered[row] ??= frame;
    const path = { sum: before.sum + own, entered };
    from.set(key, path);
    return path;
  };
  return pathTo(attention.length - 1, frames - 1).entered;
}

test.each([
  { rows: 6, frames: 24, heads: 1, from: 0 },
  { rows: 6, frames: 24, heads: 3, from: 2 },
  { rows: 5, frames: 30, heads: 2, from: 4 },
  // More tokens than frames: several begin in one.
  { rows: 12, frames: 7, heads: 2, from: 1 },
  { rows: 4, frames: 4, heads: 2, from: 0 },
])('$rows tokens in $frames frames, seen by $heads heads', ({ rows, frames, heads, from }) => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const next = numbers(seed * 977);
    const attention = {
      heads,
      frames,
      frameSeconds: 0.02,
      tokens: Array.from({ length: rows }, (_, row) =>
        Float32Array.from({ length: heads * frames }, (_, at) => {
          const place = ((at % frames) + 0.5) / frames;
          const wanted = (row + 0.5) / rows;
          return Math.exp(-20 * (place - wanted) ** 2) + next() * 0.8;
        }),
      ),
    };
    const expected = bestPath(smoothed(attention).slice(from)).map((frame) => frame * 0.02);
    expect(tokenStarts(attention, from)).toEqual(expected);
  }
});

test('a frame to which all tokens attend alike says nothing', () => {
  const tokens = [0, 1, 2].map((row) =>
    Float32Array.from({ length: 30 }, (_, frame) =>
      frame < 10 ? 0.7 : Number(Math.floor((frame - 10) / 7) === row),
    ),
  );
  const starts = tokenStarts({ heads: 1, frames: 30, frameSeconds: 0.02, tokens }, 0);
  expect(starts.every(Number.isFinite)).toBe(true);
  expect(starts.map((seconds) => Math.round(seconds / 0.02))).toEqual([0, 17, 24]);
});

test('tokens that attend to every frame alike begin with the first frame', () => {
  const tokens = [0, 1, 2].map(() => new Float32Array(9).fill(0.5));
  expect(tokenStarts({ heads: 1, frames: 9, frameSeconds: 0.02, tokens }, 0)).toEqual([0, 0, 0]);
});

test('there are no times for rows beyond the last', () => {
  const tokens = [new Float32Array(4)];
  expect(tokenStarts({ heads: 1, frames: 4, frameSeconds: 0.02, tokens }, 1)).toEqual([]);
  expect(tokenStarts({ heads: 1, frames: 4, frameSeconds: 0.02, tokens }, 2)).toEqual([]);
  expect(tokenStarts({ heads: 1, frames: 4, frameSeconds: 0.02, tokens }, 0)).toEqual([0]);
});
