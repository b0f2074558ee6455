/**
 * The changed graph of Whisper's decoder, with real weights, against the graph as it is published. The weights come
 * from bench/hearing/fetch_weights.py; HEARING_MODELS names their folder.
 */
import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withGrowingCache, withSharedCache } from '../../../server/whisper/graph/shared-cache.ts';
import { decoders } from '../../../server/whisper/model/shared-decoder.ts';
import type { Session, Tensor } from '../../../server/whisper/model/decoder.ts';
import { needs } from '../../support/requirements.ts';
import { onnxRuntime } from '../../../server/models/onnxruntime.ts';
import { attentionGraph } from '../../../server/whisper/graph/attention.ts';
import { onnxModel } from '../../../server/whisper/graph/onnx-graph.ts';
import { graphSteps } from '../../../server/whisper/graph/prepare.ts';

const models = process.env['HEARING_MODELS'] ?? '';
const test = needs(
  models !== '' && existsSync(join(models, 'whisper-base')),
  'real recogniser weights (HEARING_MODELS) are not here',
);

/** The model, its layers and its width. */
const SIZES: [string, number, number][] = [
  ['tiny.en', 4, 384],
  ['base', 6, 512],
];

/** The mean difference between two lists of logits. */
const distance = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0) / a.length;

/** The tokens with the highest logits. */
const likeliest = (logits: Float32Array, count: number): number[] =>
  Array.from(logits.keys())
    .toSorted((a, b) => logits[b]! - logits[a]!)
    .slice(0, count);

/** A decoder's graph and its file, and what loads it after it was changed. */
async function openDecoder(name: string) {
  const library = await onnxRuntime.ensure(models);
  const { InferenceSession, Tensor: Made } = createRequire(library)(library);
  const path = join(models, `whisper-${name}`, `${name}-decoder.int8.onnx`);
  const { model, folder } = await graphSteps.modelWithoutWeights(path);
  const load = (bytes: Uint8Array): Promise<Session> =>
    InferenceSession.create(bytes, {
      extra: { session: { model_external_initializers_file_folder_path: folder } },
    });
  return { Made, path, model, load };
}

for (const [name, layers, width] of SIZES) {
  test(`the encoder of ${name} returns what the published graph does`, async () => {
    const library = await onnxRuntime.ensure(models);
    const { InferenceSession, Tensor: Made } = createRequire(library)(library);
    const path = join(models, `whisper-${name}`, `${name}-encoder.int8.onnx`);
    const { model, folder } = await graphSteps.modelWithoutWeights(path);
    const changed = attentionGraph.fused(onnxModel.read(model));
    const operators = changed.nodes.filter(({ type }) => type === 'MultiHeadAttention');
    expect(operators).toHaveLength(layers);
    expect(changed.nodes.some(({ type }) => type === 'Softmax')).toBe(false);
    const mel = Float32Array.from({ length: 80 * 3000 }, (_, at) => Math.sin(at * 0.37));
    const [before, after] = await Promise.all(
      [model, onnxModel.write(changed)].map(async (bytes) => {
        const session: Session = await InferenceSession.create(bytes, {
          extra: { session: { model_external_initializers_file_folder_path: folder } },
        });
        const out = await session.run({ mel: new Made('float32', mel, [1, 80, 3000]) });
        return out['n_layer_cross_k']!.data as Float32Array;
      }),
    );
    const size = before!.reduce((sum, value) => sum + Math.abs(value), 0) / before!.length;
    // Both are rounded to 8 bits between layers, by scales that the least difference changes.
    expect(distance(after!, before!)).toBeLessThan(size / 20);
  });

  test(`three texts continued by ${name} get the logits that the published graph gives each`, async () => {
    const { Made, path, model, load } = await openDecoder(name);
    const published = await load(model);
    const plain = graphSteps.withBatchedLogits(
      withGrowingCache(attentionGraph.withOutput(onnxModel.read(model))),
    );
    const rough = (await graphSteps.quantisedEmbedding(plain, path))!;
    const parts = graphSteps.splitDecoder(graphSteps.withTwoPassLogits(plain, rough))!;
    const [sound, step] = [
      await load(onnxModel.write(parts.sound)),
      await load(onnxModel.write(parts.step)),
    ];
    const floats = (values: number[], dims: number[]): Tensor =>
      new Made('float32', Float32Array.from(values), dims);
    const integers = (values: number[], dims: number[]): Tensor =>
      new Made('int64', BigInt64Array.from(values.map(BigInt)), dims);

    const wave = (size: number, by: number) =>
      Array.from({ length: size }, (_, at) => Math.sin(at * by));
    const encoded = {
      n_layer_cross_k: floats(wave(layers * 1500 * width, 0.7), [layers, 1, 1500, width]),
      n_layer_cross_v: floats(wave(layers * 1500 * width, 0.3), [layers, 1, 1500, width]),
    };
    const prepared = await sound.run(encoded);
    expect(sound.inputNames.toSorted()).toEqual(Object.keys(encoded));
    expect(step.inputNames).not.toContain('n_layer_cross_k');

    /** The cached positions of three texts of two tokens, with room for more. */
    const cache = (text: number | null, length: number, by: number): Tensor => {
      const texts = text === null ? [0, 1, 2] : [text];
      const values = Array.from({ length: layers }, (_, layer) =>
        texts.map((each) => {
          const own = wave(2 * width, by + each + layer);
          return [...own, ...Array.from({ length: (length - 2) * width }, () => 0)];
        }),
      );
      return floats(values.flat(3), [layers, texts.length, length, width]);
    };
    const tokens = [440, 300, 1000];
    const inputs = (text: number | null, length: number) => ({
      tokens: integers(text === null ? tokens : [tokens[text]!], [text === null ? 3 : 1, 1]),
      in_n_layer_self_k_cache: cache(text, length, 0.1),
      in_n_layer_self_v_cache: cache(text, length, 0.2),
      offset: integers([2], [1]),
    });
    const logitsOf = (out: Record<string, Tensor>) => out['logits']!.data as Float32Array;
    const together = await step.run({ ...inputs(null, 64), ...prepared });
    const all = logitsOf(together);
    const vocabulary = all.length / tokens.length;
    const shown = together['cross_attention_weights']!;
    const attention = shown.data as Float32Array;
    const size = attention.length / tokens.length;
    for (const text of tokens.keys()) {
      const wanted = logitsOf(await published.run({ ...inputs(text, 448), ...encoded }));
      const single = await step.run({ ...inputs(text, 64), ...prepared });
      const alone = logitsOf(single);
      const attended = single['cross_attention_weights']!;
      expect(attended.dims).toEqual([1, ...shown.dims.slice(1)]);
      const own = attention.subarray(text * size, (text + 1) * size);
      const another = ((text + 1) % tokens.length) * size;
      expect(distance(own, attended.data as Float32Array)).toBeLessThan(
        distance(attention.subarray(another, another + size), own) / 10,
      );
      // Those of unlikely tokens are rough; a search follows five tokens at most.
      expect(distance(alone, wanted)).toBeLessThan(0.3);
      for (const token of likeliest(wanted, 10)) {
        expect(Math.abs(alone[token]! - wanted[token]!)).toBeLessThan(1e-3);
      }
      // The 8-bit products are scaled by the largest value of all texts, so that a text is not quite what it is alone.
      const same = all.subarray(text * vocabulary, (text + 1) * vocabulary);
      const next = (text + 1) % tokens.length;
      const other = all.subarray(next * vocabulary, (next + 1) * vocabulary);
      expect(distance(same, wanted)).toBeLessThan(distance(other, wanted) / 10);
      expect(together['out_n_layer_self_k_cache']!.dims[2]).toBe(64);
    }
  });

  test(`texts with one cache get the logits and the attention from ${name} that they get alone`, async () => {
    const { Made, model, load } = await openDecoder(name);
    const attentive = attentionGraph.withOutput(onnxModel.read(model));
    const published = await load(onnxModel.write(attentive));
    const shared = await load(onnxModel.write(withSharedCache(attentive)!));
    const tensors = {
      floats: (values: Float32Array, dims: readonly number[]): Tensor =>
        new Made('float32', values, dims),
      integers: (values: readonly number[], dims: readonly number[]): Tensor =>
        new Made('int64', BigInt64Array.from(values, BigInt), dims),
    };
    const wave = (by: number) =>
      tensors.floats(
        Float32Array.from({ length: layers * 1500 * width }, (_, at) => Math.sin(at * by)),
        [layers, 1, 1500, width],
      );
    const inputs = { n_layer_cross_k: wave(0.7), n_layer_cross_v: wave(0.3) };
    const sound = { inputs, layers, width };
    const decoder = decoders(shared, tensors)(sound);
    decoder.begin();
    await decoder.take([50_258, 50_259, 50_359], 1500);
    await decoder.takeEach([440, 300, 1000], [0, 0, 0], 1500);
    const steps = await decoder.takeEach([11, 12, 13], [2, 0, 0], 1500);
    const copies = steps.map(({ logits, attention }) => ({
      logits: logits.slice(),
      attention: attention[0]!,
    }));

    const alone = decoders(published, tensors)(sound);
    const texts = [
      [1000, 11],
      [440, 12],
      [440, 13],
    ];
    const wanted = [];
    for (const [first = 0, second = 0] of texts) {
      alone.begin();
      await alone.take([50_258, 50_259, 50_359], 1500);
      await alone.take([first], 1500);
      const { logits, attention } = await alone.take([second], 1500);
      wanted.push({ logits: logits.slice(), attention: attention[0]! });
    }
    // The 8-bit products are scaled by the largest value of all texts, so that a text is not quite what it is alone.
    for (const part of ['logits', 'attention'] as const) {
      for (const [text, each] of wanted.entries()) {
        const other = wanted[(text + 1) % wanted.length]!;
        expect(distance(copies[text]![part], each[part])).toBeLessThan(
          distance(other[part], each[part]) / 3,
        );
      }
    }
  });
}
