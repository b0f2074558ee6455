/** Moonshine's decoder for one window of audio, with a cache for each text. */
import { ATTENTION_OUTPUT } from '../graph/attention-output.ts';
import { attentionRows } from '../model/decoder.ts';
import type {
  DecoderStep,
  RewindingDecoder,
  Session,
  Tensor,
  TensorMaker,
} from '../model/decoder.ts';
import type { DividedDecoder } from './merged-decoder.ts';

/** The most texts at once. */
const MAX_TEXTS = 5;

/** The keys and values of each layer's own tokens, by the names of the inputs: [texts, heads, tokens, values]. */
type Cache = Record<string, Tensor>;

/**
 * Creates the decoder for a window.
 * @param sound the keys and values of the audio, by the names of the inputs
 */
export function createMoonshineDecoder(
  session: Session,
  tensors: TensorMaker,
  { heads, headSize }: Pick<DividedDecoder, 'heads' | 'headSize'>,
  sound: Record<string, Tensor>,
): RewindingDecoder {
  const names = session.inputNames.filter((name) => name.includes('.decoder.'));
  const empty = (): Cache =>
    Object.fromEntries(
      names.map((name) => [name, tensors.floats(new Float32Array(), [1, heads, 0, headSize])]),
    );
  let cache = empty();
  let kept = cache;

  /** The cache of other texts, made of the texts `after`, each with its first `length` tokens. */
  const chosen = (from: Cache, after: readonly number[], length?: number): Cache =>
    Object.fromEntries(
      Object.entries(from).map(([name, { data, dims }]) => {
        const had = dims[2]!;
        const has = length ?? had;
        const values = new Float32Array(after.length * heads * has * headSize);
        for (const [to, text] of after.entries()) {
          for (let head = 0; head < heads; head += 1) {
            const at = (text * heads + head) * had * headSize;
            const own = (data as Float32Array).subarray(at, at + has * headSize);
            values.set(own, (to * heads + head) * has * headSize);
          }
        }
        return [name, tensors.floats(values, [after.length, heads, has, headSize])];
      }),
    );

  /** Takes tokens of texts that are equally long, one text after the other. */
  const run = async (tokens: readonly number[], texts: number) => {
    const out = await session.run({
      input_ids: tensors.integers(tokens, [texts, tokens.length / texts]),
      ...cache,
      ...sound,
    });
    cache = Object.fromEntries(
      names.map((name) => [name, out[name.replace('past_key_values', 'present')]!]),
    );
    const { data, dims } = out['logits']!;
    const size = dims[2]!;
    const logits = tokens.map((_, at) =>
      (data as Float32Array).subarray(at * size, (at + 1) * size),
    );
    return { logits, attention: out[ATTENTION_OUTPUT]! };
  };

  return {
    texts: MAX_TEXTS,

    begin() {
      cache = empty();
      kept = cache;
    },

    async take(tokens, frames) {
      const { logits, attention } = await run(tokens, 1);
      return {
        logits: logits.at(-1)!,
        firstLogits: logits[0]!,
        attention: attentionRows(attention, 0, frames),
      };
    },

    async takeEach(tokens, after, frames) {
      const texts = Object.values(cache)[0]!.dims[0]!;
      if (after.length !== texts || after.some((from, to) => from !== to)) {
        cache = chosen(cache, after);
      }
      const { logits, attention } = await run(tokens, tokens.length);
      return logits.map((own, text): DecoderStep => ({
        logits: own,
        firstLogits: own,
        attention: attentionRows(attention, text, frames),
      }));
    },

    takeAll: async (tokens) => (await run(tokens, 1)).logits,

    keep() {
      kept = cache;
    },

    goBack(length) {
      cache = chosen(kept, [0], length);
    },
  };
}
