/** The inputs and outputs of a decoder: both caches, the audio, and the rows of each text. */
import { describe, expect, test } from 'bun:test';
import { type Session, type Tensor } from '../../../../server/whisper/model/decoder.ts';
import { createDecoder, decoderMemory } from '../../../../server/whisper/model/own-caches.ts';

const [LAYERS, WIDTH, VOCABULARY, HEADS, FRAMES] = [2, 3, 4, 2, 5];
const tensors = {
  floats: (data: Float32Array, dims: readonly number[]) => ({ data, dims }),
  integers: (data: readonly number[], dims: readonly number[]) => ({ data, dims }),
};
const sound = {
  inputs: { cross_keys: { data: 'the sound', dims: [] } },
  layers: LAYERS,
  width: WIDTH,
};

interface Asked {
  inputs: Record<string, Tensor>;
  outputs: Record<string, Tensor | null> | undefined;
}

/**
 * A model that writes each token into both caches at its position, in every layer: as it is into the keys, and
 * negative into the values. The first logit after a token is the text so far as a number, and the next one its length.
 */
function model(refuses: (texts: number, room: number) => boolean = () => false) {
  const asked: Asked[] = [];
  const session: Session = {
    inputNames: [],
    outputNames: [],
    async run(inputs, outputs) {
      asked.push({ inputs, outputs });
      const [texts = 0, count = 0] = inputs['tokens']!.dims;
      const tokens = inputs['tokens']!.data as number[];
      const [offset = 0] = inputs['offset']!.data as number[];
      const room = inputs['in_n_layer_self_k_cache']!.dims[2]!;
      if (refuses(texts, room)) throw new Error(`${texts} texts of ${room} are refused`);
      const logits = new Float32Array(texts * count * VOCABULARY);
      for (let text = 0; text < texts; text += 1) {
        for (let layer = 0; layer < LAYERS; layer += 1) {
          const at = (position: number) => ((layer * texts + text) * room + position) * WIDTH;
          for (const [kind, sign] of [
            ['k', 1],
            ['v', -1],
          ] as const) {
            const read = inputs[`in_n_layer_self_${kind}_cache`]!.data as Float32Array;
            const write = outputs![`out_n_layer_self_${kind}_cache`]!.data as Float32Array;
            for (let position = 0; position < offset; position += 1) {
              expect(Math.sign(read[at(position) + WIDTH - 1]!)).toBe(sign);
              write[at(position) + WIDTH - 1] = read[at(position) + WIDTH - 1]!;
            }
            for (let token = 0; token < count; token += 1) {
              write[at(offset + token) + WIDTH - 1] = sign * tokens[text * count + token]!;
            }
            if (kind === 'v' && layer === LAYERS - 1) {
              for (let token = 0; token < count; token += 1) {
                const own = Array.from({ length: offset + token + 1 }, (_, position) =>
                  Math.abs(write[at(position) + WIDTH - 1]!),
                );
                logits[(text * count + token) * VOCABULARY] = Number(own.join(''));
                logits[(text * count + token) * VOCABULARY + 1] = own.length;
              }
            }
          }
        }
      }
      // The attention tells the text, the head, the token and the frame.
      const attention = Float32Array.from(
        { length: texts * HEADS * count * FRAMES },
        (_, at) => at,
      );
      return {
        logits: { data: logits, dims: [texts, count, VOCABULARY] },
        cross_attention_weights: { data: attention, dims: [texts, HEADS, count, FRAMES] },
      };
    },
  };
  const memory = decoderMemory(sound);
  return { decoder: createDecoder(session, tensors, sound, memory), asked, memory };
}

test('a model whose caches are too large for several texts continues one', () => {
  const texts = (layers: number) => decoderMemory({ inputs: {}, layers, width: 1280 }).texts;
  expect([6, 32, 64].map(texts)).toEqual([5, 1, 1]);
});

describe('each step', () => {
  test('is given the sound, the offset and the tokens of each text', async () => {
    const { decoder, asked } = model();
    decoder.begin();
    await decoder.take([1, 2], 5);
    await decoder.takeEach([3, 4], [0, 0], 5);
    const shown = asked.map(({ inputs: { tokens, offset, cross_keys } }) => [
      tokens,
      offset,
      cross_keys!.data,
    ]);
    expect(shown).toEqual([
      [{ data: [1, 2], dims: [1, 2] }, { data: [0], dims: [1] }, 'the sound'],
      [{ data: [3, 4], dims: [2, 1] }, { data: [2], dims: [1] }, 'the sound'],
    ]);
    for (const { inputs } of asked) {
      const [, texts] = inputs['in_n_layer_self_v_cache']!.dims;
      expect(inputs['in_n_layer_self_k_cache']!.dims).toEqual([LAYERS, texts!, 64, WIDTH]);
    }
  });

  test('returns the logits after the first and the last token, and the attention of each', async () => {
    const { decoder } = model();
    decoder.begin();
    const { firstLogits, logits, attention } = await decoder.take([1, 2, 3], 2);
    expect([[...firstLogits], [...logits]]).toEqual([
      [1, 1, 0, 0],
      [123, 3, 0, 0],
    ]);
    expect(attention.map((row) => [...row])).toEqual([
      [0, 1, 15, 16],
      [5, 6, 20, 21],
      [10, 11, 25, 26],
    ]);
    const each = await decoder.takeEach([4, 5], [0, 0], 1);
    expect(each.map((step) => [...step.logits])).toEqual([
      [1234, 4, 0, 0],
      [1235, 4, 0, 0],
    ]);
    expect(each.map((step) => [...step.attention[0]!])).toEqual([
      [0, 5],
      [10, 15],
    ]);
    const all = await decoder.takeAll([6, 7]);
    expect(all.map((own) => own.length)).toEqual([VOCABULARY, VOCABULARY]);
  });
});

test('a kept text keeps both its caches', async () => {
  const { decoder } = model();
  decoder.begin();
  await decoder.takeAll([1, 2, 3]);
  decoder.keep();
  for (let time = 0; time < 2; time += 1) {
    decoder.goBack(2);
    const [step] = await decoder.takeEach([9], [0], 1);
    expect(step!.logits[0]).toBe(129);
  }
  // Starting a new text removes the kept entries.
  decoder.begin();
  expect((await decoder.take([5], 1)).logits[0]).toBe(5);
  decoder.begin();
  decoder.keep();
  decoder.goBack(0);
  expect((await decoder.take([6], 1)).logits[0]).toBe(6);
});

describe('a model', () => {
  test('that refuses several texts is not given several again', async () => {
    const { decoder } = model((texts) => texts > 1);
    decoder.begin();
    await decoder.take([1], 1);
    expect(decoder.texts).toBe(5);
    await expect(decoder.takeEach([2, 3], [0, 0], 1)).rejects.toThrow('2 texts');
    expect(decoder.texts).toBe(1);
  });

  test('that fails with one text may still take several', async () => {
    let fails = false;
    const { decoder } = model(() => fails);
    decoder.begin();
    await decoder.take([1], 1);
    fails = true;
    await expect(decoder.takeEach([2], [0], 1)).rejects.toThrow('1 texts');
    expect(decoder.texts).toBe(5);
  });

  test('that takes long caches only is given the same tokens again', async () => {
    const { decoder, asked, memory } = model((_, room) => room !== 448);
    decoder.begin();
    expect((await decoder.take([1, 2], 1)).logits[0]).toBe(12);
    expect(asked.map(({ inputs }) => inputs['tokens']!.data)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect([memory.growth, memory.hasRun]).toEqual([448, true]);
    await decoder.takeEach([3, 4], [0, 0], 1);
    expect(asked).toHaveLength(3);
  });
});
