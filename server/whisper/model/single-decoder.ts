/** Whisper’s decoder with caches of its own for each text, for graphs that withSharedCache leaves alone. */
import {
  attentionRows,
  type DecoderStep,
  type EncodedSound,
  type RewindingDecoder,
  type Session,
  type Tensor,
  type TensorMaker,
} from './decoder.ts';

/** The cache grows by this many places at a time. */
export const GROWTH = 64;
/** The most texts at once, as in openai-whisper's command. */
export const MAX_TEXTS = 5;

/** The context length of all published Whisper models, in tokens. */
const CONTEXT = 448;
/** The most bytes of the caches of texts that are half as long as the context. */
const MAX_BYTES = 200e6;

/**
 * The memory of a decoder, which all windows share: each step reads a cache in one half and writes the next one into the
 * other. New tensors for each step would be megabytes that the runtime does not count as garbage.
 */
export interface DecoderMemory {
  /** For the cache to read, and for the cache to write: the memory for its keys, and for its values. */
  halves: [Float32Array[], Float32Array[]];
  /** The most texts at once. */
  texts: number;
  /** Caches grow by so many positions: 64, or all 448 at once for a model that takes no shorter ones. */
  growth: number;
  /** Whether a step has been made. */
  hasRun: boolean;
  /** The logits and the attention of a step with one token for each of so many texts, which the next such step reuses. */
  outputs: Map<number, { logits: Tensor; attention: Tensor }>;
}

/** Allocates the memory for decoding the output of an encoder. */
export const decoderMemory = (sound: EncodedSound): DecoderMemory => ({
  halves: [[], []],
  texts: mostTexts(sound),
  growth: GROWTH,
  hasRun: false,
  outputs: new Map(),
});

/** The number of texts that may be continued at once: MAX_TEXTS, or fewer for a large model. */
function mostTexts({ layers, width }: EncodedSound): number {
  const bytes = 4 * Float32Array.BYTES_PER_ELEMENT * layers * (CONTEXT / 2) * width;
  return Math.max(1, Math.min(MAX_TEXTS, Math.floor(MAX_BYTES / bytes)));
}

/** Creates the decoder for a window; only one decoder may use the memory at a time. */
export function createDecoder(
  session: Session,
  tensors: TensorMaker,
  sound: EncodedSound,
  memory: DecoderMemory,
): RewindingDecoder {
  let offset = 0;
  /** The cache of the latest step, in the first half of the memory; null before the first token. */
  let current: Cache | null = null;
  /** A copy of the cache of one text, to go back to; null before it was kept. */
  let kept: Cache | null = null;

  /** A cache at the beginning of the second half, whose content is no longer needed. */
  const spare = (texts: number, positions: number): Cache => {
    const { layers, width } = sound;
    const size = layers * texts * positions * width;
    const [, half] = memory.halves;
    const part = (which: number): Tensor => {
      if ((half[which]?.length ?? 0) < size) half[which] = new Float32Array(size);
      return tensors.floats(half[which]!.subarray(0, size), [layers, texts, positions, width]);
    };
    return { keys: part(0), values: part(1) };
  };
  /** Makes a cache in the second half the current one. */
  const turn = (cache: Cache): Cache => {
    memory.halves.reverse();
    return (current = cache);
  };

  /** Runs the model on texts that are equally long: `tokens` has those of each text, one text after the other. */
  const attempt = async (tokens: readonly number[], after: readonly number[]) => {
    const texts = after.length;
    const length = tokens.length / texts;
    const positions = Math.ceil((offset + length) / memory.growth) * memory.growth;
    const [, of, long] = current?.keys.dims ?? [];
    const fits = of === texts && long === positions && after.every((from, to) => from === to);
    const read = fits ? current! : spare(texts, positions);
    if (!fits) {
      if (current) copyTexts(current, read, after, offset);
      turn(read);
    }
    const write = spare(texts, positions);
    const made = length === 1 ? memory.outputs.get(texts) : undefined;
    const out = await session.run(
      {
        tokens: tensors.integers(tokens, [texts, length]),
        in_n_layer_self_k_cache: read.keys,
        in_n_layer_self_v_cache: read.values,
        ...sound.inputs,
        offset: tensors.integers([offset], [1]),
      },
      {
        logits: made?.logits ?? null,
        out_n_layer_self_k_cache: write.keys,
        out_n_layer_self_v_cache: write.values,
        cross_attention_weights: made?.attention ?? null,
      },
    );
    turn(write);
    offset += length;
    const outputs = { logits: out['logits']!, attention: out['cross_attention_weights']! };
    if (length === 1) memory.outputs.set(texts, outputs);
    return outputs;
  };

  /** Runs the model; if its first step fails with a short cache, all caches are as long as the context. */
  const run: typeof attempt = async (tokens, after) => {
    try {
      return await attempt(tokens, after);
    } catch (error) {
      if (memory.hasRun) throw error;
      memory.growth = CONTEXT;
      return await attempt(tokens, after);
    } finally {
      memory.hasRun = true;
    }
  };

  return {
    get texts() {
      return memory.texts;
    },

    begin() {
      // Values beyond the offset are never read, so the caches need not be cleared.
      offset = 0;
      current = null;
      kept = null;
    },

    async takeAll(tokens) {
      const { logits } = await run(tokens, [0]);
      const size = logits.dims[2]!;
      const all = logits.data as Float32Array;
      return tokens.map((_, at) => all.subarray(at * size, (at + 1) * size));
    },

    keep() {
      const copy = ({ data, dims }: Tensor) => tensors.floats((data as Float32Array).slice(), dims);
      kept = current && { keys: copy(current.keys), values: copy(current.values) };
    },

    goBack(length) {
      current = kept;
      offset = length;
    },

    async take(tokens, frames) {
      const { logits, attention } = await run(tokens, [0]);
      const size = logits.dims[2]!;
      const all = logits.data as Float32Array;
      return {
        logits: all.slice((tokens.length - 1) * size),
        firstLogits: all.slice(0, size),
        attention: attentionRows(attention, 0, frames),
      };
    },

    async takeEach(tokens, after, frames) {
      const { logits, attention } = await run(tokens, after).catch((error: unknown) => {
        // An export for one text refuses others.
        if (tokens.length > 1) memory.texts = 1;
        throw error;
      });
      const size = logits.dims[2]!;
      const all = logits.data as Float32Array;
      return tokens.map((_, text): DecoderStep => {
        const own = all.slice(text * size, (text + 1) * size);
        return { logits: own, firstLogits: own, attention: attentionRows(attention, text, frames) };
      });
    },
  };
}

/** The keys and values of the decoder's own tokens: [layers, texts, positions, width]. */
interface Cache {
  keys: Tensor;
  values: Tensor;
}

/** Copies the first `length` positions of texts: text `to` becomes a copy of the text `after[to]`. */
function copyTexts(source: Cache, target: Cache, after: readonly number[], length: number): void {
  for (const part of ['keys', 'values'] as const) {
    const [layers = 0, from = 0, had = 0, width = 0] = source[part].dims;
    const [, , has = 0] = target[part].dims;
    const [read, write] = [source[part].data as Float32Array, target[part].data as Float32Array];
    for (let layer = 0; layer < layers; layer += 1) {
      for (const [to, parent] of after.entries()) {
        const at = (layer * from + parent) * had * width;
        const place = (layer * after.length + to) * has * width;
        write.set(read.subarray(at, at + length * width), place);
      }
    }
  }
}
