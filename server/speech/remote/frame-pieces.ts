/** Divides an MP3 into pieces at its frames. */
import type { Mp3Index } from '../../mp3/frames.ts';
import type { Piece } from '../provider.ts';

/** The overlap in seconds, which is enough to join the pieces away from both cuts. */
const OVERLAP = 5;
/** The largest overlap of a short piece, as a share of it. */
const OVERLAP_SHARE = 0.25;

/** The tolerance for equal parts, since frames differ in size by up to about this factor. */
const EVEN = 1.03;

/** A piece and its bytes. Its first samples are at `start`, which may be just before 0. */
export interface FramePiece extends Piece {
  byteStart: number;
  byteEnd: number;
}

/**
 * Plans the pieces. A recording that fits is one piece, including its tags; otherwise the pieces have at most
 * `chunkBytes`, in roughly equal parts.
 * @param size that of the file
 */
export function planFramePieces(index: Mp3Index, size: number, chunkBytes: number): FramePiece[] {
  if (size <= chunkBytes) {
    return [{ index: 0, start: 0, end: index.duration, byteStart: 0, byteEnd: size }];
  }
  const pieces = cut(index, chunkBytes);
  const sent = pieces.reduce((sum, piece) => sum + piece.byteEnd - piece.byteStart, 0);
  // The last of these pieces may have only a few seconds; an equal number of equal pieces avoids that.
  const even = cut(index, Math.min(chunkBytes, Math.ceil((sent / pieces.length) * EVEN)));
  return even.length === pieces.length ? even : pieces;
}

function cut(index: Mp3Index, mostBytes: number): FramePiece[] {
  const { frameCount, samplesPerFrame, sampleRate, delaySamples } = index;
  const seconds = (frame: number) => (frame * samplesPerFrame - delaySamples) / sampleRate;
  const pieces: FramePiece[] = [];
  for (let first = 0; ;) {
    const last = lastWithin(index, first, mostBytes);
    pieces.push({
      index: pieces.length,
      start: seconds(first),
      end: last === frameCount ? index.duration : seconds(last),
      byteStart: index.byteOffset(first),
      // A damaged stretch after a frame may be longer than a piece.
      byteEnd: Math.min(index.byteOffset(last), index.byteOffset(first) + mostBytes),
    });
    if (last === frameCount) return pieces;
    const overlap = Math.min(
      (OVERLAP * sampleRate) / samplesPerFrame,
      (last - first) * OVERLAP_SHARE,
    );
    const overlapping = last - Math.floor(overlap);
    // If the frame after the cut is too far away, an overlapping piece would add nothing new.
    first = lastWithin(index, overlapping, mostBytes) > last ? overlapping : last;
  }
}

/** The frame after the last one that still fits together with those from `first` on; never `first` itself. */
function lastWithin(
  { byteOffset, frameCount }: Mp3Index,
  first: number,
  mostBytes: number,
): number {
  let low = first + 1;
  let high = frameCount;
  const limit = byteOffset(first) + mostBytes;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (byteOffset(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
