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
  /** The memory for texts that are continued at once; made when it is first needed. */
  several?: { read: Float32Array[]; write: Float32Array[] };
  /** The most texts at once. */
  texts: number;
}

/** Makes the memory for decoding what an encoder returned. */
export function decoderMemory(tensors: TensorMaker, sound: EncodedSound): DecoderMemory {
  const cache = () => cacheIn(tensors, sound, 1, emptyParts(sound, 1));
  return { read: cache(), write: cache(), texts: mostTexts(sound) };
}

/**
 * The number of texts that may be continued at once: five, as in openai-whisper's command, or fewer for a large model,
 * so that the caches take at most MOST_BYTES.
 */
function mostTexts(sound: EncodedSound): number {
  const bytes = 4 * Float32Array.BYTES_PER_ELEMENT * textSize(sound);
  return Math.max(1, Math.min(MOST_TEXTS, Math.floor(MOST_BYTES / bytes)));
}

const MOST_TEXTS = 5;
const MOST_BYTES = 200e6;

/** The size of the keys, or of the values, of one text. */
const textSize = ({ keys: { dims } }: EncodedSound): number =>
  (dims[0] ?? 0) * CONTEXT * (dims[3] ?? 0);

/** Memory for the keys and for the values of texts. */
const emptyParts = (sound: EncodedSound, texts: number): Float32Array[] =>
  [0, 1].map(() => new Float32Array(textSize(sound) * texts));

/** A cache of so many texts at the beginning of memory. */
function cacheIn(
  { floats }: TensorMaker,
  sound: EncodedSound,
  count: number,
  [keys, values]: readonly Float32Array[],
): Cache {
  const [layers = 0, , , width = 0] = sound.keys.dims;
  const part = (memory: Float32Array): Tensor =>
    floats(memory.subarray(0, textSize(sound) * count), [layers, count, CONTEXT, width]);
  return { keys: part(keys!), values: part(values!) };
}

/** Creates the decoder for a window; only one decoder may use the memory at a time. */
export function createDecoder(
  session: Session,
  tensors: TensorMaker,
  sound: EncodedSound,
  memory: DecoderMemory,
): Decoder {
  let offset = 0;
  /** The cache of the texts to continue, in the memory for several; null while there is one text. */
  let several: Cache | null = null;

  /** Runs the model on texts that are equally long: `tokens` has those of each text, one text after the other. */
  const run = async (tokens: readonly number[], count: number, read: Cache, write: Cache) => {
    const out = await session.run(
      {
        tokens: tensors.integers(tokens, [count, tokens.length / count]),
        in_n_layer_self_k_cache: read.keys,
        in_n_layer_self_v_cache: read.values,
        n_layer_cross_k: sound.keys,
        n_layer_cross_v: sound.values,
        offset: tensors.integers([offset], [1]),
      },
      {
        logits: null,
        out_n_layer_self_k_cache: write.keys,
        out_n_layer_self_v_cache: write.values,
        cross_attention_weights: null,
      },
    );
    offset += tokens.length / count;
    const logits = out['logits']!;
    return {
      size: logits.dims[2]!,
      logits: logits.data as Float32Array,
      attention: out['cross_attention_weights']!,
    };
  };

  const take: Decoder['take'] = async (tokens, frames) => {
    const { read, write } = memory;
    const { size, logits, attention } = await run(tokens, 1, read, write);
    [memory.read, memory.write] = [write, read];
    return {
      logits: logits.slice((tokens.length - 1) * size),
      firstLogits: logits.slice(0, size),
      attention: attentionRows(attention, 0, frames),
    };
  };

  return {
    get texts() {
      return memory.texts;
    },

    begin() {
      // Values beyond the offset are never read, so the caches need not be cleared.
      offset = 0;
      several = null;
    },

    take,

    async takeEach(tokens, after, frames) {
      const count = tokens.length;
      if (count === 1 && !several) return [await take(tokens, frames)];
      const parts = (memory.several ??= {
        read: emptyParts(sound, memory.texts),
        write: emptyParts(sound, memory.texts),
      });
      const place = (which: Float32Array[]) => cacheIn(tensors, sound, count, which);
      let read = several;
      if (several?.keys.dims[1] !== count || after.some((from, to) => from !== to)) {
        read = place(parts.write);
        copyTexts(several ?? memory.read, read, after, offset);
        [parts.read, parts.write] = [parts.write, parts.read];
      }
      several = place(parts.write);
      const { size, logits, attention } = await run(tokens, count, read!, several).catch(
        (error: unknown) => {
          // An export for one text refuses others.
          if (count > 1) memory.texts = 1;
          throw error;
        },
      );
      [parts.read, parts.write] = [parts.write, parts.read];
      return tokens.map((_, text): DecoderStep => {
        const own = logits.slice(text * size, (text + 1) * size);
        return { logits: own, firstLogits: own, attention: attentionRows(attention, text, frames) };
      });
    },
  };
}

/** Copies the first `length` positions of texts: text `to` becomes a copy of the text `after[to]`. */
function copyTexts(source: Cache, target: Cache, after: readonly number[], length: number): void {
  for (const part of ['keys', 'values'] as const) {
    const [layers = 0, from = 0, context = 0, width = 0] = source[part].dims;
    const [read, write] = [source[part].data as Float32Array, target[part].data as Float32Array];
    const text = context * width;
    for (let layer = 0; layer < layers; layer += 1) {
      for (const [to, parent] of after.entries()) {
        const at = (layer * from + parent) * text;
        write.set(read.subarray(at, at + length * width), (layer * after.length + to) * text);
      }
    }
  }
}

/** Converts a text of [texts, heads, tokens, T] to one array of heads × frames per token. */
function attentionRows({ data, dims }: Tensor, text: number, frames: number): Float32Array[] {
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
