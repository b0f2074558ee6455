/** A decoder of two layers whose attention is computed as in known exports. */
import {
  ELEMENT,
  type GraphNode,
  integersAttribute,
  makeNode,
  type OnnxModel,
  makeIntegers,
  makeTensor,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import { fixed } from './fixed-value.ts';

export const [HEADS, SIZE, LAYERS] = [2, 64, 2];
export const WIDTH = HEADS * SIZE;

const order = (...values: number[]) => [integersAttribute('perm', values)];
const HEADS_FIRST = order(0, 2, 1, 3);

/** Attention in heads as exports compute it, with a mask or without one. */
export const attention = (
  q: string,
  k: string,
  v: string,
  output: string,
  mask?: string,
): GraphNode[] => [
  makeNode('Reshape', [q, 'shape'], `${output}_q4`),
  makeNode('Transpose', [`${output}_q4`], `${output}_qt`, HEADS_FIRST),
  makeNode('Mul', [`${output}_qt`, 'eighth'], `${output}_queries`),
  makeNode('Reshape', [k, 'shape'], `${output}_k4`),
  makeNode('Transpose', [`${output}_k4`], `${output}_keys`, order(0, 2, 3, 1)),
  makeNode('MatMul', [`${output}_queries`, `${output}_keys`], `${output}_products`),
  ...(mask ? [makeNode('Add', [`${output}_products`, mask], `${output}_masked`)] : []),
  makeNode('Softmax', [`${output}_${mask ? 'masked' : 'products'}`], `${output}_weights`),
  makeNode('Reshape', [v, 'shape'], `${output}_v4`),
  makeNode('Transpose', [`${output}_v4`], `${output}_values`, HEADS_FIRST),
  makeNode('MatMul', [`${output}_weights`, `${output}_values`], `${output}_mixed`),
  makeNode('Transpose', [`${output}_mixed`], `${output}_turned`, HEADS_FIRST),
  makeNode('Reshape', [`${output}_turned`, 'flat'], output),
];

/** A layer, whose queries, keys and values are made of its states. */
const layer = (at: number): GraphNode[] => [
  ...['q', 'k', 'v'].map((name) => makeNode('MatMul', ['states', 'weights'], `${name}${at}`)),
  makeNode('Slice', [`in_n_layer_self_k_cache`, 'offset'], `k_before${at}`),
  makeNode('Slice', [`in_n_layer_self_v_cache`, 'offset'], `v_before${at}`),
  makeNode('Concat', [`k_before${at}`, `k${at}`], `all_k${at}`),
  makeNode('Concat', [`v_before${at}`, `v${at}`], `all_v${at}`),
  ...attention(`q${at}`, `all_k${at}`, `all_v${at}`, `self${at}`, 'causal'),
  ...attention(`self${at}`, 'n_layer_cross_k', 'n_layer_cross_v', `cross${at}`),
];

/** The encodings of nine positions. */
export const encodings = Float32Array.from({ length: 9 * WIDTH }, (_, at) => at / 7);
/** The inputs of a decoder with so many layers. */
export function inputsFor(layers: number) {
  const cache = [layers, 1, 448, WIDTH];
  const sound = [layers, 1, 1500, WIDTH];
  return [
    fixed('tokens', ELEMENT.int64, [1, 1]),
    fixed('in_n_layer_self_k_cache', ELEMENT.float, cache),
    fixed('in_n_layer_self_v_cache', ELEMENT.float, cache),
    fixed('n_layer_cross_k', ELEMENT.float, sound),
    fixed('n_layer_cross_v', ELEMENT.float, sound),
    fixed('offset', ELEMENT.int64, [1]),
  ];
}
export const decoder: OnnxModel = {
  nodes: [
    makeNode('Slice', ['encodings', 'offset'], 'places'),
    makeNode('Add', ['tokens', 'places'], 'states'),
    makeNode('Greater', ['offset', 'tokens'], 'causal'),
    ...layer(0),
    ...layer(1),
    makeNode('Add', ['cross0', 'cross1'], 'logits'),
  ],
  tensors: [
    makeTensor('encodings', ELEMENT.float, [9, WIDTH], encodings),
    // Of the same size, but no table of encodings: one has whole numbers, and one other dimensions.
    makeTensor('numbers', ELEMENT.int64, [9, WIDTH], new BigInt64Array(9 * WIDTH)),
    makeTensor('three', ELEMENT.float, [1, WIDTH, 9], encodings),
    makeTensor('eighth', ELEMENT.float, [], Float32Array.of(1 / 8)),
    makeIntegers('shape', [0, 0, HEADS, SIZE]),
    makeIntegers('flat', [0, 0, WIDTH]),
  ],
  inputs: inputsFor(LAYERS),
  outputs: [fixed('logits', ELEMENT.float, [1])],
  inGraph: [],
  others: [],
};
