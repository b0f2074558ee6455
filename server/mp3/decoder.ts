/** Decodes MP3 frames: every frame gives exactly its number of samples. */
import { MPEGDecoder } from 'mpg123-decoder';
import type { Mp3Index } from './frames.ts';

/** A decoder for the frames of one file, in order. */
export interface FrameDecoder {
  /** The frame's samples, with both channels mixed; silence if it cannot be decoded. */
  decode(frame: Uint8Array): Promise<Float32Array>;
  free(): void;
}

/**
 * Creates a decoder. It must receive whole frames of a single version and sample rate, each with
 * its header; every frame then gives its full number of samples, however damaged. Gapless is off,
 * since the information frame is never passed in; the caller removes delay and padding.
 */
export async function createFrameDecoder(
  index: Pick<Mp3Index, 'samplesPerFrame'>,
): Promise<FrameDecoder> {
  const { samplesPerFrame } = index;
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  let broken = false;
  return {
    async decode(frame) {
      if (broken) {
        await decoder.reset();
        broken = false;
      }
      try {
        const { channelData, samplesDecoded } = decoder.decode(frame);
        const [left, right] = channelData;
        if (left && right && samplesDecoded === samplesPerFrame) return mix(left, right);
      } catch {
        // A trap in the WebAssembly code: its state is lost, and the frame is silence.
      }
      // Any other number of samples would shift everything after it: start anew.
      broken = true;
      return new Float32Array(samplesPerFrame);
    },
    free: () => decoder.free(),
  };
}

/** Averages two channels in place. Mono arrives as two equal channels, and stays unchanged. */
function mix(left: Float32Array, right: Float32Array): Float32Array {
  for (let i = 0; i < left.length; i++) left[i] = ((left[i] ?? 0) + (right[i] ?? 0)) / 2;
  return left;
}
