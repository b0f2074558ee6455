/** Whisper’s encoder, which reads a window of audio once, for all steps of the decoder. */
import type { Session, EncodedSound, Tensor, TensorMaker } from './model/decoder.ts';
import { HOP, type MakeSpectrogram, spectrograms } from './model/mel.ts';
import { loudnessOf } from './search/place-words.ts';

/** The possible numbers of bands: 128 since large-v3. */
const BANDS = [80, 128];

/** A window that the encoder has read. */
interface EncodedWindow extends EncodedSound {
  /** The loudness of each 10 ms of its samples. */
  loudness: Float32Array;
}

/** The parts of an encoder. */
export interface EncoderParts {
  encoder: Session;
  /** Computes the inputs of each decoder step from the encoder's outputs. */
  prepare(encoded: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  tensors: TensorMaker;
}

/**
 * Creates an encoder for windows of `melFrames` frames; the first window shows how many bands the model expects.
 * @param melFrames the frames of its input; shorter audio is followed by silence
 */
export function createEncoder(
  { encoder, prepare, tensors }: EncoderParts,
  melFrames: number,
): (samples: Float32Array) => Promise<EncodedWindow> {
  let makeSpectrogram: MakeSpectrogram | null = null;

  const run = async (samples: Float32Array, make: MakeSpectrogram) => {
    const spectrogram = make(samples, melFrames);
    const { values, bands, frames } = spectrogram;
    const out = await encoder.run({ mel: tensors.floats(values, [1, bands, frames]) });
    const [layers = 0, , , width = 0] = out['n_layer_cross_k']!.dims;
    const loudness = loudnessOf(spectrogram, Math.floor(samples.length / HOP));
    return { inputs: await prepare(out), layers, width, loudness };
  };

  return async (samples) => {
    if (makeSpectrogram) return run(samples, makeSpectrogram);
    let failure: unknown;
    for (const bands of BANDS) {
      const make = spectrograms(bands);
      try {
        const encoded = await run(samples, make);
        makeSpectrogram = make;
        return encoded;
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  };
}
