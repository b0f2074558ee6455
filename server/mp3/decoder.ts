/** Decodes MP3 frames so that every frame yields exactly its number of samples. */
import { MPEGDecoder } from 'mpg123-decoder';
import { samplesOfFrame } from './frame-samples.ts';

/** The channel to decode. A mono recording has the same samples in both. */
export type Channel = 'both' | 'left' | 'right';

/** A decoder for the frames of one file, in order. */
export interface FrameDecoder {
  /**
   * Decodes frames into one array for each of the decoder's channels, as samples of -1..1. A frame that cannot be decoded
   * becomes silence.
   */
  decode(frames: readonly Uint8Array[], into: readonly Float32Array[]): Promise<void>;
  free(): void;
}

/**
 * Creates a decoder. It must receive whole frames of a single version and sample rate, each with its header; every
 * frame then yields its full number of samples, however damaged. Gapless playback is off, since the information frame
 * is never passed in; the caller removes delay and padding.
 */
export async function createFrameDecoder(
  frame: { samplesPerFrame: number },
  channels: readonly Channel[],
): Promise<FrameDecoder> {
  const { samplesPerFrame } = frame;
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  let broken = false;
  /** Decodes a frame to a place of the arrays, and returns whether it yielded its samples. */
  const decodeOne = (frame: Uint8Array, into: readonly Float32Array[], at: number): boolean => {
    try {
      const samples = samplesOfFrame(decoder, frame, samplesPerFrame);
      if (!samples) return false;
      for (const [number, channel] of channels.entries()) {
        const track = into[number]!;
        if (channel === 'both') mix(samples.left, samples.right, track, at);
        else track.set(samples[channel], at);
        clip(track, at, at + samplesPerFrame);
      }
      return true;
    } catch {
      // The WebAssembly code trapped, so its state is lost.
      return false;
    }
  };
  return {
    async decode(frames, into) {
      for (const [number, frame] of frames.entries()) {
        if (broken) await decoder.reset();
        const at = number * samplesPerFrame;
        // Any other number of samples would shift everything after it, so the decoder is replaced.
        broken = !decodeOne(frame, into, at);
        if (broken) for (const track of into) track.fill(0, at, at + samplesPerFrame);
      }
    },
    free: () => decoder.free(),
  };
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
