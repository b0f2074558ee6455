/**
 * Prepares the files of a Whisper model as they are published: the graphs are changed to do the same in less time, and
 * the weights stay where they are in the files.
 */
import { readOnnxModel, writeOnnxModel } from './onnx-graph.ts';
import { withGrowingCache, withSharedCache } from './shared-cache.ts';
import { withFusedAttention } from './attention.ts';
import { withAttentionOutput } from './attention-output.ts';
import { modelWithoutWeights } from './external-weights.ts';
import { withTwoPassLogits, withBatchedLogits } from './logits.ts';
import { quantisedEmbedding } from './quantised-embedding.ts';
import { splitDecoder } from './split-decoder.ts';

/** A graph for onnxruntime, and the folder of the file that has its weights. */
interface PreparedGraph {
  model: Uint8Array;
  folder: string;
}

/**
 * Prepares a decoder: `sound` makes inputs of `step` from the encoder's outputs, once for each window (null if nothing
 * depends on the audio alone), and `step` takes tokens.
 * @throws {Error} if the file cannot be read or is not the decoder of a Whisper model
 */
export async function prepareDecoder(
  path: string,
): Promise<{ sound: PreparedGraph | null; step: PreparedGraph }> {
  const { model, folder } = await modelWithoutWeights(path);
  const published = withAttentionOutput(readOnnxModel(model));
  const plain = withSharedCache(published) ?? withBatchedLogits(withGrowingCache(published));
  const quantised = await quantisedEmbedding(plain, path);
  const graph = quantised ? withTwoPassLogits(plain, quantised) : plain;
  const parts = splitDecoder(graph);
  return {
    sound: parts && { model: writeOnnxModel(parts.sound), folder },
    step: { model: writeOnnxModel(parts?.step ?? graph), folder },
  };
}

/**
 * Prepares an encoder.
 * @throws {Error} if the file cannot be read
 */
export async function prepareEncoder(path: string): Promise<PreparedGraph> {
  const { model, folder } = await modelWithoutWeights(path);
  return { model: writeOnnxModel(withFusedAttention(readOnnxModel(model))), folder };
}
