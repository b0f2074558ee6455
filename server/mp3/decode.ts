/** Decodes a range of an MP3 recording to 16 kHz mono samples, exact to the sample. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Channel, clip, createFrameDecoder } from './decoder.ts';
import { type Mp3Index, unreadable, type AudioSource, abortable } from './frames.ts';
import { parseFrameHeader } from './header.ts';
import {
  createResampler,
  greatestCommonDivisor,
  RESAMPLER_REACH,
  SPEECH_RATE,
} from './resample.ts';

/** The samples of `range` (seconds), 16 kHz, both channels mixed; decoded as by `decodeMono16k`. */
export async function decodeRange(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  signal?: AbortSignal,
): Promise<Float32Array<ArrayBuffer>> {
  const [mixed] = await tracksOf(audio, index, range, ['both'], signal);
  return mixed!;
}

/** The samples of both channels of `range` (seconds), 16 kHz, which are decoded once for both. */
export async function decodeChannels(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  signal?: AbortSignal,
): Promise<{ left: Float32Array; right: Float32Array }> {
  const [left, right] = await tracksOf(audio, index, range, ['left', 'right'], signal);
  return { left: left!, right: right! };
}

async function tracksOf(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  channels: readonly Channel[],
  signal: AbortSignal | undefined,
): Promise<Float32Array<ArrayBuffer>[]> {
  const length = Math.max(0, Math.ceil((range.end - range.start) * SPEECH_RATE));
  const tracks = channels.map(() => new Float32Array(length));
  let count = 0;
  for await (const blocks of decodeTracks16k(audio, index, range, channels, signal)) {
    for (const [at, block] of blocks.entries())
      tracks[at]!.set(block.subarray(0, length - count), count);
    count = Math.min(length, count + blocks[0]!.length);
  }
  return tracks.map((track) => track.subarray(0, count));
}

/**
 * The number of frames that are decoded before a range and discarded. A frame may need up to 511 bytes of the frames
 * before it (the bit reservoir; 24 frames at 8 kbit/s), and the filters' memory needs two more.
 */
const PREROLL_FRAMES = 32;

/** The number of frames decoded together: about a second. */
const FRAMES_AT_ONCE = 32;

/** The longest continuous work before other tasks of the thread get their turn, in milliseconds. */
const TURN_MILLISECONDS = 25;

/**
 * Decodes `range` (seconds; time 0 is the first real sample) and yields 16 kHz mono samples, -1..1, in blocks of about
 * a second: round((min(end, duration) - start) × 16000) samples in all. Ranges decoded separately join seamlessly.
 * Broken frames become silence of the same length. Throws StageFailure `audio_unreadable` for free format; rejects with
 * the signal's reason on abort.
 */
export async function* decodeMono16k(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  signal?: AbortSignal,
  channel: Channel = 'both',
): AsyncGenerator<Float32Array, void, undefined> {
  for await (const [block] of decodeTracks16k(audio, index, range, [channel], signal)) {
    if (block) yield block;
  }
}

/** Decodes `range` as `decodeMono16k` does, several channels at a time, and yields a block of each. */
async function* decodeTracks16k(
  audio: AudioSource,
  index: Mp3Index,
  range: { start: number; end: number },
  channels: readonly Channel[],
  signal?: AbortSignal,
): AsyncGenerator<Float32Array[], void, undefined> {
  signal?.throwIfAborted();
  if (index.freeFormatLength !== null) {
    throw unreadable('The recording is a free-format MP3, which this service cannot decode.');
  }
  const plan = planStretch(index, range);
  const resamplers = channels.map(() => createResampler(index.sampleRate));
  let skip = plan.skipOutput;
  let left = plan.outputSamples;
  for await (const blocks of inputBlocks(audio, index, plan, channels, signal)) {
    const outputs = blocks.map((block, at) => resamplers[at]!.push(block));
    // A filter overshoots next to the loudest samples.
    for (const output of outputs) clip(output);
    const length = outputs[0]!.length;
    const from = Math.min(skip, length);
    const to = Math.min(length, from + left);
    skip -= from;
    left -= to - from;
    if (to > from) yield outputs.map((output) => output.subarray(from, to));
    if (left === 0) return;
  }
}

/** The input samples needed for an output range, in samples. */
interface ResamplerInput {
  /** The first sample of the recording (at its own rate, without delay) passed to the resampler. */
  inputStart: number;
  /** The sample after the last one passed to the resampler. */
  inputEnd: number;
  /** The 16 kHz samples to drop at the start. */
  skipOutput: number;
  outputSamples: number;
}

/**
 * Plans the input for a range. The resampler aligns its first output sample with its first input sample, so it has to
 * start where both rates have a sample: every 441 input samples (160 output samples) at 44.1 kHz.
 */
function planStretch(index: Mp3Index, range: { start: number; end: number }): ResamplerInput {
  const rate = index.sampleRate;
  const start = Math.max(0, range.start);
  const seconds = Math.max(0, Math.min(range.end, index.duration) - start);
  const outputSamples = Math.round(seconds * SPEECH_RATE);
  const outputStart = Math.round(start * SPEECH_RATE);
  const divisor = greatestCommonDivisor(rate, SPEECH_RATE);
  const inputStep = rate / divisor;
  const outputStep = SPEECH_RATE / divisor;
  const reach = rate === SPEECH_RATE ? 0 : RESAMPLER_REACH;
  const aligned = Math.floor((outputStart * rate) / SPEECH_RATE - reach);
  const steps = Math.max(0, Math.floor(aligned / inputStep));
  return {
    inputStart: steps * inputStep,
    inputEnd: Math.ceil(((outputStart + outputSamples) * rate) / SPEECH_RATE) + reach,
    skipOutput: outputStart - steps * outputStep,
    outputSamples,
  };
}

/** The samples inputStart..inputEnd in blocks of about a second, followed by zeros without end to flush the resampler. */
async function* inputBlocks(
  audio: AudioSource,
  index: Mp3Index,
  stretch: ResamplerInput,
  channels: readonly Channel[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Float32Array[], void, undefined> {
  if (stretch.outputSamples === 0) return;
  const trueSamples = Math.round(index.duration * index.sampleRate);
  const audible = Math.min(stretch.inputEnd, trueSamples) - stretch.inputStart;
  const first = stretch.inputStart + index.delaySamples;
  const range = { start: first, end: first + audible };
  for await (const samples of decodedSamples(audio, index, range, channels, signal)) {
    yield samples;
  }
  const zeros = new Float32Array(index.sampleRate);
  while (true) yield channels.map(() => zeros);
}

/**
 * The decoded samples `start`..`end`, counted from the first sample of frame 0, in blocks that are valid until the next
 * one.
 */
async function* decodedSamples(
  audio: AudioSource,
  index: Mp3Index,
  { start, end }: { start: number; end: number },
  channels: readonly Channel[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Float32Array[], void, undefined> {
  if (end <= start) return;
  const { samplesPerFrame } = index;
  const decoder = await createFrameDecoder(index, channels);
  try {
    const wanted = Math.floor(start / samplesPerFrame);
    const first = Math.max(0, wanted - PREROLL_FRAMES);
    const behind = Math.min(index.frameCount, Math.ceil(end / samplesPerFrame));
    const blocks = channels.map(() => new Float32Array(FRAMES_AT_ONCE * samplesPerFrame));
    let turn = performance.now();
    let number = first;
    for await (const frames of frameBytes(audio, index, first, behind, signal)) {
      await decoder.decode(frames, blocks);
      const offset = number * samplesPerFrame;
      number += frames.length;
      if (number * samplesPerFrame > start) {
        const from = Math.max(0, start - offset);
        const to = Math.min(frames.length * samplesPerFrame, Math.max(0, end - offset));
        yield blocks.map((block) => block.subarray(from, to));
      }
      if (performance.now() - turn > TURN_MILLISECONDS) {
        await nextTurn();
        signal?.throwIfAborted();
        turn = performance.now();
      }
    }
  } finally {
    decoder.free();
  }
}

/** The bytes of the frames first..behind - 1, several at a time, each of full length; missing bytes are zeros. */
async function* frameBytes(
  audio: AudioSource,
  index: Mp3Index,
  first: number,
  behind: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array[], void, undefined> {
  const start = index.byteOffset(first);
  const end = index.byteOffset(behind);
  const reader = new ForwardReader(abortable(audio.read({ start, end }), signal), start);
  try {
    for (let from = first; from < behind; from += FRAMES_AT_ONCE) {
      const to = Math.min(behind, from + FRAMES_AT_ONCE);
      const base = index.byteOffset(from);
      const bytes = await reader.slice(base, index.byteOffset(to));
      const frames: Uint8Array[] = [];
      for (let number = from; number < to; number += 1) {
        const own = bytes.subarray(
          index.byteOffset(number) - base,
          index.byteOffset(number + 1) - base,
        );
        frames.push(wholeFrame(own));
      }
      yield frames;
    }
  } finally {
    await reader.close();
  }
}

/** A frame with the length that its header states: without the garbage behind it, or with zeros for missing bytes. */
function wholeFrame(bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(parseFrameHeader(bytes, 0)?.length ?? 0);
  frame.set(bytes.subarray(0, frame.length));
  return frame;
}

/** Reads ranges of a stream of chunks by offset, in forward order only. */
class ForwardReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private bytes: Uint8Array = new Uint8Array(0);
  private base: number;

  /** `chunks` are the bytes of the file from offset `start` on. */
  constructor(chunks: AsyncIterable<Uint8Array>, start: number) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.base = start;
  }

  /**
   * The bytes from `start` up to `end`, or fewer if the stream ends; earlier bytes are discarded. The result is valid
   * until the next call.
   */
  async slice(start: number, end: number): Promise<Uint8Array> {
    while (this.base + this.bytes.length < end && (await this.more(start)));
    return this.bytes.subarray(Math.max(0, start - this.base), Math.max(0, end - this.base));
  }

  /** Closes the stream. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private async more(start: number): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done) return false;
    const passed = Math.min(this.bytes.length, Math.max(0, start - this.base));
    const kept = this.bytes.subarray(passed);
    this.base += passed;
    const joined = new Uint8Array(kept.length + next.value.length);
    joined.set(kept);
    joined.set(next.value, kept.length);
    this.bytes = joined;
    return true;
  }
}
