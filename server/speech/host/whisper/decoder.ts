/** Whisper's decoder for one window of audio: takes tokens, and returns logits and attention. */

/** A tensor of onnxruntime. */
export interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** A loaded model of onnxruntime. */
export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** @param outputs tensors to write outputs into; null for an output to make a new one */
  run(
    inputs: Record<string, Tensor>,
    outputs?: Record<string, Tensor | null>,
  ): Promise<Record<string, Tensor>>;
}

/** Creates tensors of onnxruntime. */
export interface TensorMaker {
  floats(values: Float32Array, dims: readonly number[]): Tensor;
  integers(values: readonly number[], dims: readonly number[]): Tensor;
}

/** The encoder's output for a window, which is input to the decoder. */
export interface EncodedSound {
  keys: Tensor;
  values: Tensor;
}

/** The decoder's output for the latest tokens. */
export interface DecoderStep {
  /** The logits after the last token: one value for each token of the vocabulary. */
  logits: Float32Array;
  /** The logits after the first of the tokens. */
  firstLogits: Float32Array;
  /** The attention of the alignment heads for each of the tokens: heads × frames values. */
  attention: Float32Array[];
}

export interface Decoder {
  /** Forgets all tokens. */
  begin(): void;
  /** Takes further tokens; keeps the first `frames` columns of the attention. */
  take(tokens: readonly number[], frames: number): Promise<DecoderStep>;
}

/** The context length of all published Whisper models, in tokens. */
const CONTEXT = 448;

/** The keys and values of the decoder's own tokens. */
interface Cache {
  keys: Tensor;
  values: Tensor;
}

/**
 * The memory of a decoder, which all windows share: each step reads one cache and writes the other. New tensors for
 * each step would be 22 MB for the base model, which the runtime does not count as garbage.
 */
export interface DecoderMemory {
  read: Cache;
  write: Cache;
}

/** Makes the memory for decoding what an encoder returned. */
export function decoderMemory({ floats }: TensorMaker, { keys }: EncodedSound): DecoderMemory {
  const [layers = 0, , , width = 0] = keys.dims;
  const empty = () =>
    floats(new Float32Array(layers * CONTEXT * width), [layers, 1, CONTEXT, width]);
  const cache = (): Cache => ({ keys: empty(), values: empty() });
  return { read: cache(), write: cache() };
}

/** Creates the decoder for a window; only one decoder may use the memory at a time. */
export function createDecoder(
  session: Session,
  tensors: TensorMaker,
  { keys, values }: EncodedSound,
  memory: DecoderMemory,
): Decoder {
  let offset = 0;

  return {
    begin() {
      // Values beyond the offset are never read, so the caches need not be cleared.
      offset = 0;
    },

    async take(tokens, frames) {
      const { read, write } = memory;
      const out = await session.run(
        {
          tokens: tensors.integers(tokens, [1, tokens.length]),
          in_n_layer_self_k_cache: read.keys,
          in_n_layer_self_v_cache: read.values,
          n_layer_cross_k: keys,
          n_layer_cross_v: values,
          offset: tensors.integers([offset], [1]),
        },
        {
          logits: null,
          out_n_layer_self_k_cache: write.keys,
          out_n_layer_self_v_cache: write.values,
          cross_attention_weights: null,
        },
      );
      [memory.read, memory.write] = [write, read];
      offset += tokens.length;
      const logits = out['logits']!;
      const size = logits.dims[2]!;
      const all = logits.data as Float32Array;
      return {
        logits: all.slice((tokens.length - 1) * size),
        firstLogits: all.slice(0, size),
        attention: attentionRows(out['cross_attention_weights']!, frames),
      };
    },
  };
}

/** Converts [1, heads, tokens, T] to one array of heads × frames per token. */
function attentionRows({ data, dims }: Tensor, frames: number): Float32Array[] {
  const [, heads = 0, tokens = 0, length = 0] = dims;
  const all = data as Float32Array;
  return Array.from({ length: tokens }, (_, token) => {
    const row = new Float32Array(heads * frames);
    for (let head = 0; head < heads; head += 1) {
      const from = (head * tokens + token) * length;
      row.set(all.subarray(from, from + frames), head * frames);
    }
    return row;
  });
}
