/**
 * The changed graph of Whisper's decoder, with real weights, against the graph as it is published. The weights come
 * from bench/hearing/fetch_weights.py; HEARING_MODELS names their folder.
 */
import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withGrowingCache } from '../../../server/whisper/graph/shared-cache.ts';
import { decoders } from '../../../server/whisper/model/shared-decoder.ts';
import type { Session, Tensor } from '../../../server/whisper/model/decoder.ts';
import { needs } from '../../support/requirements.ts';
import { ensureOnnxRuntime } from '../../../server/models/onnxruntime.ts';
import { withFusedAttention } from '../../../server/whisper/graph/attention.ts';
import { withAttentionOutput } from '../../../server/whisper/graph/attention-output.ts';
import { readOnnxModel, writeOnnxModel } from '../../../server/whisper/graph/onnx-graph.ts';
import { prepareDecoder } from '../../../server/whisper/graph/prepare.ts';
import { splitDecoder } from '../../../server/whisper/graph/split-decoder.ts';
import { quantisedEmbedding } from '../../../server/whisper/graph/quantised-embedding.ts';
import { withBatchedLogits, withTwoPassLogits } from '../../../server/whisper/graph/logits.ts';
import { modelWithoutWeights } from '../../../server/whisper/graph/external-weights.ts';

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

/** What loads graphs whose weights are in a folder, and makes tensors. */
async function openRuntime() {
  const library = await ensureOnnxRuntime(models);
  const { InferenceSession, Tensor: Made } = createRequire(library)(library);
  const load = ({ model, folder }: { model: Uint8Array; folder: string }): Promise<Session> =>
    InferenceSession.create(model, {
      extra: { session: { model_external_initializers_file_folder_path: folder } },
    });
  const tensors = {
    floats: (values: Float32Array, dims: readonly number[]): Tensor =>
      new Made('float32', values, dims),
    integers: (values: readonly number[], dims: readonly number[]): Tensor =>
      new Made('int64', BigInt64Array.from(values, BigInt), dims),
  };
  return { load, tensors };
}

/** What prepareDecoder makes of a decoder whose attention it does not know: each text has a cache of its own. */
async function prepareAsUnknown(path: string): ReturnType<typeof prepareDecoder> {
  const { model, folder } = await modelWithoutWeights(path);
  const published = withAttentionOutput(readOnnxModel(model));
  const plain = withBatchedLogits(withGrowingCache(published));
  const rough = (await quantisedEmbedding(plain, path))!;
  const { sound, step } = splitDecoder(withTwoPassLogits(plain, rough))!;
  const written = (part: typeof sound) => ({ model: writeOnnxModel(part), folder });
  return { sound: written(sound), step: written(step) };
}

for (const [name, layers, width] of SIZES) {
  const file = (part: string) => join(models, `whisper-${name}`, `${name}-${part}.int8.onnx`);

  test(`the encoder of ${name} returns what the published graph does`, async () => {
    const { load, tensors } = await openRuntime();
    const { model, folder } = await modelWithoutWeights(file('encoder'));
    const changed = withFusedAttention(readOnnxModel(model));
    const operators = changed.nodes.filter(({ type }) => type === 'MultiHeadAttention');
    expect(operators).toHaveLength(layers);
    expect(changed.nodes.some(({ type }) => type === 'Softmax')).toBe(false);
    const mel = Float32Array.from({ length: 80 * 3000 }, (_, at) => Math.sin(at * 0.37));
    const [before, after] = await Promise.all(
      [model, writeOnnxModel(changed)].map(async (bytes) => {
        const session = await load({ model: bytes, folder });
        const out = await session.run({ mel: tensors.floats(mel, [1, 80, 3000]) });
        return out['n_layer_cross_k']!.data as Float32Array;
      }),
    );
    const size = before!.reduce((sum, value) => sum + Math.abs(value), 0) / before!.length;
    // Both are rounded to 8 bits between layers, by scales that the least difference changes.
    expect(distance(after!, before!)).toBeLessThan(size / 20);
  });

  test.each([
    ['one cache', prepareDecoder],
    ['caches of their own', prepareAsUnknown],
  ])(`texts with %s get from ${name} what the published graph gives each`, async (_, prepare) => {
    const { load, tensors } = await openRuntime();
    const wave = (by: number) =>
      tensors.floats(
        Float32Array.from({ length: layers * 1500 * width }, (_value, at) => Math.sin(at * by)),
        [layers, 1, 1500, width],
      );
    const encoded = { n_layer_cross_k: wave(0.7), n_layer_cross_v: wave(0.3) };
    const parts = await prepare(file('decoder'));
    const [sound, step] = [await load(parts.sound!), await load(parts.step)];
    expect(sound.inputNames.toSorted()).toEqual(Object.keys(encoded));
    expect(step.inputNames).not.toContain('n_layer_cross_k');
    const given = { ...encoded, ...(await sound.run(encoded)) };
    const inputs = Object.fromEntries(
      Object.entries(given).filter(([input]) => step.inputNames.includes(input)),
    );
    const decoder = decoders(step, tensors)({ inputs, layers, width });
    decoder.begin();
    await decoder.take([50_258, 50_259, 50_359], 1500);
    await decoder.takeEach([440, 300, 1000], [0, 0, 0], 1500);
    const steps = await decoder.takeEach([11, 12, 13], [2, 0, 0], 1500);
    const found = steps.map(({ logits, attention }) => ({
      logits: logits.slice(),
      attention: attention[0]!,
    }));

    const { model, folder } = await modelWithoutWeights(file('decoder'));
    const attentive = writeOnnxModel(withAttentionOutput(readOnnxModel(model)));
    const published = await load({ model: attentive, folder });
    const alone = decoders(published, tensors)({ inputs: encoded, layers, width });
    const wanted = [];
    for (const text of [
      [1000, 11],
      [440, 12],
      [440, 13],
    ]) {
      alone.begin();
      await alone.take([50_258, 50_259, 50_359], 1500);
      await alone.take(text.slice(0, 1), 1500);
      const { logits, attention } = await alone.take(text.slice(1), 1500);
      wanted.push({ logits: logits.slice(), attention: attention[0]! });
    }
    // The 8-bit products are scaled by the largest value of all texts, so that a text is not quite what it is alone, and by
    // how much depends on the processor. The logits of unlikely tokens are rough; a search follows five at most.
    for (const [text, each] of wanted.entries()) {
      const other = wanted[(text + 1) % wanted.length]!;
      const own = found[text]!;
      expect(distance(own.attention, each.attention)).toBeLessThan(
        distance(other.attention, each.attention) / 3,
      );
      const likely = (logits: Float32Array) =>
        Float32Array.from(likeliest(each.logits, 10), (token) => logits[token]!);
      expect(distance(likely(own.logits), likely(each.logits))).toBeLessThan(
        distance(likely(other.logits), likely(each.logits)) / 1.4,
      );
      expect(distance(own.logits, each.logits)).toBeLessThan(
        distance(other.logits, each.logits) / 1.4,
      );
    }
  });
}
