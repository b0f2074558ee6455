/** Loading a Whisper model: the graphs and options that the runtime gets, and its calls for each window. */
import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ELEMENT,
  makeNode,
  type OnnxModel,
  readModel,
  writeModel,
  makeIntegers,
  makeTensor,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import type { Tensor } from '../../../../server/whisper/model/decoder.ts';
import { loadWhisper } from '../../../../server/whisper/model/runtime.ts';
import { marksOf } from '../../../../server/whisper/model/tokens.ts';
import { attention, decoder, LAYERS, WIDTH } from './exported-decoder.ts';
import { fixed } from './fixed-value.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'captioner-loading-')));
afterAll(() => rm(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);

/** A library that passes everything on to the test. */
await Bun.write(
  file('library.js'),
  `module.exports = {
    InferenceSession: { create: (...all) => globalThis.fakeRuntime(...all) },
    Tensor: class { constructor(type, data, dims) { Object.assign(this, { type, data, dims }); } },
  };`,
);
await Bun.write(file('tokens.txt'), 'YQ== 0\nIGI= 1\n');

/** The logits of 64 tokens are the product of their embedding, which is large, and the states. */
const EMBEDDED = 64;
const withEmbedding: OnnxModel = {
  ...decoder,
  nodes: [
    ...decoder.nodes.slice(0, -1),
    makeNode('Add', ['cross0', 'cross1'], 'last_states'),
    makeNode('Transpose', ['last_states'], 'columns'),
    makeNode('MatMul', ['embedding', 'columns'], 'product'),
    makeNode('Transpose', ['product'], 'logits'),
  ],
  tensors: [
    ...decoder.tensors,
    makeTensor('embedding', ELEMENT.float, [EMBEDDED, WIDTH], new Float32Array(EMBEDDED * WIDTH)),
  ],
};
/** The same with attention that is computed otherwise, for which each text has a cache of its own. */
const otherwise: OnnxModel = {
  ...withEmbedding,
  nodes: withEmbedding.nodes.map((node) =>
    node.outputs[0] === 'all_k0' ? makeNode('Where', node.inputs, 'all_k0') : node,
  ),
};
const encoder: OnnxModel = {
  nodes: [
    ...attention('mel', 'mel', 'mel', 'states'),
    ...['k', 'v'].map((name) => makeNode('Identity', ['states'], `n_layer_cross_${name}`)),
  ],
  tensors: [
    makeTensor('eighth', ELEMENT.float, [], Float32Array.of(1 / 8)),
    makeIntegers('shape', [0, 0, 2, 64]),
    makeIntegers('flat', [0, 0, WIDTH]),
  ],
  inputs: [fixed('mel', ELEMENT.float, [1, 80, 3000])],
  outputs: ['k', 'v'].map((name) =>
    fixed(`n_layer_cross_${name}`, ELEMENT.float, [LAYERS, 1, 1500, WIDTH]),
  ),
  inGraph: [],
  others: [],
};

interface Loaded {
  model: OnnxModel;
  options: object;
  /** The names of the inputs of each run. */
  runs: { inputs: string[]; outputs: Record<string, unknown> | undefined; tokens?: Tensor }[];
}
let loaded: Loaded[] = [];
const VOCABULARY = 51_864;
const marks = marksOf(VOCABULARY)!;

/** A session of the fake library: whatever is said, the text ends after the token of “b”. */
async function session(bytes: Uint8Array, options: object) {
  const model = readModel(bytes);
  const runs: Loaded['runs'] = [];
  loaded.push({ model, options, runs });
  const outputNames = model.outputs.map(({ name }) => name);
  return {
    inputNames: model.inputs.map(({ name }) => name),
    outputNames,
    async run(inputs: Record<string, Tensor>, outputs?: Record<string, Tensor | null>) {
      const { tokens } = inputs;
      runs.push({ inputs: Object.keys(inputs), outputs, ...(tokens && { tokens }) });
      const count = tokens ? tokens.dims[0]! * tokens.dims[1]! : 0;
      const last = tokens ? Number((tokens.data as BigInt64Array)[count - 1]) : 0;
      const logits = new Float32Array(count * VOCABULARY);
      logits[(count - 1) * VOCABULARY + (last === 1 ? marks.end : 1)] = 20;
      const shapes: Record<string, Tensor> = {
        logits: { data: logits, dims: [tokens?.dims[0] ?? 1, tokens?.dims[1] ?? 1, VOCABULARY] },
        cross_attention_weights: {
          data: new Float32Array(count * 1500),
          dims: [tokens?.dims[0] ?? 1, 1, tokens?.dims[1] ?? 1, 1500],
        },
        n_layer_cross_k: { data: [], dims: [LAYERS, 1, 1500, WIDTH] },
      };
      const cache = { data: new Float32Array(LAYERS * count * WIDTH), dims: [] };
      return Object.fromEntries(outputNames.map((name) => [name, shapes[name] ?? cache]));
    },
  };
}

const global = globalThis as { fakeRuntime?: typeof session };
beforeEach(() => {
  loaded = [];
  global.fakeRuntime = session;
});
afterEach(() => delete global.fakeRuntime);

async function load(model = withEmbedding) {
  await Bun.write(file('encoder.onnx'), writeModel(encoder));
  await Bun.write(file('decoder.onnx'), writeModel(model));
  const files = {
    encoder: file('encoder.onnx'),
    decoder: file('decoder.onnx'),
    tokens: file('tokens.txt'),
  };
  return loadWhisper(files, file('library.js'));
}
const names = (values: readonly { name: string }[]) => values.map(({ name }) => name);
const tone = Float32Array.from({ length: 16_000 }, (_, at) => Math.sin(at / 9) / 3);

describe('a model', () => {
  test('is loaded as the part of the sound, the steps and the encoder, with the weights in its folder', async () => {
    await load();
    const [sound, step, read] = loaded;
    expect(loaded).toHaveLength(3);
    expect(names(sound!.model.inputs)).toEqual(['n_layer_cross_k', 'n_layer_cross_v']);
    expect(names(step!.model.inputs)).toContain('mask');
    expect(names(step!.model.outputs)).toContain('cross_attention_weights');
    // The logits are computed roughly first.
    expect(step!.model.nodes.map(({ type }) => type)).toContain('MatMulInteger');
    expect(names(read!.model.inputs)).toEqual(['mel']);
    expect(read!.model.nodes.map(({ type }) => type)).toContain('MultiHeadAttention');
    for (const { options } of loaded) {
      expect(options).toEqual({
        intraOpNumThreads: Math.min(2, availableParallelism()),
        interOpNumThreads: 1,
        executionMode: 'sequential',
        enableCpuMemArena: false,
        enableMemPattern: false,
        extra: {
          session: {
            model_external_initializers_file_folder_path: folder,
            intra_op: { allow_spinning: '0' },
          },
          optimization: { disable_specified_optimizers: 'MatMulScaleFusion' },
        },
      });
    }
  });

  test('whose attention is computed differently has a growing cache for each text', async () => {
    await load(otherwise);
    const step = loaded[1]!.model;
    expect(names(step.inputs)).toContain('in_n_layer_self_k_cache');
    expect(names(step.inputs)).not.toContain('mask');
    expect(names(step.tensors)).toContain('shape_of_one_text');
  });

  test('that is no decoder is refused', async () => {
    await expect(load({ ...decoder, inputs: [] })).rejects.toThrow('not the decoder');
  });
});

describe('a window', () => {
  test('is read by the encoder and the part of the sound once, and then by tokens', async () => {
    const whisper = await load();
    const { words } = await whisper.hear(tone, 'en');
    expect(words.map(({ text }) => text)).toEqual(['b']);
    const [sound, step, read] = loaded;
    expect([read!.runs.length, sound!.runs.length]).toEqual([1, 1]);
    expect(read!.runs[0]!.inputs).toEqual(['mel']);
    const own = new Set(names(step!.model.inputs));
    for (const { inputs, tokens } of step!.runs) {
      expect(new Set(inputs)).toEqual(own);
      expect(tokens).toMatchObject({ type: 'int64', data: expect.any(BigInt64Array) });
    }
  });

  test('gives the runtime the outputs to write into', async () => {
    const whisper = await load();
    await whisper.hear(tone, 'en');
    await whisper.hear(tone, 'en');
    const step = loaded[1]!;
    expect(step.runs.every(({ outputs }) => outputs && 'logits' in outputs)).toBe(true);
    expect(step.runs.some(({ outputs }) => outputs?.['logits'] !== null)).toBe(true);
    expect(loaded[2]!.runs.every(({ outputs }) => outputs === undefined)).toBe(true);
  });

  test('has memory collected after 32 steps', async () => {
    const collected = spyOn(Bun, 'gc').mockImplementation(() => 0);
    try {
      const whisper = await load();
      const { runs } = loaded[1]!;
      while (runs.length < 66) {
        await whisper.hear(tone, 'en');
        expect(collected).toHaveBeenCalledTimes(Math.floor(runs.length / 32));
      }
      expect(collected).toHaveBeenCalledWith(true);
    } finally {
      collected.mockRestore();
    }
  });
});
