/** The files of a model: read without their weights, changed, and given to the runtime. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, realpath, rm, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, basename } from 'node:path';
import {
  type OnnxModel,
  makeNode,
  readOnnxModel,
  writeOnnxModel,
} from '../../server/whisper/graph/onnx-graph.ts';
import { ELEMENT } from '../../server/whisper/graph/onnx-fields.ts';
import {
  makeIntegers,
  makeTensor,
  dimensionsOf,
  placeOf,
} from '../../server/whisper/graph/tensors.ts';
import {
  bytesField,
  joinedBytes,
  numberField,
  textField,
} from '../../server/whisper/graph/protobuf.ts';
import type { Tensor } from '../../server/whisper/model/decoder.ts';
import { loadWhisper } from '../../server/whisper/runtime.ts';
import { attention, decoder, LAYERS, WIDTH, fixed } from './graphs.ts';
import { modelWithoutWeights } from '../../server/whisper/graph/external-weights.ts';
import { marksOf } from '../../server/whisper/model/tokens.ts';

describe('loading a Whisper model', async () => {
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
    const model = readOnnxModel(bytes);
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
    await Bun.write(file('encoder.onnx'), writeOnnxModel(encoder));
    await Bun.write(file('decoder.onnx'), writeOnnxModel(model));
    const files = {
      encoder: file('encoder.onnx'),
      decoder: file('decoder.onnx'),
      tokens: file('tokens.txt'),
    };
    return loadWhisper(files, file('library.js'));
  }
  const names = (values: readonly { name: string }[]) => values.map(({ name }) => name);
  const tone = Float32Array.from({ length: 16_000 }, (_, at) => Math.sin(at / 9) / 3);

  test('a model is loaded as the part of the sound, the steps and the encoder, with the weights in its folder', async () => {
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
    const onDisk = { model_external_initializers_file_folder_path: folder };
    for (const { options } of loaded) {
      expect(options).toMatchObject({ extra: { session: onDisk } });
    }
  });

  test('a model whose attention is computed differently has a growing cache for each text', async () => {
    await load(otherwise);
    const step = loaded[1]!.model;
    expect(names(step.inputs)).toContain('in_n_layer_self_k_cache');
    expect(names(step.inputs)).not.toContain('mask');
    expect(names(step.tensors)).toContain('shape_of_one_text');
  });

  test('a model that is no decoder is refused', async () => {
    await expect(load({ ...decoder, inputs: [] })).rejects.toThrow('not the decoder');
  });

  test('a window is read by the encoder and the part of the sound once, and then by tokens', async () => {
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
});

describe('reading a model without its weights: every large tensor keeps its place in the file', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'captioner-weights-')));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const bytes = (length: number, seed: number): Uint8Array =>
    Uint8Array.from({ length }, (_, at) => (at * seed) % 251);

  /** The sizes cross the reader's blocks, and begin and end at odd places. */
  const weights = { large: bytes(200_001, 7), shape: bytes(24, 5), second: bytes(5003, 11) };
  const node = makeNode('MatMul', ['x'], 'y').bytes;
  const tensor = (name: keyof typeof weights) =>
    bytesField(5, makeTensor(name, ELEMENT.int8, [weights[name].length], weights[name]).bytes);
  const model = joinedBytes(
    numberField(1, 8),
    bytesField(
      7,
      bytesField(1, node),
      tensor('large'),
      bytesField(1, node),
      tensor('shape'),
      tensor('second'),
      textField(2, 'graph'),
    ),
    textField(2, 'producer'),
  );
  const path = join(folder, 'model.onnx');
  await Bun.write(path, model);

  test('large tensors refer to the file, and everything else stays', async () => {
    const read = await modelWithoutWeights(path);
    expect(read.folder).toBe(folder);
    expect(read.model.length).toBeLessThan(1000);
    const { tensors, nodes, inGraph, others } = readOnnxModel(read.model);
    expect(nodes.map(({ bytes: own }) => own)).toEqual([node, node]);
    expect([inGraph, others]).toEqual([
      [textField(2, 'graph')],
      [numberField(1, 8), textField(2, 'producer')],
    ]);
    expect(tensors.map(({ name }) => name)).toEqual(Object.keys(weights));
    for (const each of tensors) {
      const own = weights[each.name as keyof typeof weights];
      expect(dimensionsOf(each)).toEqual([own.length]);
      const place = placeOf(each);
      if (!place) expect(Buffer.from(each.bytes).includes(own)).toBe(true);
      else expect(model.subarray(place.offset, place.offset + place.length)).toEqual(own);
      expect(Buffer.from(each.bytes).includes(basename(path))).toBe(place !== null);
      expect(place === null).toBe(each.name === 'shape');
    }
  });

  test('a length of several hundred megabytes is read, without the bytes', async () => {
    /** The key and the length of a field, without its bytes. */
    const headOf = (number: number, length: number): Uint8Array => {
      const head = numberField(number, length);
      head[0]! |= 2;
      return head;
    };
    const size = 300_000_000;
    const raw = headOf(9, size);
    const initializer = headOf(5, raw.length + size);
    const inside = initializer.length + raw.length + size;
    const heads = joinedBytes(headOf(7, inside), initializer, raw);
    const large = join(folder, 'large.onnx');
    await Bun.write(large, heads);
    // The rest of the file takes no place on the disk.
    await truncate(large, heads.length + size);
    const { tensors } = readOnnxModel((await modelWithoutWeights(large)).model);
    expect(tensors.map(placeOf)).toEqual([{ offset: heads.length, length: size }]);
  });

  test('a symbolic link is followed, because onnxruntime does not leave the folder', async () => {
    const other = await mkdtemp(join(folder, 'links-'));
    const link = join(other, 'linked.onnx');
    await symlink(path, link);
    expect(await modelWithoutWeights(link)).toEqual(await modelWithoutWeights(path));
  });

  test.each([1, 3000])('a file that lacks its last %d bytes is not a model', async (missing) => {
    const short = join(folder, 'short.onnx');
    await Bun.write(short, model);
    await truncate(short, model.length - missing);
    await expect(modelWithoutWeights(short)).rejects.toThrow('not a Protocol Buffers message');
  });
});
