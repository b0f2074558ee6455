/** Attention as one operator, in encoders that compute it in the ways of known exports. */
import { describe, expect, test } from 'bun:test';
import { withFusedAttention } from '../../../../server/whisper/graph/fused-attention.ts';
import {
  ELEMENT,
  type GraphNode,
  integerOf,
  makeNode,
  type OnnxModel,
  readModel,
  writeModel,
  makeIntegers,
  makeTensor,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import {
  bytesField,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';

const WIDTH = 128;

const order = (...values: number[]) => [
  joined(textField(1, 'perm'), ...values.map((value) => numberField(8, value)), numberField(20, 7)),
];
const float = (name: string, ...values: number[]) =>
  makeTensor(
    name,
    ELEMENT.float,
    values.length === 1 ? [] : [values.length],
    Float32Array.from(values),
  );

/** What a Constant node has. */
const constant = (value: number) => [
  joined(textField(1, 'value'), bytesField(5, float('', value).bytes), numberField(20, 4)),
];

const HEADS_FIRST = order(0, 2, 1, 3);

/** The nodes from the scaled queries, keys and values to the output of a layer. */
const rest = (queries: string, keys: string): GraphNode[] => [
  makeNode('MatMul', [queries, keys], 'products'),
  makeNode('Softmax', ['products'], 'weights'),
  makeNode('Reshape', ['v', 'shape'], 'v4'),
  makeNode('Transpose', ['v4'], 'values', HEADS_FIRST),
  makeNode('MatMul', ['weights', 'values'], 'mixed'),
  makeNode('Transpose', ['mixed'], 'turned', HEADS_FIRST),
  makeNode('Reshape', ['turned', 'flat'], 'y'),
  makeNode('Identity', ['y'], 'n_layer_cross_k'),
];

/** The queries are scaled, after heads are first. */
const scaledQueries: GraphNode[] = [
  makeNode('Reshape', ['q', 'shape'], 'q4'),
  makeNode('Transpose', ['q4'], 'qt', HEADS_FIRST),
  makeNode('Mul', ['qt', 'eighth'], 'queries'),
  makeNode('Reshape', ['k', 'shape'], 'k4'),
  makeNode('Transpose', ['k4'], 'keys', order(0, 2, 3, 1)),
  ...rest('queries', 'keys'),
];

/** Queries and keys are scaled by the root, a constant of its own, and the keys transposed twice. */
const bothScaled: GraphNode[] = [
  makeNode('Constant', [], 'root', constant(Math.sqrt(1 / 8))),
  makeNode('Reshape', ['q', 'shape'], 'q4'),
  makeNode('Transpose', ['q4'], 'qt', HEADS_FIRST),
  makeNode('Mul', ['root', 'qt'], 'queries'),
  makeNode('Reshape', ['k', 'shape'], 'k4'),
  makeNode('Transpose', ['k4'], 'kt', HEADS_FIRST),
  makeNode('Mul', ['kt', 'root'], 'ks'),
  makeNode('Transpose', ['ks'], 'keys', order(0, 1, 3, 2)),
  ...rest('queries', 'keys'),
];

const output = (width: number) => {
  const shape = bytesField(
    2,
    ...[1, 1, 1500, width].map((dim) => bytesField(1, numberField(1, dim))),
  );
  const type = bytesField(2, bytesField(1, numberField(1, ELEMENT.float), shape));
  return { name: 'n_layer_cross_k', bytes: joined(textField(1, 'n_layer_cross_k'), type) };
};

const encoder = (nodes: GraphNode[], width = WIDTH): OnnxModel => ({
  nodes,
  tensors: [
    float('eighth', 1 / 8),
    float('quarter', 1 / 4),
    float('pair', 1, 1 / 8),
    makeIntegers('shape', [0, 0, 2, 64]),
    makeIntegers('flat', [0, 0, WIDTH]),
  ],
  inputs: [],
  outputs: [output(width)],
  inGraph: [textField(2, 'encoder')],
  others: [numberField(1, 8)],
});

/** What a node is after it is written and read: its operator, its domain and its inputs and outputs. */
const edges = (model: OnnxModel): string[] =>
  readModel(writeModel(model)).nodes.map(
    ({ type, inputs, outputs }) => `${type} ${inputs.join(', ')} > ${outputs.join(', ')}`,
  );

describe('attention', () => {
  test.each([
    ['whose queries are scaled', scaledQueries],
    ['whose queries and keys are scaled', bothScaled],
  ])('%s becomes one operator', (_, nodes) => {
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

  test('of two layers names the operators once', () => {
    const second = scaledQueries.slice(0, -1).map(({ type, inputs, outputs, attributes }) =>
      makeNode(
        type,
        inputs.map((name) =>
          name === 'q'
            ? 'y'
            : ['k', 'v', 'shape', 'flat', 'eighth'].includes(name)
              ? name
              : `${name}2`,
        ),
        `${outputs[0]}2`,
        attributes,
      ),
    );
    const nodes = [
      ...scaledQueries.slice(0, -1),
      ...second,
      makeNode('Identity', ['y2'], 'n_layer_cross_k'),
    ];
    const changed = withFusedAttention(encoder(nodes));
    expect(edges(changed).slice(0, 2)).toEqual([
      'MultiHeadAttention q, k, v > y',
      'MultiHeadAttention y, k, v > y2',
    ]);
    expect(changed.others).toHaveLength(2);
  });

  const replaced = (at: number, node: GraphNode) => scaledQueries.with(at, node);
  test.each([
    ['has another scale', replaced(2, makeNode('Mul', ['qt', 'quarter'], 'queries'))],
    ['is scaled by several numbers', replaced(2, makeNode('Mul', ['qt', 'pair'], 'queries'))],
    ['is masked', replaced(2, makeNode('Add', ['qt', 'eighth'], 'queries'))],
    [
      'has its heads elsewhere',
      replaced(1, makeNode('Transpose', ['q4'], 'qt', order(0, 1, 2, 3))),
    ],
    ['has its keys elsewhere', replaced(4, makeNode('Transpose', ['k4'], 'keys', HEADS_FIRST))],
    ['is not divided into heads', scaledQueries.slice(1)],
    [
      'is not put together',
      replaced(10, makeNode('Transpose', ['mixed'], 'turned', order(0, 1, 2, 3))),
    ],
    ['ends otherwise', replaced(11, makeNode('Identity', ['turned'], 'y'))],
    ['is read by others', [...scaledQueries, makeNode('Identity', ['weights'], 'shown')]],
  ])('is unchanged if it %s', (_, nodes) => {
    const model = encoder(nodes);
    expect(withFusedAttention(model)).toBe(model);
  });

  test.each([0, 100])('is unchanged if the width is %i', (width) => {
    const model = encoder(scaledQueries, width);
    expect(withFusedAttention(model)).toBe(model);
  });
});
