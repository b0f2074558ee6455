/** A Whisper whose weights are a script: it says given words, and attends to given moments. */
import type { Session, Tensor, TensorMaker } from '../../server/whisper/model/decoder.ts';
import { createWhisper, type Whisper } from '../../server/whisper/whisper.ts';
import { marksOf } from '../../server/whisper/model/tokens.ts';

const VOCABULARY = 51_864;
/** The frames of attention: 20 ms each. */
const FRAMES = 1500;
export const marks = marksOf(VOCABULARY)!;
/** Single bytes, of which the terms are made, and then whole words. */
const WORDS = [' We', ' use', ' Varsal', ' Vercel', ' now', ' Kubernetes'];
export const BYTES = 256;
const tokens = [
  ...Array.from({ length: BYTES }, (_, byte) => `${btoa(String.fromCharCode(byte))} ${byte}`),
  ...WORDS.map((word, at) => `${btoa(word)} ${BYTES + at}`),
].join('\n');

/** The tokens of a text of the known words. */
export const ids = (text: string): number[] =>
  text.split(' ').map((word) => BYTES + WORDS.indexOf(` ${word}`));

const tensors: TensorMaker = {
  floats: (data, dims) => ({ data, dims }),
  integers: (data, dims) => ({ data, dims }),
};

export interface Script {
  /**
   * The tokens to say.
   * @param biased whether the prompt contains key terms
   * @param window counts the windows that were heard, from 1
   */
  say(biased: boolean, window: number): number[];
  /** The frame that the decoder attends to when it says a token, if it matters. */
  attend?(token: number, window: number): number;
  /** The logits of tokens other than the one to say, given the text so far. */
  doubt?(said: readonly number[]): readonly (readonly [token: number, logit: number])[];
  /** The texts that the decoder was asked to continue. */
  asked?: number[][];
  /** The number of tokens: that of English models by default. */
  vocabulary?: number;
  /** The logits of the languages of a multilingual model, in the order of their tokens. */
  languages?: readonly number[];
}

/** Creates the recogniser. */
export function scriptedWhisper({
  say,
  attend,
  doubt,
  asked = [],
  vocabulary = VOCABULARY,
  languages = [],
}: Script): Whisper {
  const marks = marksOf(vocabulary)!;
  let window = 0;
  const encoder: Session = {
    inputNames: [],
    outputNames: [],
    async run() {
      window += 1;
      const keys = { data: new Float32Array(1), dims: [1, 1, 1, 1] };
      return { n_layer_cross_k: keys, n_layer_cross_v: keys };
    },
  };
  // The cache of the decoder holds the tokens of each text.
  const decoder: Session = {
    inputNames: [],
    outputNames: ['cross_attention_weights'],
    async run(inputs, outputs) {
      const read = inputs['in_n_layer_self_k_cache']!;
      const write = outputs!['out_n_layer_self_k_cache']!;
      const given = inputs['tokens']!;
      const [texts = 0, count = 0] = given.dims;
      const offset = Number((inputs['offset']!.data as number[])[0]);
      const context = read.dims[2]!;
      const logits = new Float32Array(texts * count * vocabulary);
      const attention = new Float32Array(texts * count * FRAMES);
      for (let text = 0; text < texts; text += 1) {
        const place = text * context;
        const before = (read.data as Float32Array).subarray(place, place + offset);
        const all = [
          ...before,
          ...(given.data as number[]).slice(text * count, (text + 1) * count),
        ];
        (write.data as Float32Array).set(all, place);
        asked.push(all);
        const from = all.indexOf(marks.noTimes) + 1;
        const said = all.slice(from);
        const last = (text + 1) * count - 1;
        const script = say(all.includes(marks.previous), window);
        // The logits after each of the tokens that belong to the text.
        for (let token = 0; token < count; token += 1) {
          const before = all.slice(from, all.length - count + token + 1);
          if (all.length === 1) logits.set(languages, marks.firstLanguage);
          if (from === 0 || all.length - count + token + 1 < from) continue;
          const place = (text * count + token) * vocabulary;
          logits[place + (script[before.length] ?? marks.end)] = 20;
          for (const [id, logit] of doubt?.(before) ?? []) logits[place + id] = logit;
        }
        if (attend)
          attention.fill(
            1,
            last * FRAMES + attend(said.length, window),
            last * FRAMES + attend(said.length, window) + 10,
          );
      }
      return {
        logits: { data: logits, dims: [texts, count, vocabulary] },
        cross_attention_weights: { data: attention, dims: [texts, 1, count, FRAMES] },
      } satisfies Record<string, Tensor>;
    },
  };
  return createWhisper({ encoder, prepare: async (encoded) => encoded, decoder, tokens, tensors });
}
