/** The changes of a decoder's graph that make its steps cheaper, on a graph like those of the published exports. */
import { describe, expect, test } from 'bun:test';
import { splitDecoder } from '../../../../server/whisper/graph/divide.ts';
import { withGrowingCache } from '../../../../server/whisper/graph/shared-cache.ts';
import {
  ELEMENT,
  type GraphNode,
  integerAttribute,
  makeNode,
  makeValue,
  type OnnxModel,
  readModel,
  shapeOf,
  writeModel,
  dimensionsOf,
  makeIntegers,
  makeTensor,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import {
  bytesField,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';
import {
  withBatchedLogits,
  withTwoPassLogits,
} from '../../../../server/whisper/graph/two-pass-logits.ts';
import { fixed } from './fixed-value.ts';

const CACHE = [2, 1, 448, 64];
const SOUND = [2, 1, 1500, 64];

/** One layer: the sound's keys, shaped by their own shape, and a step that reads them, the cache and the tokens. */
const nodes: GraphNode[] = [
  makeNode('Gather', ['n_layer_cross_k', 'layer'], 'keys'),
  makeNode('Gather', ['tokens', 'layer'], 'token'),
  makeNode('Shape', ['keys'], 'shape'),
  makeNode('Concat', ['shape', 'heads'], 'by_heads', [integerAttribute('axis', 0)]),
  makeNode('Reshape', ['keys', 'by_heads'], 'headed'),
  makeNode('Transpose', ['headed'], 'turned'),
  makeNode('MatMul', ['turned', 'turned'], 'squared'),
  makeNode('Cast', ['shape'], 'size', [integerAttribute('to', ELEMENT.float)]),
  makeNode('Add', ['token', 'in_n_layer_self_k_cache'], 'out_n_layer_self_k_cache'),
  makeNode('Mul', ['out_n_layer_self_k_cache', 'squared'], 'scaled'),
  makeNode('Div', ['scaled', 'size'], 'states'),
  makeNode('Transpose', ['states'], 'columns'),
  makeNode('MatMul', ['embedding', 'columns'], 'product'),
  makeNode('Transpose', ['product'], 'logits'),
];

const decoder: OnnxModel = {
  nodes,
  tensors: [makeIntegers('layer', [0]), makeIntegers('heads', [1]), makeIntegers('embedding', [7])],
  inputs: [
    fixed('tokens', ELEMENT.int64, [1, 1]),
    fixed('in_n_layer_self_k_cache', ELEMENT.float, CACHE),
    fixed('n_layer_cross_k', ELEMENT.float, SOUND),
    fixed('offset', ELEMENT.int64, [1]),
  ],
  outputs: [
    fixed('logits', ELEMENT.float, [1, 1, 51_865]),
    fixed('out_n_layer_self_k_cache', ELEMENT.float, CACHE),
  ],
  inGraph: [textField(2, 'decoder')],
  others: [numberField(1, 8)],
};

const edges = ({ nodes }: OnnxModel): string[] =>
  nodes.map(({ type, inputs, outputs }) => `${type} ${inputs.join(', ')} > ${outputs.join(', ')}`);
const names = (values: readonly { name: string }[]) => values.map(({ name }) => name);

describe('reading and writing', () => {
  test('a written model is read back', () => {
    expect(readModel(writeModel(decoder))).toEqual(decoder);
  });

  test('shapes stored for values within the graph are removed', () => {
    const noted = bytesField(7, textField(2, 'decoder'), bytesField(13, textField(1, 'keys')));
    expect(readModel(noted).inGraph).toEqual([textField(2, 'decoder')]);
  });
});

test('caches may have any length, and everything else keeps its shape', () => {
  const { inputs, outputs } = withGrowingCache(decoder);
  expect([...inputs, ...outputs].map((value) => shapeOf(value).dims)).toEqual([
    [1, 1],
    [0, 0, 0, 0],
    SOUND,
    [1],
    [1, 1, 51_865],
    [0, 0, 0, 0],
  ]);
  expect(shapeOf(inputs[1]!).element).toBe(ELEMENT.float);
});

describe('the logits of all texts', () => {
  test('are computed in one product', () => {
    const changed = withBatchedLogits(decoder);
    expect(edges(changed).slice(-4)).toEqual([
      'Reshape states, shape_of_one_text > as_one_text',
      'Transpose as_one_text > columns',
      'MatMul embedding, columns > product',
      'Transpose product > logits',
    ]);
    expect(changed.tensors.at(-1)).toEqual(makeIntegers('shape_of_one_text', [1, -1, 0]));
    expect(shapeOf(changed.outputs[0]!)).toEqual({ element: ELEMENT.float, dims: [] });
    expect(names(changed.outputs)).toEqual(names(decoder.outputs));
  });

  test.each([11, 12, 13])('are unchanged if node %i is another', (at) => {
    const { inputs, outputs } = nodes[at]!;
    const other = { ...decoder, nodes: nodes.with(at, makeNode('Gemm', inputs, outputs[0]!)) };
    expect(withBatchedLogits(other)).toBe(other);
  });
});

describe('logits in two passes', () => {
  const rough = {
    tokens: 3,
    width: 2,
    values: Int8Array.of(1, 2, 3, -4, -5, -6),
    scales: Float32Array.of(0.5, 0.25, 2),
  };

  test('are rough for all tokens, and exact for the most likely ones', () => {
    const changed = withTwoPassLogits(withBatchedLogits(decoder), rough);
    expect(edges(changed).slice(-12)).toEqual([
      'Reshape states, shape_of_one_text > as_one_text',
      'DynamicQuantizeLinear as_one_text > rounded, rounded_scale, rounded_zero',
      'MatMulInteger rounded, rough_embedding, rounded_zero > rough_sums',
      'Cast rough_sums > rough_floats',
      'Mul rounded_scale, rough_scales > rough_factors',
      'Mul rough_floats, rough_factors > rough_logits',
      'TopK rough_logits, exact_count > likeliest_logits, likeliest',
      'Gather embedding, likeliest > likeliest_embedding',
      'Unsqueeze as_one_text, after_width > state_columns',
      'MatMul likeliest_embedding, state_columns > exact_columns',
      'Squeeze exact_columns, after_width > exact_logits',
      'ScatterElements rough_logits, likeliest, exact_logits > logits',
    ]);
    expect(changed.tensors.slice(-4)).toEqual([
      makeTensor('rough_embedding', ELEMENT.int8, [2, 3], rough.values),
      makeTensor('rough_scales', ELEMENT.float, [3], rough.scales),
      makeIntegers('exact_count', [3]),
      makeIntegers('after_width', [3]),
    ]);
    expect(dimensionsOf(changed.tensors.at(-4)!)).toEqual([2, 3]);
  });

  test('are left as they are where the last nodes are others', () => {
    const other = { ...decoder, nodes: nodes.slice(0, -1) };
    expect(withTwoPassLogits(other, rough)).toBe(other);
  });
});

describe('a decoder divided by the sound', () => {
  const { sound, step } = splitDecoder(decoder)!;

  test('computes the part that depends only on the sound once, up to an unknown operator', () => {
    expect(edges(sound)).toEqual([
      'Gather n_layer_cross_k, layer > keys',
      'Shape keys > shape',
      'Concat shape, heads > by_heads',
      'Reshape keys, by_heads > headed',
      'Transpose headed > turned',
      'Cast shape > size',
    ]);
    expect(names(sound.inputs)).toEqual(['n_layer_cross_k']);
    expect(names(sound.tensors)).toEqual(['layer', 'heads']);
    expect(sound.outputs).toEqual(['turned', 'size'].map((name) => makeValue(name, ELEMENT.float)));
    expect(sound.others).toEqual(decoder.others);
  });

  test('uses it as inputs of each step', () => {
    expect(edges(step)).toEqual([1, 6, 8, 9, 10, 11, 12, 13].map((at) => edges(decoder)[at]!));
    expect(names(step.inputs)).toEqual(['tokens', 'in_n_layer_self_k_cache', 'turned', 'size']);
    expect(names(step.tensors)).toEqual(['layer', 'embedding']);
    expect(step.outputs).toEqual(decoder.outputs);
  });

  test('also computes once what leaves an input out', () => {
    const split = makeNode('Split', ['headed', ''], 'turned');
    const rest = nodes.map((node) => (node.outputs.includes('turned') ? split : node));
    expect(edges(splitDecoder({ ...decoder, nodes: rest })!.sound)).toContain(
      'Split headed,  > turned',
    );
  });

  test('passes integers as integers', () => {
    const rest = nodes.toSpliced(7, 1, makeNode('Expand', ['token', 'shape'], 'size'));
    const { sound: other } = splitDecoder({ ...decoder, nodes: rest })!;
    expect(other.outputs.map((value) => [value.name, shapeOf(value).element])).toEqual([
      ['shape', ELEMENT.int64],
      ['turned', ELEMENT.float],
    ]);
  });

  test('is unchanged if nothing depends only on the sound, or a node has its own graph', () => {
    expect(splitDecoder({ ...decoder, nodes: nodes.slice(8, 9) })).toBeNull();
    const fixed = makeNode('Shape', ['heads'], 'fixed');
    const expanded = makeNode('Expand', ['tokens', 'fixed'], 'logits');
    expect(splitDecoder({ ...decoder, nodes: [fixed, expanded] })).toBeNull();
    const graph = joined(
      textField(1, 'body'),
      bytesField(6, textField(2, 'g')),
      numberField(20, 5),
    );
    const branch = makeNode('If', ['token'], 'either', [graph]);
    expect(splitDecoder({ ...decoder, nodes: [...nodes, branch] })).toBeNull();
    const out = [...decoder.outputs, makeValue('turned', ELEMENT.float)];
    expect(splitDecoder({ ...decoder, outputs: out })).toBeNull();
  });
});
