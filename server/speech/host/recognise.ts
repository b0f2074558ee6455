/** Recognises a stretch of a recording: decodes it, finds speech, recognises windows, and joins their words. */
import { uncounted, type Compute } from '../../base/compute.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import { decodeMono16k } from '../../mp3/decode.ts';
import type { Channel } from '../../mp3/decoder.ts';
import type { Mp3Index, AudioSource } from '../../mp3/frames.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { joinStretches, type TranscribedStretch, createFinalWords } from '../seams.ts';
import type { SpeechSegment } from './engine-messages.ts';
import { OVERLAP, packWindows, type FindSpeech } from './pieces.ts';
import { dropLoops, dropOutsideSpeech } from './words.ts';

/** The audio held in memory at once, in seconds; five minutes take 19 MB. */
const BLOCK_SECONDS = 300;
/**
 * Segments closer than this, in seconds, are one run of speech, because the detector also cuts long speech where there
 * is no silence.
 */
const NEAR_END = 0.1;
const NEAR_BLOCK_END = 1;
/** A block begins so many seconds before its first speech, so that no initial sound is lost. */
const BEFORE_SPEECH = 0.3;

/** Recognises the samples of a window; returns words with times in seconds of the recording. */
export type RecognizeWindow = (
  samples: Float32Array,
  window: SpeechSegment,
  signal: AbortSignal,
) => Promise<TranscriptWord[]>;

export interface Recogniser {
  findSpeech: FindSpeech;
  recognize: RecognizeWindow;
  /** The longest window in seconds, if it is shorter than the models allow. */
  longestWindow?: number | undefined;
}

export interface RecogniseRequest {
  audio: AudioSource;
  index: Mp3Index;
  /** The stretch, in seconds of the recording. */
  range: { start: number; end: number };
  /** Default: both, mixed. */
  channel?: Channel;
  signal: AbortSignal;
  progress(fraction: number): void;
  /** Called with words in order of time, once no later window can change them. */
  heard?: ((words: TranscriptWord[]) => void) | undefined;
  /** Called at the end with the number of words that were removed as impossible, and the speech that was detected. */
  concluded?(dropped: number, speech: readonly SpeechSegment[]): void;
  /** Runs the computations of this process. */
  compute?: Compute;
}

/** Recognises a stretch block by block, with constant memory, and returns its words in order. */
export async function recognise(
  recogniser: Recogniser,
  request: RecogniseRequest,
): Promise<TranscriptWord[]> {
  const { range, progress, compute = uncounted } = request;
  // The first window that fails ends the others, since a retry would repeat them anyway.
  const failing = new AbortController();
  const signal = AbortSignal.any([request.signal, failing.signal]);
  const stretches: TranscribedStretch[] = [];
  const heard: SpeechSegment[] = [];
  const total = range.end - range.start;
  const addWindow = createFinalWords((words) => {
    const sure = guardWords(words, heard);
    if (sure.length > 0) request.heard?.(sure);
  });
  let count = 0;
  for await (const block of blocks(recogniser, request)) {
    heard.push(...block.segments.map((segment) => shifted(segment, block.start)));
    const windows = packWindows(
      block.segments,
      block.samples.length / SPEECH_RATE,
      recogniser.longestWindow,
    );
    let done = 0;
    const first = count;
    count += windows.length;
    stretches.push(
      ...(await Promise.all(
        windows.map(async (window, at): Promise<TranscribedStretch> => {
          const samples = block.samples.subarray(
            Math.round(window.start * SPEECH_RATE),
            Math.round(window.end * SPEECH_RATE),
          );
          const stretch = shifted(window, block.start);
          const words = await recogniser
            .recognize(samples, stretch, signal)
            .catch((error: unknown) => {
              failing.abort(error);
              throw error;
            });
          done += window.end - window.start;
          progress((block.start - range.start + Math.min(window.end, done)) / total);
          const until = (windows[at + 1]?.start ?? block.rest) + block.start;
          addWindow(first + at, { ...stretch, words, until });
          return { ...stretch, words };
        }),
      )),
    );
  }
  progress(1);
  return compute(() => {
    const joined = joinStretches(stretches);
    const guarded = guardWords(joined, heard);
    request.concluded?.(joined.length - guarded.length, heard);
    return guarded;
  });
}

interface Block {
  /** The start, in seconds of the recording. */
  start: number;
  samples: Float32Array;
  segments: SpeechSegment[];
  /** The place where the next block begins, in seconds from the start of this one; infinite for the last. */
  rest: number;
}

const shifted = ({ start, end }: SpeechSegment, by: number): SpeechSegment => ({
  start: start + by,
  end: end + by,
});

/**
 * Divides the stretch into blocks that end in silence. Speech that extends beyond the end of a block moves to the next
 * block as a whole.
 */
async function* blocks(
  { findSpeech }: Recogniser,
  { audio, index, range, signal, channel, compute = uncounted }: RecogniseRequest,
): AsyncIterable<Block> {
  let held: Float32Array[] = [];
  let count = 0;
  let start = range.start;

  const cut = async (last: boolean): Promise<Block | null> => {
    const samples = joined(held, count);
    const segments = samples.length > 0 ? await findSpeech(samples, signal) : [];
    const length = samples.length / SPEECH_RATE;
    const until = last ? length : blockEnd(segments, length);
    const block = {
      start,
      samples,
      // Speech that begins after the cut belongs to the next block.
      segments: segments.filter((segment) => segment.start < until),
      rest: last ? Number.POSITIVE_INFINITY : until,
    };
    const rest = samples.slice(Math.round(until * SPEECH_RATE));
    held = [rest];
    count = rest.length;
    start += (samples.length - rest.length) / SPEECH_RATE;
    return block.segments.length > 0 ? block : null;
  };

  const decoded = decodeMono16k(audio, index, range, signal, channel);
  /**
   * Decodes a block, and returns whether the range is finished. Only decoding computes in this process; recognition
   * runs in another.
   */
  const fill = async (): Promise<boolean> => {
    while (count < BLOCK_SECONDS * SPEECH_RATE) {
      const { done, value } = await decoded.next();
      if (done) return true;
      held.push(value);
      count += value.length;
    }
    return false;
  };
  try {
    for (let over = false; !over;) {
      over = await compute(fill);
      const block = await cut(over);
      if (block) yield block;
    }
  } finally {
    await decoded.return();
  }
}

/**
 * The place to cut a block, in seconds: before the speech that extends beyond its end. If that speech fills half of the
 * block, the cut is near the end, and the next block repeats the end of this one.
 */
function blockEnd(segments: readonly SpeechSegment[], length: number): number {
  let start = length;
  for (const segment of segments.toReversed()) {
    // The end of the block may itself be in a short pause of the speech.
    const near = start === length ? NEAR_BLOCK_END : NEAR_END;
    if (start - segment.end > near) break;
    start = segment.start;
  }
  if (start > length / 2) return Math.max(0, start - BEFORE_SPEECH);
  return length - OVERLAP;
}

function joined(parts: readonly Float32Array[], count: number): Float32Array {
  const whole = new Float32Array(count);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * The most words in two seconds. Short words in a row reach seven a second in ordinary speech, and the fastest speakers
 * on record reach eleven; an engine that floods writes dozens.
 */
const MAX_WORDS = 20;

const OVER_SECONDS = 2;

/** Removes words faster than anyone speaks (more than ten a second for two seconds). */
function dropFlood(words: readonly TranscriptWord[]): TranscriptWord[] {
  const out: TranscriptWord[] = [];
  for (const word of words) {
    const before = out.at(-MAX_WORDS);
    if (!before || word.start - before.start >= OVER_SECONDS) out.push(word);
  }
  return out;
}

/** Applies all guards, in order. */
const guardWords = (
  words: readonly TranscriptWord[],
  segments: readonly SpeechSegment[],
): TranscriptWord[] => dropFlood(dropLoops(dropOutsideSpeech(words, segments)));
