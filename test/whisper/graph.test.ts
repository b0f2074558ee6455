/** The changes of published graphs, which must compute the same in less time. */
import { describe, expect, test, afterAll } from 'bun:test';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GraphNode,
  type OnnxModel,
  integersAttribute,
  makeNode,
  makeValue,
  integerOf,
  readOnnxModel,
  writeOnnxModel,
} from '../../server/whisper/graph/onnx-graph.ts';
import { ELEMENT } from '../../server/whisper/graph/onnx-fields.ts';
import { makeIntegers, makeTensor } from '../../server/whisper/graph/tensors.ts';
import {
  bytesField,
  joinedBytes,
  numberField,
  textField,
} from '../../server/whisper/graph/protobuf.ts';
import { withSharedCache } from '../../server/whisper/graph/shared-cache.ts';
import { attention, WIDTH, decoder, fixed, HEADS, SIZE, computed, type Value } from './graphs.ts';
import { withFusedAttention } from '../../server/whisper/graph/attention.ts';
import { splitDecoder } from '../../server/whisper/graph/split-decoder.ts';
import { quantisedEmbedding } from '../../server/whisper/graph/quantised-embedding.ts';
import { modelWithoutWeights } from '../../server/whisper/graph/external-weights.ts';

test('a decoder is not divided by the sound if nothing depends only on the sound, or a node has its own graph', () => {
  const divided = withSharedCache(decoder)!;
  expect(splitDecoder(divided)).not.toBeNull();
  const { nodes } = divided;
  const ofTokens = nodes.filter(({ inputs }) => !inputs.some((name) => name.includes('cross')));
  expect(splitDecoder({ ...divided, nodes: ofTokens })).toBeNull();
  const graph = joinedBytes(
    textField(1, 'body'),
    bytesField(6, textField(2, 'g')),
    numberField(20, 5),
  );
  const branch = makeNode('If', ['tokens'], 'either', [graph]);
  expect(splitDecoder({ ...divided, nodes: [...nodes, branch] })).toBeNull();
  const outputs = [...divided.outputs, makeValue('cross0_keys', ELEMENT.float)];
  expect(splitDecoder({ ...divided, outputs })).toBeNull();
});

describe('one cache for all texts', () => {
  const { nodes } = decoder;
  const without = (output: string) => nodes.filter(({ outputs }) => outputs[0] !== output);
  const instead = (type: string, output: string, inputs?: string[]) =>
    nodes.map((node) =>
      node.outputs[0] === output ? makeNode(type, inputs ?? node.inputs, output) : node,
    );

  test.each<[string, GraphNode[], object?]>([
    ['has no mask', without('self0_masked')],
    ['appends to its cache otherwise', instead('ScatterND', 'all_k0')],
    ['joins something else than its cache', instead('Identity', 'v_before0')],
    ['selects positions twice', [...nodes, makeNode('Slice', ['encodings'], 'more')]],
    ['computes its positions', instead('Cos', 'places', ['offset'])],
    ['needs the offset elsewhere', instead('Add', 'logits', ['cross0', 'offset'])],
    ['has more attention', [...nodes, makeNode('Softmax', ['states'], 'another')]],
    ['is not a decoder', nodes, { inputs: [] }],
  ])('a decoder that %s is left alone', (_, changed, more = {}) => {
    expect(withSharedCache({ ...decoder, nodes: changed, ...more })).toBeNull();
  });
});

describe('the attention of tokens that share one cache, computed in small numbers and compared with its definition', () => {
  let state = 4711;
  /** A value of numbers between -1 and 1 that look random. */
  const random = (...dims: number[]): Value => ({
    dims,
    data: Array.from({ length: dims.reduce((all, dim) => all * dim, 1) }, () => {
      state = (state * 16_807) % 2_147_483_647;
      return (2 * state) / 2_147_483_647 - 1;
    }),
  });

  const changed = withSharedCache(decoder)!;
  const [TOKENS, ROOM] = [3, 4];

  test.each([0, 1])(
    'tokens attend to the places and tokens that the mask allows, in layer %d',
    (at) => {
      const [q, k, v] = [
        random(1, TOKENS, WIDTH),
        random(1, TOKENS, WIDTH),
        random(1, TOKENS, WIDTH),
      ];
      const keys = random(HEADS, ROOM, SIZE);
      const values = random(HEADS, ROOM, SIZE);
      /** The first token sees two places and itself, the second none but itself, and the third all that is first. */
      const seen = [[0, 2, 4], [5], [0, 1, 2, 3, 4, 6]];
      const mask = {
        dims: [1, TOKENS, ROOM + TOKENS],
        data: seen.flatMap((own) =>
          Array.from({ length: ROOM + TOKENS }, (_, place) =>
            own.includes(place) ? 0 : -Infinity,
          ),
        ),
      };
      const known = {
        [`q${at}`]: q,
        [`k${at}`]: k,
        [`v${at}`]: v,
        [`keys_${at}`]: keys,
        [`values_${at}`]: values,
        mask,
        room: { dims: [1], data: [ROOM] },
      };
      const output = computed(changed, known, `self${at}`);
      expect(output.dims).toEqual([1, TOKENS, WIDTH]);
      for (const [token, own] of seen.entries()) {
        for (let head = 0; head < HEADS; head += 1) {
          /** The values of a head at a place of the cache, or of a token. */
          const headOf = (cache: Value, of: Value, place: number) =>
            place < ROOM
              ? cache.data.slice((head * ROOM + place) * SIZE, (head * ROOM + place + 1) * SIZE)
              : tokenOf(of, place - ROOM);
          const tokenOf = (of: Value, number: number) =>
            of.data.slice(number * WIDTH + head * SIZE, number * WIDTH + (head + 1) * SIZE);
          const query = tokenOf(q, token);
          const powers = own.map((place) =>
            Math.exp(headOf(keys, k, place).reduce((sum, one, i) => sum + one * query[i]!, 0) / 8),
          );
          const all = powers.reduce((sum, one) => sum + one, 0);
          for (let i = 0; i < SIZE; i += 9) {
            const expected = own.reduce(
              (sum, place, n) => sum + (powers[n]! / all) * headOf(values, v, place)[i]!,
              0,
            );
            expect(output.data[token * WIDTH + head * SIZE + i]).toBeCloseTo(expected, 5);
          }
        }
      }
    },
  );
});

describe('attention as one operator, in encoders that compute it in the ways of known exports', () => {
  const order = (...values: number[]) => [integersAttribute('perm', values)];
  const float = (name: string, ...values: number[]) =>
    makeTensor(
      name,
      ELEMENT.float,
      values.length === 1 ? [] : [values.length],
      Float32Array.from(values),
    );

  /** What a Constant node has. */
  const constant = (value: number) => [
    joinedBytes(textField(1, 'value'), bytesField(5, float('', value).bytes), numberField(20, 4)),
  ];

  /** The queries are scaled, after heads are first. */
  const scaledQueries: GraphNode[] = [
    ...attention('q', 'k', 'v', 'y'),
    makeNode('Identity', ['y'], 'n_layer_cross_k'),
  ];

  /** Queries and keys are scaled by the root, a constant of its own, and the keys transposed twice. */
  const bothScaled: GraphNode[] = [
    makeNode('Constant', [], 'root', constant(Math.sqrt(1 / 8))),
    ...scaledQueries.slice(0, 2),
    makeNode('Mul', ['root', 'y_qt'], 'y_queries'),
    scaledQueries[3]!,
    makeNode('Transpose', ['y_k4'], 'kt', order(0, 2, 1, 3)),
    makeNode('Mul', ['kt', 'root'], 'ks'),
    makeNode('Transpose', ['ks'], 'y_keys', order(0, 1, 3, 2)),
    ...scaledQueries.slice(5),
  ];

  const encoder = (nodes: GraphNode[]): OnnxModel => ({
    nodes,
    tensors: [
      float('eighth', 1 / 8),
      float('quarter', 1 / 4),
      float('pair', 1, 1 / 8),
      makeIntegers('shape', [0, 0, 2, 64]),
      makeIntegers('flat', [0, 0, WIDTH]),
    ],
    inputs: [],
    outputs: [fixed('n_layer_cross_k', ELEMENT.float, [1, 1, 1500, WIDTH])],
    inGraph: [textField(2, 'encoder')],
    others: [numberField(1, 8)],
  });

  /** What a node is after it is written and read: its operator, its domain and its inputs and outputs. */
  const edges = (model: OnnxModel): string[] =>
    readOnnxModel(writeOnnxModel(model)).nodes.map(
      ({ type, inputs, outputs }) => `${type} ${inputs.join(', ')} > ${outputs.join(', ')}`,
    );

  test.each([
    ['whose queries are scaled', scaledQueries],
    ['whose queries and keys are scaled', bothScaled],
  ])('attention: %s becomes one operator', (_, nodes) => {
    const changed = withFusedAttention(encoder(nodes));
    expect(edges(changed)).toEqual([
      'MultiHeadAttention q, k, v > y',
      'Identity y > n_layer_cross_k',
    ]);
    expect(integerOf(changed.nodes[0]!, 'num_heads')).toBe(2);
    expect(new TextDecoder().decode(changed.nodes[0]!.bytes)).toContain('com.microsoft');
    // The constants are no longer needed, and the model names the operators of onnxruntime.
    expect(changed.tensors).toEqual([]);
    expect(changed.others).toHaveLength(2);
    expect(withFusedAttention(changed)).toBe(changed);
  });

  const replaced = (at: number, node: GraphNode) => scaledQueries.with(at, node);
  const turned = (at: number, from: string, to: string, ...axes: number[]) =>
    replaced(at, makeNode('Transpose', [from], to, order(...axes)));
  test.each([
    ['has another scale', replaced(2, makeNode('Mul', ['y_qt', 'quarter'], 'y_queries'))],
    ['is scaled by several numbers', replaced(2, makeNode('Mul', ['y_qt', 'pair'], 'y_queries'))],
    ['is masked', replaced(2, makeNode('Add', ['y_qt', 'eighth'], 'y_queries'))],
    ['has its heads elsewhere', turned(1, 'y_q4', 'y_qt', 0, 1, 2, 3)],
    ['has its keys elsewhere', turned(4, 'y_k4', 'y_keys', 0, 2, 1, 3)],
    ['is not divided into heads', scaledQueries.slice(1)],
    ['is not put together', turned(10, 'y_mixed', 'y_turned', 0, 1, 2, 3)],
    ['ends otherwise', replaced(11, makeNode('Identity', ['y_turned'], 'y'))],
    ['is read by others', [...scaledQueries, makeNode('Identity', ['y_weights'], 'shown')]],
  ])('attention is unchanged if it %s', (_, nodes) => {
    const model = encoder(nodes);
    expect(withFusedAttention(model)).toBe(model);
  });
});

describe('the rounded embedding, read from the file of the weights', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'captioner-rough-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** More tokens than are read at once. */
  const [TOKENS, WIDTH] = [4500, 3];
  const values = Float32Array.from({ length: TOKENS * WIDTH }, (_, at) => Math.sin(at) * (at % 7));
  values.fill(0, WIDTH, 2 * WIDTH);

  const nodes = [
    makeNode('Transpose', ['states'], 'columns'),
    makeNode('MatMul', ['embedding', 'columns'], 'product'),
    makeNode('Transpose', ['product'], 'logits'),
  ];
  const decoder = (dims = [TOKENS, WIDTH], element = ELEMENT.float): OnnxModel => ({
    nodes,
    tensors: [makeTensor('embedding', element, dims, values)],
    inputs: [],
    outputs: [],
    inGraph: [],
    others: [],
  });

  /** A decoder in a file, and its model, which refers to the file. */
  async function written(model: OnnxModel, name: string) {
    const path = join(folder, name);
    await Bun.write(path, writeOnnxModel(model));
    return { path, model: readOnnxModel((await modelWithoutWeights(path)).model) };
  }

  test('every token is rounded by its own scale', async () => {
    const { path, model } = await written(decoder(), 'whole');
    const rough = (await quantisedEmbedding(model, path))!;
    expect([rough.tokens, rough.width]).toEqual([TOKENS, WIDTH]);
    for (let token = 0; token < TOKENS; token += 1) {
      const row = values.subarray(token * WIDTH, (token + 1) * WIDTH);
      const largest = Math.max(...row.map(Math.abs));
      expect(rough.scales[token]).toBeCloseTo(largest / 63, 6);
      for (const [column, value] of row.entries()) {
        const rounded = rough.values[column * TOKENS + token]!;
        expect(Math.abs(rounded)).toBeLessThanOrEqual(largest === 0 ? 0 : 63);
        expect(Math.abs(rounded * rough.scales[token]! - value)).toBeLessThanOrEqual(
          largest / 63 / 1.99,
        );
      }
    }
  });

  test('there is none where the file ends early', async () => {
    const { path, model } = await written(decoder(), 'short');
    await truncate(path, 20_000);
    expect(await quantisedEmbedding(model, path)).toBeNull();
  });
});
