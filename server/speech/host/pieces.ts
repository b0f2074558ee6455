/** Divides a recording into pieces of about a given number of bytes, cut at pauses. */
import { uncounted, type Compute } from '../../compute.ts';
import { decodeRange } from '../../mp3/decode.ts';
import { type Mp3Index, indexMp3, type AudioSource } from '../../mp3/frames.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type { Piece } from '../provider.ts';
import type { FindSpeech } from './voice-activity.ts';
import { OVERLAP } from './windows.ts';

/** The distance, in seconds, within which a pause is searched on either side of a piece's intended end. */
const SEARCH = 15;
/** The shortest pause at which to cut, in seconds. */
const PAUSE = 0.3;
/** A last piece shorter than this share of the others is added to the previous one. */
const SHORT_TAIL = 0.25;
/** The least time between the ends of two pieces, in seconds. */
const SHORTEST = 1;
/**
 * The length of the first of several pieces in seconds. It is short because its words are the first that anybody sees.
 */
const FIRST = 20;

/** The place where one portion of a plan ends and the next continues. Plain JSON. */
export interface PlanPlace {
  /** The number of the next piece, and the second at which it begins. */
  index: number;
  start: number;
  /** The end of the last piece, in seconds. */
  end: number;
}

/** The portion of a plan to make: where to start (default: at the beginning), and the most pieces (default: all). */
interface Portion {
  from?: PlanPlace | undefined;
  most?: number | undefined;
}

/**
 * Plans pieces of about `chunkBytes`. Each ends in the middle of a pause near its intended end. If there is none, the
 * next piece begins OVERLAP seconds earlier, and the two are joined by the words they share. Every piece begins after
 * the previous one began, and ends after that one's end.
 * @returns the pieces, and the place where the next portion begins unless this is the last
 */
export async function planPieces(
  audio: AudioSource,
  index: Mp3Index,
  chunkBytes: number,
  findSpeech: FindSpeech,
  signal: AbortSignal,
  compute = uncounted,
  { from, most = Number.POSITIVE_INFINITY }: Portion = {},
): Promise<{ pieces: Piece[]; next?: PlanPlace }> {
  const pieces: Piece[] = [];
  const first = from?.index ?? 0;
  let start = from?.start ?? 0;
  let end = from?.end ?? 0;
  while (true) {
    if (pieces.length >= most)
      return { pieces, next: { index: first + pieces.length, start, end } };
    const next = nextBound(index, start, chunkBytes);
    if (next === null) break;
    const isLongFirst = first + pieces.length === 0 && next > 2 * FIRST;
    // A damaged stretch between two frames can be longer than a piece, and contains no audio to cut.
    const bound = Math.max(isLongFirst ? FIRST : next, end + SHORTEST);
    const cut = await findCut(audio, index, { after: end, bound }, findSpeech, signal, compute);
    if (cut.end >= index.duration) break;
    pieces.push({ index: first + pieces.length, start, end: cut.end });
    start = cut.next;
    end = cut.end;
  }
  pieces.push({ index: first + pieces.length, start, end: index.duration });
  return { pieces };
}

/** The end of a piece of `chunkBytes` that begins at `from`; null if it is the last. */
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
  // At a high bitrate a piece may last only a few seconds, so the pause has to be closer.
  const search = Math.min(SEARCH, (bound - after) / 2);
  const from = bound - search;
  const to = Math.min(index.duration, bound + search);
  const samples = await compute(() => decodeRange(audio, index, { start: from, end: to }, signal));
  const speech = await findSpeech(samples, signal);
  const length = samples.length / SPEECH_RATE;
  const pauses = [0, ...speech.map(({ end }) => end)].map((start, at) => ({
    start,
    end: speech[at]?.start ?? length,
  }));
  const target = bound - from;
  const [best] = pauses
    .filter((pause) => pause.end - pause.start >= PAUSE)
    .map((pause) => {
      // In a long silence, the intended end is as good as the middle.
      const middle = (pause.start + pause.end) / 2;
      const at = Math.min(Math.max(target, pause.start + PAUSE / 2), pause.end - PAUSE / 2);
      const moment = pause.end - pause.start > 2 ? at : middle;
      // One second of pause outweighs five seconds of distance.
      const worth = 5 * Math.min(2, pause.end - pause.start) - Math.abs(moment - target);
      return { moment, worth };
    })
    .toSorted((a, b) => b.worth - a.worth);
  if (best) return { end: from + best.moment, next: from + best.moment };
  const overlap = Math.min(OVERLAP, search);
  return { end: bound + overlap / 2, next: bound - overlap / 2 };
}

// Keeps the indexes of recordings between the pieces of their runs.

/** The number of indexes kept between the pieces of runs; each takes 3 MB for seven hours of recording. */
const KEPT_INDEXES = 8;

/**
 * Caches indexes by the name that a plan gives its recording. Each is built once per run, and again if another process
 * continues the run.
 */
export function createIndexCache() {
  const indexes = new Map<string, Promise<Mp3Index>>();
  return (
    recording: string,
    audio: AudioSource,
    signal: AbortSignal,
    compute: Compute,
  ): Promise<Mp3Index> => {
    const known = indexes.get(recording);
    if (known) return known;
    const made = compute(() => indexMp3(audio, signal));
    indexes.set(recording, made);
    made.catch(() => indexes.delete(recording));
    for (const oldest of indexes.keys()) {
      if (indexes.size <= KEPT_INDEXES) break;
      indexes.delete(oldest);
    }
    return made;
  };
}
