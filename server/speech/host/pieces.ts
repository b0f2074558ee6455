/**
 * Finds speech in a recording, divides it into pieces cut at pauses, and packs them into windows for a recogniser. All
 * times are in seconds.
 */
import { uncounted, type Compute } from '../../base/compute.ts';
import { decodeRange } from '../../mp3/decode.ts';
import { type Mp3Index, indexMp3, type AudioSource } from '../../mp3/frames.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type { Piece } from '../provider.ts';
import type { SpeechSegment, EngineModel } from './engine-messages.ts';
import { frameEnergies } from '../../whisper/model/mel.ts';
import type { EnginePool } from './engine-pool.ts';

/** A pause is searched at most so many seconds before and after a piece's intended end. */
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

/** The longest window; the models are made for at most 30 s. */
const LONGEST_WINDOW = 28;
/** A window is closed at the next silence once it has this fraction of the longest one. */
const GOOD_PART = 0.7;
/** The overlap of windows in speech without a silence, so that no word is cut in both. */
export const OVERLAP = 2;
/**
 * The silence included on either side of speech, because voice activity detection cuts off initial and final sounds;
 * faster-whisper includes as much.
 */
const PADDING = 0.4;
/** Segments closer than this are one, because the detector also cuts long speech where there is no silence. */
const TOUCHING = 0.1;

/** A stretch to recognise. It overlaps the previous one if the speech had no silence in which to cut. */
interface Window {
  start: number;
  end: number;
}

/**
 * Packs segments into windows of 20 to 28 s that begin and end in silence; longer speech is cut with an overlap.
 * @param length that of the audio in which the segments are
 * @param longest the longest window, if it must be shorter than 28 s
 */
export function packWindows(
  segments: readonly SpeechSegment[],
  length: number,
  longest = LONGEST_WINDOW,
): Window[] {
  const windows: Window[] = [];
  let open: Window | null = null;
  for (const run of speechRuns(segments, length)) {
    if (open && run.end - open.start <= longest && open.end - open.start < longest * GOOD_PART) {
      open.end = run.end;
      continue;
    }
    if (open) windows.push(open);
    const pieces = cutLong(run, longest);
    windows.push(...pieces.slice(0, -1));
    open = pieces.at(-1) ?? null;
  }
  if (open) windows.push(open);
  return windows;
}

/** The segments with padding, merged if they touch; in a short silence, two paddings meet in the middle. */
function speechRuns(segments: readonly SpeechSegment[], length: number): SpeechSegment[] {
  const joined: SpeechSegment[] = [];
  for (const { start, end } of segments) {
    const last = joined.at(-1);
    if (last && start - last.end < TOUCHING) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined.map(({ start, end }, at) => {
    const before = joined[at - 1];
    const after = joined[at + 1];
    return {
      start: Math.max(0, start - Math.min(PADDING, before ? (start - before.end) / 2 : PADDING)),
      end: Math.min(length, end + Math.min(PADDING, after ? (after.start - end) / 2 : PADDING)),
    };
  });
}

/**
 * Divides a stretch into equal parts of at most `longest`, each beginning OVERLAP before the end of the previous one.
 */
function cutLong({ start, end }: SpeechSegment, longest: number): Window[] {
  const length = end - start;
  if (length <= longest) return [{ start, end }];
  const count = Math.ceil((length - OVERLAP) / (longest - OVERLAP));
  const step = (length - OVERLAP) / count;
  return Array.from({ length: count }, (_, at) => ({
    start: start + at * step,
    end: start + (at + 1) * step + OVERLAP,
  }));
}

const FRAME = 480;
/** Speech is louder than the quietest tenth of the recording by this factor (12 dB). */
const ABOVE_FLOOR = 4;
/** Where the floor is unknown, a pause is quieter than loud sound by this factor (20 dB). */
const BELOW_LOUDEST = 10;
/** The level below which audio is silence (-54 dB). */
const SILENCE = 0.002;
/** Shorter pauses are part of speech, and sounds shorter than MIN_SPEECH are not speech; in seconds. */
const MIN_PAUSE = 0.5;
const MIN_SPEECH = 0.25;
/** The shortest pause in which to cut where everything counts as speech, in seconds. */
const CUT_PAUSE = 0.3;
/** The longest gap left in a pause, in seconds: windows close it by the silence that they include around speech. */
const CLOSED_GAP = 0.4;

/** Finds speech in 16 kHz mono samples, in seconds from the first sample. */
export type FindSpeech = (samples: Float32Array, signal: AbortSignal) => Promise<SpeechSegment[]>;

/** Detection with the Silero model, in a recogniser process. */
export const sileroVoiceActivity =
  (pool: EnginePool, model: EngineModel): FindSpeech =>
  (samples, signal) =>
    pool.findSpeech(model, samples, signal);

/**
 * Treats everything as speech, for singing, which the model does not detect. Pauses only show where to cut: the gaps
 * left in them are short enough for windows to close.
 */
export const everythingAsSpeech: FindSpeech = (samples) => Promise.resolve(cutInPauses(samples));

/** Detection by loudness. It is coarser, but silence and steady noise yield nothing. */
export const loudnessVoiceActivity: FindSpeech = (samples) =>
  Promise.resolve(loudSegments(samples));

/** All samples, divided in the middle of each pause. */
function cutInPauses(samples: Float32Array): SpeechSegment[] {
  const levels = frameLevels(samples);
  const sorted = levels.toSorted();
  const aboveFloor = quietest(sorted, 0.1) * ABOVE_FLOOR;
  const loudest = quietest(sorted, 0.9);
  // Where there is hardly a pause, the quietest tenth is as loud as the rest.
  const threshold = aboveFloor < loudest ? aboveFloor : loudest / BELOW_LOUDEST;
  const loud = loudStretches(levels, threshold, CUT_PAUSE);
  const segments: SpeechSegment[] = [];
  let start = 0;
  for (const [at, { end }] of loud.entries()) {
    const next = loud[at + 1];
    if (!next) break;
    const middle = (end + next.start) / 2;
    const half = Math.min(CLOSED_GAP, next.start - end) / 2;
    segments.push({ start, end: middle - half });
    start = middle + half;
  }
  return [...segments, { start, end: samples.length / SPEECH_RATE }];
}

/** The stretches above the noise floor that are long enough to be speech. */
function loudSegments(samples: Float32Array): SpeechSegment[] {
  const levels = frameLevels(samples);
  const threshold = quietest(levels.toSorted(), 0.1) * ABOVE_FLOOR;
  return loudStretches(levels, threshold, MIN_PAUSE).filter(
    ({ start, end }) => end - start >= MIN_SPEECH,
  );
}

/** The level below which a share of the frames lies. @param sorted the levels of all frames, in ascending order */
const quietest = (sorted: Float32Array, share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;

/** The stretches above a level, and above silence, with pauses of at least `pause` seconds between them. */
function loudStretches(levels: Float32Array, threshold: number, pause: number): SpeechSegment[] {
  const segments: SpeechSegment[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < Math.max(SILENCE, threshold)) continue;
    const start = (at * FRAME) / SPEECH_RATE;
    const last = segments.at(-1);
    if (last && start - last.end < pause) last.end = start + FRAME / SPEECH_RATE;
    else segments.push({ start, end: start + FRAME / SPEECH_RATE });
  }
  return segments;
}

/** The root mean square of each whole frame. */
function frameLevels(samples: Float32Array): Float32Array {
  const whole = frameEnergies(samples, FRAME).subarray(0, Math.floor(samples.length / FRAME));
  return Float32Array.from(whole, (energy) => Math.sqrt(energy / FRAME));
}
