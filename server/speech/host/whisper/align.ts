/**
 * Aligns tokens with the audio: the attention of the decoder's alignment heads, one row per token, yields the time at
 * which each token begins (dynamic time warping). Follows openai-whisper's timing.py: the attention is normalised over
 * the tokens, smoothed with a median of seven frames, and averaged.
 */

/** Seconds of audio per column of attention. */
export const FRAME_SECONDS = 0.02;
const MEDIAN_WIDTH = 7;

/** The attention of `heads` heads over `frames` frames: one array per token, with one head after the other. */
export interface Attention {
  heads: number;
  frames: number;
  tokens: readonly Float32Array[];
}

/**
 * Start times of tokens, in seconds. A row is the decoder's attention after it took one token and before it
 * produced the next, so the row of the last steering token belongs to the first token of text, and the last
 * row belongs to the end of the text.
 * @param from the row of the first token of text; earlier rows only count for the normalisation
 * @returns one time per row from `from` on, in rising order
 */
export function tokenStarts(attention: Attention, from: number): number[] {
  const { frames } = attention;
  const rows = attention.tokens.length - from;
  if (rows <= 0 || frames <= 0) return [];
  const cost = alignmentCost(attention, from);
  return warp(cost, rows, frames).map((frame) => frame * FRAME_SECONDS);
}

/** The negated mean attention of the heads, for the rows from `from` on. */
function alignmentCost({ heads, frames, tokens }: Attention, from: number): Float32Array {
  const cost = new Float32Array((tokens.length - from) * frames);
  const column = new Float64Array(tokens.length);
  const normal = tokens.map(() => new Float32Array(frames));
  const around = new Float32Array(MEDIAN_WIDTH);
  for (let head = 0; head < heads; head += 1) {
    for (let frame = 0; frame < frames; frame += 1) {
      let mean = 0;
      for (const [at, row] of tokens.entries()) mean += column[at] = row[head * frames + frame]!;
      mean /= tokens.length;
      let variance = 0;
      for (const value of column) variance += (value - mean) ** 2;
      const deviation = Math.sqrt(variance / tokens.length) || 1;
      for (const [at, row] of normal.entries()) row[frame] = (column[at]! - mean) / deviation;
    }
    for (let row = from; row < tokens.length; row += 1) {
      const values = normal[row]!;
      for (let frame = 0; frame < frames; frame += 1) {
        cost[(row - from) * frames + frame]! -= median(values, frame, around) / heads;
      }
    }
  }
  return cost;
}

/** The median of the frames around one, mirrored at the edges. `around` is a buffer for sorting. */
function median(values: Float32Array, at: number, around: Float32Array): number {
  const half = (MEDIAN_WIDTH - 1) / 2;
  const last = values.length - 1;
  for (let offset = -half; offset <= half; offset += 1) {
    const mirrored = Math.abs(at + offset);
    const value = values[mirrored > last ? Math.max(0, 2 * last - mirrored) : mirrored]!;
    let place = offset + half;
    for (; place > 0 && around[place - 1]! > value; place -= 1) around[place] = around[place - 1]!;
    around[place] = value;
  }
  return around[half]!;
}

/** The cheapest monotonic path through the costs, as the frame at which it enters each row. */
function warp(cost: Float32Array, rows: number, frames: number): number[] {
  const width = frames + 1;
  const total = new Float64Array((rows + 1) * width).fill(Infinity);
  const step = new Uint8Array((rows + 1) * width);
  total[0] = 0;
  for (let row = 1; row <= rows; row += 1) {
    for (let frame = 1; frame <= frames; frame += 1) {
      const at = row * width + frame;
      const diagonal = total[at - width - 1]!;
      const up = total[at - width]!;
      const left = total[at - 1]!;
      let best = left;
      step[at] = 2;
      if (diagonal < up && diagonal < left) [best, step[at]] = [diagonal, 0];
      else if (up < diagonal && up < left) [best, step[at]] = [up, 1];
      total[at] = best + cost[(row - 1) * frames + frame - 1]!;
    }
  }
  const entered = Array.from({ length: rows }, () => 0);
  for (let row = rows, frame = frames; row > 0 && frame > 0;) {
    entered[row - 1] = frame - 1;
    const way = step[row * width + frame];
    if (way !== 2) row -= 1;
    if (way !== 1) frame -= 1;
  }
  return entered;
}
