/** One cache for all texts, in a decoder of one layer whose attention is computed as in known exports. */
import { describe, expect, test } from 'bun:test';
import {
  ELEMENT,
  type GraphNode,
  makeNode,
  type OnnxModel,
  makeIntegers,
  makeTensor,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import { withSharedCache } from '../../../../server/whisper/graph/shared-cache.ts';
import { attention, inputsFor, WIDTH } from './exported-decoder.ts';
import { fixed } from './fixed-value.ts';

const float = (name: string, dims: number[], values: number[]) =>
  makeTensor(name, ELEMENT.float, dims, Float32Array.from(values));

const nodes: GraphNode[] = [
  makeNode('Slice', ['encodings', 'offset'], 'positions_of_tokens'),
  makeNode('Gather', ['embedding', 'tokens'], 'states'),
  makeNode('Add', ['states', 'positions_of_tokens'], 'x'),
  ...['q', 'k', 'v'].map((name) => makeNode('MatMul', ['x', 'weights'], name)),
  makeNode('Slice', ['in_n_layer_self_k_cache', 'offset'], 'k_before'),
  makeNode('Slice', ['in_n_layer_self_v_cache', 'offset'], 'v_before'),
  makeNode('Concat', ['k_before', 'k'], 'all_k'),
  makeNode('Concat', ['v_before', 'v'], 'all_v'),
  makeNode('Greater', ['offset', 'tokens'], 'causal'),
  ...attention('q', 'all_k', 'all_v', 'self', 'causal'),
  ...attention('self', 'n_layer_cross_k', 'n_layer_cross_v', 'cross'),
  makeNode('Identity', ['cross'], 'logits'),
  makeNode('Identity', ['cross_weights'], 'cross_attention_weights'),
  makeNode('Identity', ['all_k'], 'out_n_layer_self_k_cache'),
  makeNode('Identity', ['all_v'], 'out_n_layer_self_v_cache'),
];

const CACHE = [1, 1, 448, WIDTH];
const decoder = (changed: GraphNode[] = nodes): OnnxModel => ({
  nodes: changed,
  tensors: [
    float(
      'encodings',
      [1, WIDTH],
      Array.from({ length: WIDTH }, () => 0),
    ),
    float('eighth', [], [1 / 8]),
    float('weights', [2], [1, 2]),
    makeIntegers('embedding', [1]),
    makeIntegers('shape', [0, 0, 2, 64]),
    makeIntegers('flat', [0, 0, WIDTH]),
  ],
  inputs: inputsFor(1),
  outputs: [
    ...['logits', 'cross_attention_weights'].map((name) => fixed(name, ELEMENT.float, [1])),
    fixed('out_n_layer_self_k_cache', ELEMENT.float, CACHE),
    fixed('out_n_layer_self_v_cache', ELEMENT.float, CACHE),
  ],
  inGraph: [],
  others: [],
});
const names = (values: readonly { name: string }[]) => values.map(({ name }) => name);
const madeBy = (model: OnnxModel, output: string) =>
  model.nodes.find(({ outputs }) => outputs.includes(output))!;

describe('a decoder', () => {
  test('reads one cache by places, and returns what belongs into it', () => {
    const changed = withSharedCache(decoder())!;
    expect(names(changed.inputs)).toEqual(
      'tokens n_layer_cross_k n_layer_cross_v positions room mask keys_0 values_0'.split(' '),
    );
    expect(names(changed.outputs)).toEqual(
      'logits cross_attention_weights new_keys new_values'.split(' '),
    );
    expect(madeBy(changed, 'new_keys').inputs).toEqual(['k']);
    expect(madeBy(changed, 'new_values').inputs).toEqual(['v']);
    const positions = madeBy(changed, 'positions_of_tokens');
    expect([positions.type, ...positions.inputs]).toEqual(['Gather', 'encodings', 'positions']);
    // The attention to the sound is as it was.
    const cross = attention('self', 'n_layer_cross_k', 'n_layer_cross_v', 'cross');
    for (const node of cross) expect(changed.nodes).toContainEqual(node);
    const made = new Set(
      ['inputs', 'tensors'].flatMap((part) => names(changed[part as 'inputs' | 'tensors'])),
    );
    for (const { inputs, outputs } of changed.nodes) {
      for (const name of inputs) expect(made).toContain(name);
      for (const name of outputs) made.add(name);
    }
  });

  test.each<[string, OnnxModel]>([
    ['has no mask', decoder(nodes.filter(({ outputs }) => outputs[0] !== 'self_masked'))],
    [
      'appends to its cache otherwise',
      decoder(
        nodes.map((node) =>
          node.outputs[0] === 'all_k' ? makeNode('ScatterND', node.inputs, 'all_k') : node,
        ),
      ),
    ],
    [
      'joins something else than its cache',
      decoder(
        nodes.map((node) =>
          node.outputs[0] === 'v_before' ? makeNode('Identity', node.inputs, 'v_before') : node,
        ),
      ),
    ],
    ['selects positions twice', decoder([...nodes, makeNode('Slice', ['encodings'], 'more')])],
    [
      'computes its positions',
      decoder(nodes.with(0, makeNode('Cos', ['offset'], 'positions_of_tokens'))),
    ],
    [
      'needs the offset elsewhere',
      decoder(
        nodes.map((node) =>
          node.outputs[0] === 'logits' ? makeNode('Add', ['cross', 'offset'], 'logits') : node,
        ),
      ),
    ],
    ['has more attention', decoder([...nodes, makeNode('Softmax', ['x'], 'another')])],
    ['is not a decoder', { ...decoder(), inputs: [] }],
  ])('that %s is left alone', (_, model) => {
    expect(withSharedCache(model)).toBeNull();
  });
});
