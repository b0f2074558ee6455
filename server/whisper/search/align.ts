/**
 * Aligns tokens with the audio: the attention of the decoder's alignment heads, one row per token, yields the time at
 * which each token begins (dynamic time warping). Follows openai-whisper's timing.py: the attention is normalised over
 * the tokens, smoothed with a median of seven frames, and added up.
 */

const MEDIAN_WIDTH = 7;

/** The attention of `heads` heads over `frames` frames: one array per token, with one head after the other. */
interface Attention {
  heads: number;
  frames: number;
  /** The seconds of a frame. */
  frameSeconds: number;
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
  const { frames, frameSeconds } = attention;
  const rows = attention.tokens.length - from;
  if (rows <= 0) return [];
  const cost = alignmentCost(attention, from);
  return warp(cost, rows, frames).map((frame) => frame * frameSeconds);
}

/**
 * The negated sum of the attention of the heads, for the rows from `from` on; as good as the mean, because only the
 * order of sums matters. The loops count and go along the rows, because there are a million values.
 */
function alignmentCost({ heads, frames, tokens }: Attention, from: number): Float32Array {
  const cost = new Float32Array((tokens.length - from) * frames);
  const normal = new Float32Array(frames);
  for (let head = 0; head < heads; head += 1) {
    const of = tokens.map((row) => row.subarray(head * frames, (head + 1) * frames));
    const { means, deviations } = levels(of, frames);
    for (let row = from; row < tokens.length; row += 1) {
      const values = of[row]!;
      for (let frame = 0; frame < frames; frame += 1) {
        normal[frame] = (values[frame]! - means[frame]!) / deviations[frame]!;
      }
      subtractMedians(cost.subarray((row - from) * frames), normal);
    }
  }
  return cost;
}

/** The mean and the standard deviation of each frame over all rows; a deviation of 0 is returned as 1. */
function levels(rows: readonly Float32Array[], frames: number) {
  const means = new Float64Array(frames);
  for (const row of rows) {
    for (let frame = 0; frame < frames; frame += 1) means[frame]! += row[frame]! / rows.length;
  }
  const deviations = new Float64Array(frames);
  for (const row of rows) {
    for (let frame = 0; frame < frames; frame += 1) {
      deviations[frame]! += (row[frame]! - means[frame]!) ** 2 / rows.length;
    }
  }
  for (let frame = 0; frame < frames; frame += 1) {
    deviations[frame] = Math.sqrt(deviations[frame]!) || 1;
  }
  return { means, deviations };
}

/** Subtracts the median of the frames around each frame, mirrored at the edges. */
function subtractMedians(cost: Float32Array, values: Float32Array): void {
  const half = (MEDIAN_WIDTH - 1) / 2;
  const last = values.length - 1;
  const at = (frame: number): number => {
    const mirrored = Math.abs(frame);
    return values[mirrored > last ? Math.max(0, 2 * last - mirrored) : mirrored]!;
  };
  const around = Float32Array.from({ length: MEDIAN_WIDTH }, (_, place) => at(place - half)).sort();
  for (let frame = 0; frame <= last; frame += 1) {
    cost[frame]! -= around[half]!;
    replace(around, at(frame - half), at(frame + half + 1));
  }
}

/** Replaces a value of a sorted list, which stays sorted. */
function replace(sorted: Float32Array, before: number, after: number): void {
  let place = 0;
  while (sorted[place] !== before) place += 1;
  for (; place > 0 && sorted[place - 1]! > after; place -= 1) sorted[place] = sorted[place - 1]!;
  for (; place + 1 < sorted.length && sorted[place + 1]! < after; place += 1) {
    sorted[place] = sorted[place + 1]!;
  }
  sorted[place] = after;
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
