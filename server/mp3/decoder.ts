/** Decodes MP3 frames so that every frame yields exactly its number of samples. */
import { MPEGDecoder } from 'mpg123-decoder';

/** The channel to decode. A mono recording has the same samples in both. */
export type Channel = 'both' | 'left' | 'right';

/** A decoder for the frames of one file, in order. */
export type FrameDecoder = Awaited<ReturnType<typeof createFrameDecoder>>;

/**
 * Creates a decoder. It must receive whole frames of a single version and sample rate, each with its header; every
 * frame then yields its full number of samples, however damaged. Gapless playback is off, since the information frame
 * is never passed in; the caller removes delay and padding.
 */
export async function createFrameDecoder(
  frame: { samplesPerFrame: number },
  channels: readonly Channel[],
) {
  const { samplesPerFrame } = frame;
  const decoder = idle.pop() ?? (await newDecoder());
  let state: FrameState = 'decoded';
  /** Decodes a frame to a place of the arrays. */
  const decodeOne = (frame: Uint8Array, into: readonly Float32Array[], at: number): FrameState => {
    try {
      const samples = samplesOfFrame(decoder, frame, samplesPerFrame);
      if (!samples) return 'astray';
      for (const [number, channel] of channels.entries()) {
        const track = into[number]!;
        if (channel === 'both') mix(samples.left, samples.right, track, at);
        else track.set(samples[channel], at);
        clip(track, at, at + samplesPerFrame);
      }
      return 'decoded';
    } catch {
      return 'trapped';
    }
  };
  return {
    /**
     * Decodes frames into one array for each of the decoder's channels, as samples of -1..1. A frame that cannot be decoded
     * becomes silence.
     */
    async decode(frames: readonly Uint8Array[], into: readonly Float32Array[]): Promise<void> {
      for (const [number, frame] of frames.entries()) {
        if (state === 'trapped' || (state === 'astray' && !restored(decoder)))
          await decoder.reset();
        const at = number * samplesPerFrame;
        // Any other number of samples would shift everything after it, so decoding begins anew behind it.
        state = decodeOne(frame, into, at);
        if (state !== 'decoded') for (const track of into) track.fill(0, at, at + samplesPerFrame);
      }
    },
    free(): void {
      if (idle.length < MOST_IDLE && state !== 'trapped' && restored(decoder)) idle.push(decoder);
      else decoder.free();
    },
  };
}

/** What became of a frame: it had another number of samples, or the WebAssembly code trapped, so its state is lost. */
type FrameState = 'decoded' | 'astray' | 'trapped';

/**
 * Decoders without a file, for the next ones: each that is made has a memory of WebAssembly, for which everything may be
 * collected that the thread has loaded.
 */
const idle: MPEGDecoder[] = [];
/** The most that wait. */
const MOST_IDLE = 4;

async function newDecoder(): Promise<MPEGDecoder> {
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  image ??= memoryOf(decoder)?.slice(0, CHANGED) ?? null;
  return decoder;
}

/** The beginning of a decoder's memory before its first frame: all that it changes, by far. */
let image: Uint8Array | null = null;
const CHANGED = 2 ** 21;

function memoryOf(decoder: MPEGDecoder): Uint8Array | null {
  const inside = internalsOf(decoder);
  return inside && new Uint8Array(inside._common.wasm.HEAP);
}

/** Makes a decoder forget its file. False if the installed version of the library has other internals. */
function restored(decoder: MPEGDecoder): boolean {
  const memory = memoryOf(decoder);
  if (!image || !memory) return false;
  memory.set(image);
  return true;
}

/** Averages two channels. Mono arrives as two equal channels and stays unchanged. */
function mix(left: Float32Array, right: Float32Array, into: Float32Array, at: number): void {
  for (let i = 0; i < left.length; i++) into[at + i] = (left[i]! + right[i]!) / 2;
}

/** Limits samples to -1..1: a damaged frame may hold any number, which would drown out the speech around it. */
export function clip(samples: Float32Array, from = 0, to = samples.length): void {
  for (let at = from; at < to; at += 1) {
    const sample = samples[at]!;
    if (!(Math.abs(sample) <= 1)) samples[at] = Math.sign(sample) || 0;
  }
}

/** The samples of a frame. They are valid until the next frame. */
interface FrameSamples {
  left: Float32Array;
  right: Float32Array;
}

/** An array in the decoder's memory, with its address. */
interface MemoryArray<T> {
  ptr: number;
  len: number;
  buf: T;
}

/** The fields of the library's decoder that are used here, as in version 1.0.3; another version may lack them. */
interface Internals {
  _common: {
    wasm: {
      HEAP: ArrayBuffer;
      mpeg_decoder_feed(decoder: number, input: number, length: number): number;
      mpeg_decoder_read(
        decoder: number,
        output: number,
        length: number,
        samples: number,
        rate: number,
        error: number,
      ): number;
    };
  };
  _decoder: number;
  _input: MemoryArray<Uint8Array>;
  _output: MemoryArray<Float32Array>;
  _samplesDecodedPtr: MemoryArray<Uint32Array>;
  _sampleRatePtr: MemoryArray<Uint32Array>;
  _errorStringPtr: MemoryArray<Uint32Array>;
}

/** The result of mpg123 that asks for the next frame (MPG123_NEED_MORE). */
const NEED_MORE = -10;
/** The most reads for a frame: a new format, errors, the samples, and the end. */
const MAX_READS = 8;

/** The decoder's internals; null if the installed version has others. */
export function internalsOf(decoder: MPEGDecoder): Internals | null {
  const inside = decoder as unknown as Partial<Internals>;
  const wasm = inside._common?.wasm;
  const fits =
    typeof wasm?.mpeg_decoder_feed === 'function' &&
    typeof wasm.mpeg_decoder_read === 'function' &&
    wasm.HEAP instanceof ArrayBuffer &&
    typeof inside._decoder === 'number' &&
    inside._input?.buf instanceof Uint8Array &&
    inside._output?.buf instanceof Float32Array &&
    inside._samplesDecodedPtr?.buf instanceof Uint32Array &&
    typeof inside._sampleRatePtr?.ptr === 'number' &&
    typeof inside._errorStringPtr?.ptr === 'number';
  return fits ? (inside as Internals) : null;
}

/**
 * Decodes a frame. Mono is returned as two equal channels.
 * @returns null if the frame does not yield exactly `expected` samples
 * @throws {Error} if the WebAssembly code traps; the decoder must then be reset
 */
export function samplesOfFrame(
  decoder: MPEGDecoder,
  frame: Uint8Array,
  expected: number,
): FrameSamples | null {
  const inside = internalsOf(decoder);
  return inside && frame.length <= inside._input.len
    ? viewed(inside, frame, expected)
    : copiedSamples(decoder, frame, expected);
}

function viewed(inside: Internals, frame: Uint8Array, expected: number): FrameSamples | null {
  const { _common, _decoder, _input, _output, _samplesDecodedPtr: count } = inside;
  _input.buf.set(frame);
  if (_common.wasm.mpeg_decoder_feed(_decoder, _input.ptr, frame.length) === NEED_MORE) return null;
  let samples = 0;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    count.buf[0] = 0;
    const code = _common.wasm.mpeg_decoder_read(
      _decoder,
      _output.ptr,
      _output.len,
      count.ptr,
      inside._sampleRatePtr.ptr,
      inside._errorStringPtr.ptr,
    );
    samples += count.buf[0];
    if (code !== NEED_MORE) continue;
    if (samples !== expected) return null;
    return {
      left: _output.buf.subarray(0, expected),
      right: _output.buf.subarray(expected, 2 * expected),
    };
  }
  return null;
}

/** Decodes a frame by the library's own method. */
export function copiedSamples(
  decoder: MPEGDecoder,
  frame: Uint8Array,
  expected: number,
): FrameSamples | null {
  const { channelData, samplesDecoded } = decoder.decode(frame);
  const [left, right] = channelData;
  return left && right && samplesDecoded === expected ? { left, right } : null;
}
