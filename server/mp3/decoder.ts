/** Decodes MP3 frames so that every frame yields exactly its number of samples. */
import { MPEGDecoder } from 'mpg123-decoder';
import type { Mp3Index } from './frames.ts';

/** The channel to decode. A mono recording has the same samples in both. */
export type Channel = 'both' | 'left' | 'right';

/** A decoder for the frames of one file, in order. */
export interface FrameDecoder {
  /** Decodes frames into `samples`, from one channel or both mixed. A frame that cannot be decoded becomes silence. */
  decode(frames: readonly Uint8Array[], samples: Float32Array): Promise<void>;
  free(): void;
}

/**
 * Creates a decoder. It must receive whole frames of a single version and sample rate, each with its header; every
 * frame then yields its full number of samples, however damaged. Gapless playback is off, since the information frame
 * is never passed in; the caller removes delay and padding.
 */
export async function createFrameDecoder(
  index: Pick<Mp3Index, 'samplesPerFrame'>,
  channel: Channel = 'both',
): Promise<FrameDecoder> {
  const { samplesPerFrame } = index;
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  let broken = false;
  /** Decodes a frame, and returns whether it yielded its samples. */
  const decodeOne = (frame: Uint8Array, into: Float32Array): boolean => {
    try {
      const { channelData, samplesDecoded } = decoder.decode(frame);
      const [left, right] = channelData;
      if (!left || !right || samplesDecoded !== samplesPerFrame) return false;
      if (channel === 'both') mix(left, right, into);
      else into.set(channel === 'left' ? left : right);
      return true;
    } catch {
      // The WebAssembly code trapped, so its state is lost.
      return false;
    }
  };
  return {
    async decode(frames, samples) {
      for (const [at, frame] of frames.entries()) {
        if (broken) await decoder.reset();
        const into = samples.subarray(at * samplesPerFrame, (at + 1) * samplesPerFrame);
        // Any other number of samples would shift everything after it, so the decoder is replaced.
        broken = !decodeOne(frame, into);
        if (broken) into.fill(0);
      }
    },
    free: () => decoder.free(),
  };
}

/** Averages two channels. Mono arrives as two equal channels and stays unchanged. */
function mix(left: Float32Array, right: Float32Array, into: Float32Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (left[i]! + right[i]!) / 2;
}
