/**
 * Decodes one MP3 frame at a time with mpg123-decoder and returns views of the decoder's memory. The library's own
 * method copies all samples twice, which takes a quarter of the time of decoding.
 */
import type { MPEGDecoder } from 'mpg123-decoder';

/** The samples of a frame. They are valid until the next frame. */
export interface FrameSamples {
  left: Float32Array;
  right: Float32Array;
}

/** An array in the decoder's memory, with its address. */
interface Place<T> {
  ptr: number;
  len: number;
  buf: T;
}

/** The fields of the library's decoder that are used here, as in version 1.0.3; another version may lack them. */
interface Internals {
  _common: {
    wasm: {
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
  _input: Place<Uint8Array>;
  _output: Place<Float32Array>;
  _samplesDecodedPtr: Place<Uint32Array>;
  _sampleRatePtr: Place<Uint32Array>;
  _errorStringPtr: Place<Uint32Array>;
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
    : copied(decoder, frame, expected);
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
export function copied(
  decoder: MPEGDecoder,
  frame: Uint8Array,
  expected: number,
): FrameSamples | null {
  const { channelData, samplesDecoded } = decoder.decode(frame);
  const [left, right] = channelData;
  return left && right && samplesDecoded === expected ? { left, right } : null;
}
