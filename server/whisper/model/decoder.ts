/** What a decoder takes and returns: tokens of texts, and the logits and the attention after each of them. */

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

/** The parts of a window that the decoder needs. */
export interface EncodedSound {
  /** The inputs of each step that depend only on the audio. */
  inputs: Record<string, Tensor>;
  /** The number of layers, and the width of a token's keys in each. */
  layers: number;
  width: number;
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
  /** The most texts that can be continued at once; 1 once the model has refused several. */
  readonly texts: number;
  /** Forgets all tokens. */
  begin(): void;
  /** Takes further tokens; keeps the first `frames` columns of the attention. */
  take(tokens: readonly number[], frames: number): Promise<DecoderStep>;
  /**
   * Continues several texts at once, each with one token. The first call continues what `take` took; later calls
   * continue the texts of the call before.
   * @param after the text that each token continues, by its place in the call before
   */
  takeEach(
    tokens: readonly number[],
    after: readonly number[],
    frames: number,
  ): Promise<DecoderStep[]>;
}

/** A decoder that can go back in a text to continue it differently. */
export interface RewindingDecoder extends Decoder {
  /** Takes further tokens of one text, and returns the logits after each of them. */
  takeAll(tokens: readonly number[]): Promise<Float32Array[]>;
  /** Keeps the tokens taken so far, so that `goBack` can return to any of them. */
  keep(): void;
  /** Goes back to the first `length` of the tokens that were kept, which the next call continues. */
  goBack(length: number): void;
}

/** Converts a text of [texts, heads, tokens, T] to one array of heads × frames per token. */
export function attentionRows(
  { data, dims }: { readonly data: unknown; readonly dims: readonly number[] },
  text: number,
  frames: number,
): Float32Array[] {
  const [, heads = 0, tokens = 0, length = 0] = dims;
  const all = data as Float32Array;
  return Array.from({ length: tokens }, (_, token) => {
    const row = new Float32Array(heads * frames);
    for (let head = 0; head < heads; head += 1) {
      const from = ((text * heads + head) * tokens + token) * length;
      row.set(all.subarray(from, from + frames), head * frames);
    }
    return row;
  });
}
