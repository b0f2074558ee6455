/**
 * Lets all texts that a decoder continues share one cache: the keys and values of every token that was taken, whatever
 * its text. A mask selects those that belong to a text. Exports have a cache for each text, and each step copies all of
 * it several times, which takes half of the time of a step with five texts.
 */
import {
  type GraphNode,
  type OnnxModel,
  integerAttribute,
  integersAttribute,
  makeNode,
  makeValue,
  shapeOf,
  onlyNeeded,
} from './onnx-graph.ts';
import { ELEMENT } from './onnx-fields.ts';
import { type GraphNodes, nodesOf } from './graph-nodes.ts';
import { makeIntegers, makeTensor, dimensionsOf, elementOf } from './tensors.ts';
import { ATTENTION_SCALE, attentionAround, HEAD_SIZE } from './attention.ts';

type NamedBytes = OnnxModel['tensors'][number];

/** The inputs of a decoder whose texts have caches of their own. */
const OWN_CACHE = new Set(['in_n_layer_self_k_cache', 'in_n_layer_self_v_cache', 'offset']);
/** The end of a slice that extends to the end of its dimension. */
const REST = Number.MAX_SAFE_INTEGER;

/** The names of a layer's keys and values in the shared cache: [heads, places, values of a head]. */
export const cacheOf = (layer: number) => ({ keys: `keys_${layer}`, values: `values_${layer}` });

/**
 * Returns the model for tokens of any texts in one row, [1, tokens], or null if it computes its attention differently
 * from known exports. Its inputs besides the audio, which replace caches and offset:
 * - `positions`: the place of each token in its text, [tokens];
 * - `room`: the number of places in the cache, [1];
 * - `mask`: what is added to the products of each token with the places of the cache and then with the tokens, 0 for
 *   those that it attends to, [1, tokens, places + tokens];
 * - the cache of each layer, by the names of `cacheOf`.
 * Its outputs `new_keys` and `new_values`, [layers, tokens, width], belong into the cache.
 */
export function withSharedCache(model: OnnxModel): OnnxModel | null {
  const cache = model.inputs.find(({ name }) => name === 'in_n_layer_self_k_cache');
  const [layers = 0, , , width = 0] = cache ? shapeOf(cache).dims : [];
  const graph = nodesOf(model);
  const replaced = new Map<GraphNode, GraphNode[]>();
  const made: { keys: string[]; values: string[] } = { keys: [], values: [] };
  const softmaxes = model.nodes.filter(({ type }) => type === 'Softmax');
  // Each layer has attention to the tokens first, then to the audio.
  if (layers === 0 || softmaxes.length !== 2 * layers) return null;
  for (let layer = 0; layer < layers; layer += 1) {
    const found = attentionAround(softmaxes[2 * layer]!, graph, true);
    const keys = newOf(found?.keys, graph);
    const values = newOf(found?.values, graph);
    if (!found || !keys || !values) return null;
    const { queries, last } = found;
    replaced.set(last, attention(layer, { queries, keys, values, output: last.outputs[0]! }));
    made.keys.push(keys);
    made.values.push(values);
  }
  const positions = positionsOf(model, width);
  if (!positions) return null;
  const [encodings = ''] = positions.inputs;
  replaced.set(positions, [
    makeNode('Gather', [encodings, 'positions'], positions.outputs, [integerAttribute('axis', 0)]),
  ]);
  const caches = made.keys.flatMap((_, layer) => Object.values(cacheOf(layer)));
  const changed = onlyNeeded({
    ...model,
    nodes: [
      ...model.nodes.flatMap((node) => replaced.get(node) ?? [node]),
      ...stacked(made.keys, 'new_keys'),
      ...stacked(made.values, 'new_values'),
    ],
    tensors: [
      ...model.tensors,
      // In a shape, -1 takes whatever is left.
      makeIntegers('shape_of_heads', [-1, width / HEAD_SIZE, HEAD_SIZE]),
      makeIntegers('shape_of_tokens', [1, -1, width]),
      makeIntegers('to_begin', [0]),
      makeIntegers('to_end', [REST]),
      makeIntegers('on_places', [2]),
      makeTensor('scale_of_queries', ELEMENT.float, [], Float32Array.of(ATTENTION_SCALE)),
    ],
    inputs: [
      ...model.inputs,
      makeValue('positions', ELEMENT.int64),
      makeValue('room', ELEMENT.int64),
      ...['mask', ...caches].map((name) => makeValue(name, ELEMENT.float)),
    ],
    outputs: [
      ...model.outputs
        .filter(({ name }) => !name.startsWith('out_n_layer_self_'))
        .map(({ name }) => makeValue(name, ELEMENT.float)),
      makeValue('new_keys', ELEMENT.float),
      makeValue('new_values', ELEMENT.float),
    ],
  });
  return changed.inputs.some(({ name }) => OWN_CACHE.has(name)) ? null : changed;
}

/**
 * The keys or values of the new tokens alone, before they are appended to a cache; null if the cache is built
 * differently.
 */
function newOf(name: string | undefined, graph: GraphNodes): string | null {
  const joining = graph.maker(name);
  const [before, added, ...others] = joining?.inputs ?? [];
  if (joining?.type !== 'Concat' || others.length > 0) return null;
  return graph.maker(before)?.type === 'Slice' ? (added ?? null) : null;
}

/** The node that selects the encodings of the tokens' positions; null if there is not exactly one such node. */
function positionsOf({ nodes, tensors }: OnnxModel, width: number): GraphNode | null {
  const tables = new Set(
    tensors
      .filter((tensor) => {
        const dims = dimensionsOf(tensor);
        return elementOf(tensor) === ELEMENT.float && dims.length === 2 && dims[1] === width;
      })
      .map(({ name }) => name),
  );
  const [only, ...others] = nodes.filter(
    ({ type, inputs }) => type === 'Slice' && tables.has(inputs[0]!),
  );
  return only && others.length === 0 ? only : null;
}

/** The attention of a layer's tokens to the cache and to one another. */
function attention(
  layer: number,
  { queries, keys, values, output }: Record<'queries' | 'keys' | 'values' | 'output', string>,
): GraphNode[] {
  const cached = cacheOf(layer);
  const own = (name: string) => `${name}_of_tokens_${layer}`;
  const heads = (name: string, to: string, order: number[]) => [
    makeNode('Reshape', [name, 'shape_of_heads'], own(`${to}_heads`)),
    makeNode('Transpose', [own(`${to}_heads`)], own(to), [integersAttribute('perm', order)]),
  ];
  const onPlaces = [integerAttribute('axis', 2)];
  return [
    ...heads(queries, 'unscaled', [1, 0, 2]),
    makeNode('Mul', [own('unscaled'), 'scale_of_queries'], own('queries')),
    ...heads(keys, 'keys', [1, 2, 0]),
    ...heads(values, 'values', [1, 0, 2]),
    makeNode('Transpose', [cached.keys], own('cache'), [integersAttribute('perm', [0, 2, 1])]),
    makeNode('MatMul', [own('queries'), own('cache')], own('cached')),
    makeNode('MatMul', [own('queries'), own('keys')], own('current')),
    makeNode('Concat', [own('cached'), own('current')], own('products'), onPlaces),
    makeNode('Add', [own('products'), 'mask'], own('masked')),
    makeNode('Softmax', [own('masked')], own('weights'), onPlaces),
    makeNode('Slice', [own('weights'), 'to_begin', 'room', 'on_places'], own('first')),
    makeNode('Slice', [own('weights'), 'room', 'to_end', 'on_places'], own('rest')),
    makeNode('MatMul', [own('first'), cached.values], own('of_cache')),
    makeNode('MatMul', [own('rest'), own('values')], own('of_current')),
    makeNode('Add', [own('of_cache'), own('of_current')], own('mixed')),
    makeNode('Transpose', [own('mixed')], own('turned'), [integersAttribute('perm', [1, 0, 2])]),
    makeNode('Reshape', [own('turned'), 'shape_of_tokens'], output),
  ];
}

/** Joins values of [1, tokens, width] of all layers. */
const stacked = (names: readonly string[], output: string): GraphNode[] => [
  makeNode('Concat', names, output, [integerAttribute('axis', 0)]),
];

const OWN_CACHE_ENDS = /^(?:in|out)_n_layer_self_[kv]_cache$/;

/** The dimensions of a cache. */
const DIMENSIONS = ['layers', 'n_audio', 'positions', 'width'];

/**
 * Returns the model with caches of any length, for graphs that `withSharedCache` leaves alone. Exports declare them as
 * long as the context, 448 positions, and each step would copy all of them for each text.
 */
export function withGrowingCache(model: OnnxModel): OnnxModel {
  const freed = (value: NamedBytes): NamedBytes =>
    OWN_CACHE_ENDS.test(value.name) ? makeValue(value.name, ELEMENT.float, DIMENSIONS) : value;
  return { ...model, inputs: model.inputs.map(freed), outputs: model.outputs.map(freed) };
}
