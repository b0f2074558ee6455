/**
 * Prepares the files of a Whisper model as they are published: the graphs are changed to do the same in less time, and
 * the weights stay where they are in the files.
 */
import { withAttentionOutput } from './attention-output.ts';
import { splitDecoder } from './divide.ts';
import { modelWithoutWeights } from './external-weights.ts';
import { withFusedAttention } from './fused-attention.ts';
import { readModel, writeModel } from './onnx-graph.ts';
import { withGrowingCache, withSharedCache } from './shared-cache.ts';
import { quantisedEmbedding, withBatchedLogits, withTwoPassLogits } from './two-pass-logits.ts';

/** A graph for onnxruntime, and the folder of the file that has its weights. */
export interface PreparedGraph {
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
  const published = withAttentionOutput(readModel(model));
  const plain = withSharedCache(published) ?? withBatchedLogits(withGrowingCache(published));
  const quantised = await quantisedEmbedding(plain, path);
  const graph = quantised ? withTwoPassLogits(plain, quantised) : plain;
  const parts = splitDecoder(graph);
  return {
    sound: parts && { model: writeModel(parts.sound), folder },
    step: { model: writeModel(parts?.step ?? graph), folder },
  };
}

/**
 * Prepares an encoder.
 * @throws {Error} if the file cannot be read
 */
export async function prepareEncoder(path: string): Promise<PreparedGraph> {
  const { model, folder } = await modelWithoutWeights(path);
  return { model: writeModel(withFusedAttention(readModel(model))), folder };
}
