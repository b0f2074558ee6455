/** The attention of tokens that share one cache, computed in small numbers and compared with its definition. */
import { expect, test } from 'bun:test';
import {
  ELEMENT,
  type GraphNode,
  integersAttribute,
  makeNode,
  type OnnxModel,
} from '../../../../server/speech/host/whisper/onnx-graph.ts';
import { makeIntegers, makeTensor } from '../../../../server/speech/host/whisper/onnx-tensors.ts';
import { withSharedCache } from '../../../../server/speech/host/whisper/shared-cache.ts';
import { fixed } from './fixed-value.ts';
import { computed, type Value } from './small-graphs.ts';

const [HEADS, SIZE, LAYERS] = [2, 64, 2];
const WIDTH = HEADS * SIZE;

const order = (...values: number[]) => [integersAttribute('perm', values)];
const HEADS_FIRST = order(0, 2, 1, 3);

/** Attention in heads as exports compute it, with a mask or without one. */
const attention = (q: string, k: string, v: string, output: string, mask?: string): GraphNode[] => [
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

const encodings = Float32Array.from({ length: 9 * WIDTH }, (_, at) => at / 7);
const CACHE = [LAYERS, 1, 448, WIDTH];
const decoder: OnnxModel = {
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
  inputs: [
    fixed('tokens', ELEMENT.int64, [1, 1]),
    fixed('in_n_layer_self_k_cache', ELEMENT.float, CACHE),
    fixed('in_n_layer_self_v_cache', ELEMENT.float, CACHE),
    fixed('n_layer_cross_k', ELEMENT.float, [LAYERS, 1, 1500, WIDTH]),
    fixed('n_layer_cross_v', ELEMENT.float, [LAYERS, 1, 1500, WIDTH]),
    fixed('offset', ELEMENT.int64, [1]),
  ],
  outputs: [fixed('logits', ELEMENT.float, [1])],
  inGraph: [],
  others: [],
};

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
        Array.from({ length: ROOM + TOKENS }, (_, place) => (own.includes(place) ? 0 : -Infinity)),
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

test('the keys and values of the tokens are returned by layers', () => {
  const [k0, k1, v0, v1] = [0, 1, 2, 3].map(() => random(1, TOKENS, WIDTH)) as Value[];
  const known = { k0: k0!, k1: k1!, v0: v0!, v1: v1! };
  expect(computed(changed, known, 'new_keys')).toEqual({
    dims: [LAYERS, TOKENS, WIDTH],
    data: [...k0!.data, ...k1!.data],
  });
  expect(computed(changed, known, 'new_values').data).toEqual([...v0!.data, ...v1!.data]);
});

test('each token has the encoding of its own position', () => {
  const places = computed(changed, { positions: { dims: [2], data: [5, 1] } }, 'places');
  expect(places.dims).toEqual([2, WIDTH]);
  expect(places.data).toEqual([
    ...encodings.subarray(5 * WIDTH, 6 * WIDTH),
    ...encodings.subarray(WIDTH, 2 * WIDTH),
  ]);
});
