/** A recording → pieces of about so many bytes, cut where nobody speaks. */
import { uncounted, type Compute } from '../../compute.ts';
import type { AudioSource } from '../../mp3/audio-source.ts';
import type { Piece } from '../provider.ts';
import { decodeMono16k } from '../../mp3/decode.ts';
import type { Mp3Index } from '../../mp3/frames.ts';
import type { FindSpeech } from './voice-activity.ts';
import { OVERLAP } from './windows.ts';

const SAMPLE_RATE = 16_000;
/** A pause is looked for this far to either side of where a piece should end, in seconds. */
const SEARCH = 15;
/** A pause that a cut needs, in seconds. */
const PAUSE = 0.3;
/** A last piece shorter than this part of the others is added to the one before it. */
const SHORT_TAIL = 0.25;
/** A piece ends at least so many seconds behind the one before it. */
const SHORTEST = 1;

/**
 * Plans pieces of about `chunkBytes`. Each ends in the middle of a pause near its bound; where there
 * is none, the next begins OVERLAP seconds earlier, and the join is found in what both heard. Every
 * piece begins after the one before it began and ends after that one's end.
 */
export async function planPieces(
  audio: AudioSource,
  index: Mp3Index,
  chunkBytes: number,
  findSpeech: FindSpeech,
  signal: AbortSignal,
  compute = uncounted,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let start = 0;
  let end = 0;
  while (true) {
    const next = nextBound(index, start, chunkBytes);
    if (next === null) break;
    // Damage between two frames can be longer than a piece: it is no sound, and leaves nothing to cut.
    const bound = Math.max(next, end + SHORTEST);
    const cut = await findCut(audio, index, { after: end, bound }, findSpeech, signal, compute);
    if (cut.end >= index.duration) break;
    pieces.push({ index: pieces.length, start, end: cut.end });
    start = cut.next;
    end = cut.end;
  }
  pieces.push({ index: pieces.length, start, end: index.duration });
  return pieces;
}

/** Where a piece of `chunkBytes` that begins at `from` would end; null where it takes all that is left. */
function nextBound(index: Mp3Index, from: number, chunkBytes: number): number | null {
  const { samplesPerFrame, sampleRate, delaySamples, frameCount, audioEnd } = index;
  let low = index.frameAt(from);
  const wanted = index.byteOffset(low) + chunkBytes;
  if (audioEnd - wanted < chunkBytes * SHORT_TAIL) return null;
  for (let high = frameCount; high - low > 1;) {
    const middle = Math.floor((low + high) / 2);
    if (index.byteOffset(middle) < wanted) low = middle;
    else high = middle;
  }
  return ((low + 1) * samplesPerFrame - delaySamples) / sampleRate;
}

async function findCut(
  audio: AudioSource,
  index: Mp3Index,
  { after, bound }: { after: number; bound: number },
  findSpeech: FindSpeech,
  signal: AbortSignal,
  compute: Compute,
): Promise<{ end: number; next: number }> {
  // At a high bitrate a piece may last seconds: then the pause has to be nearer.
  const search = Math.min(SEARCH, (bound - after) / 2);
  const from = bound - search;
  const to = Math.min(index.duration, bound + search);
  const samples = new Float32Array(
    Math.max(0, Math.round((to - from) * SAMPLE_RATE)) + SAMPLE_RATE,
  );
  let count = 0;
  await compute(async () => {
    for await (const block of decodeMono16k(audio, index, { start: from, end: to }, signal)) {
      samples.set(block, count);
      count += block.length;
    }
  });
  const speech = await findSpeech(samples.subarray(0, count), signal);
  const length = count / SAMPLE_RATE;
  const pauses = [{ start: 0, end: 0 }, ...speech].map((segment, at) => ({
    start: segment.end,
    end: speech[at]?.start ?? length,
  }));
  const target = bound - from;
  const [best] = pauses
    .filter((pause) => pause.end - pause.start >= PAUSE)
    .map((pause) => {
      // In a long silence the bound itself is as good as its middle.
      const middle = (pause.start + pause.end) / 2;
      const at = Math.min(Math.max(target, pause.start + PAUSE / 2), pause.end - PAUSE / 2);
      const moment = pause.end - pause.start > 2 ? at : middle;
      // A second of pause is worth five seconds of distance.
      const worth = 5 * Math.min(2, pause.end - pause.start) - Math.abs(moment - target);
      return { moment, worth };
    })
    .toSorted((a, b) => b.worth - a.worth);
  if (best) return { end: from + best.moment, next: from + best.moment };
  const overlap = Math.min(OVERLAP, search);
  return { end: Math.min(index.duration, bound + overlap / 2), next: bound - overlap / 2 };
}
