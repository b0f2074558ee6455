/** One MP3 frame in, its samples out: always as many as a frame has. */
import { MPEGDecoder } from 'mpg123-decoder';
import type { Mp3Index } from './frames.ts';

/** A decoder for the frames of one file, in order. */
export interface FrameDecoder {
  /** The frame's samples, both channels mixed; silence where it cannot be decoded. */
  decode(frame: Uint8Array): Promise<Float32Array>;
  free(): void;
}

/**
 * Makes a decoder. It is given whole frames of one version and sample rate only, each with its header:
 * then it gives the samples of a frame for a frame, whatever is broken inside. Gapless is off since the
 * information frame is never fed; delay and padding are cut by whoever counts samples.
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
        // A trap in the WebAssembly code: its state is lost, the frame is silence.
      }
      // Anything but one frame for one frame would shift all that follows: start anew.
      broken = true;
      return new Float32Array(samplesPerFrame);
    },
    free: () => decoder.free(),
  };
}

/** The average of two channels, in place. Mono comes as two equal channels, and stays as it is. */
function mix(left: Float32Array, right: Float32Array): Float32Array {
  for (let i = 0; i < left.length; i++) left[i] = ((left[i] ?? 0) + (right[i] ?? 0)) / 2;
  return left;
}
