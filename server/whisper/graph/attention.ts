/**
 * Computes each self-attention of Whisper's encoder with one operator of onnxruntime, which processes the audio in
 * small blocks. Published exports multiply, normalise and multiply again the attention of every moment to every other:
 * 72 MB for each layer of the base model, written and read three times.
 */
import {
  type GraphNode,
  type OnnxModel,
  integerAttribute,
  makeRuntimeNode,
  integersOf,
  shapeOf,
  onlyNeeded,
  withRuntimeOperators,
} from './onnx-graph.ts';
import { type GraphNodes, nodesOf } from './graph-nodes.ts';

/** The values per attention head in every Whisper model. */
export const HEAD_SIZE = 64;
/** The scale of the products of queries and keys. */
export const ATTENTION_SCALE = 1 / Math.sqrt(HEAD_SIZE);
/** The order of dimensions after the transposition of queries and values, and after that of keys. */
const HEADS_FIRST = [0, 2, 1, 3];
const COLUMNS = [0, 2, 3, 1];

/**
 * Returns the model with attention as one operator wherever it is computed as in exports: the scaled product of queries
 * and keys, normalised, times the values.
 */
export function withFusedAttention(model: OnnxModel): OnnxModel {
  const graph = nodesOf(model);
  // The last dimension of what the encoder returns is the number of values of a moment, which all heads share.
  const width = model.outputs[0] ? (shapeOf(model.outputs[0]).dims.at(-1) ?? 0) : 0;
  if (width === 0 || width % HEAD_SIZE > 0) return model;
  const replaced = new Map<GraphNode, GraphNode>();
  for (const node of model.nodes) {
    const found = node.type === 'Softmax' ? attentionAround(node, graph) : null;
    if (!found) continue;
    const { queries, keys, values, last } = found;
    const heads = integerAttribute('num_heads', width / HEAD_SIZE);
    const [output = ''] = last.outputs;
    replaced.set(
      last,
      makeRuntimeNode('MultiHeadAttention', [queries, keys, values], output, [heads]),
    );
  }
  if (replaced.size === 0) return model;
  const nodes = model.nodes.map((node) => replaced.get(node) ?? node);
  return withRuntimeOperators(onlyNeeded({ ...model, nodes }));
}

/**
 * The attention around a node that normalises: its inputs before they are divided into heads, and its last node; null
 * if it is computed differently.
 * @param masked whether a mask is added to the products
 */
export function attentionAround(softmax: GraphNode, graph: GraphNodes, masked = false) {
  const sums = graph.maker(softmax.inputs[0]);
  if (masked && sums?.type !== 'Add') return null;
  const products = masked ? graph.maker(sums!.inputs[0]) : sums;
  const weighted = graph.reader(softmax.outputs[0]);
  if (products?.type !== 'MatMul' || weighted?.type !== 'MatMul') return null;
  const queries = headed(products.inputs[0], HEADS_FIRST, graph);
  const keys = headed(products.inputs[1], COLUMNS, graph);
  const values = headed(weighted.inputs[1], HEADS_FIRST, graph);
  const turned = graph.reader(weighted.outputs[0]);
  const last = graph.reader(turned?.outputs[0]);
  if (!queries || !keys || !values || turned?.type !== 'Transpose' || last?.type !== 'Reshape')
    return null;
  if (integersOf(turned, 'perm').join() !== HEADS_FIRST.join()) return null;
  if (
    Math.abs(queries.scale * keys.scale * values.scale - ATTENTION_SCALE) >
    ATTENTION_SCALE / 1000
  )
    return null;
  return { queries: queries.name, keys: keys.name, values: values.name, last };
}

/** Finds the value that is reshaped, transposed and scaled to make the heads; null if they are made differently. */
function headed(
  made: string | undefined,
  wanted: readonly number[],
  graph: GraphNodes,
): { name: string; scale: number } | null {
  let order = [0, 1, 2, 3];
  let scale = 1;
  for (let node = graph.maker(made); node;) {
    const [first, second] = node.inputs;
    if (node.type === 'Reshape') {
      return order.join() === wanted.join() ? { name: first!, scale } : null;
    }
    if (node.type === 'Transpose') {
      const before = integersOf(node, 'perm');
      order = order.map((at) => before[at]!);
      node = graph.maker(first);
    } else if (node.type === 'Mul') {
      const factor = graph.number(second) ?? graph.number(first);
      if (factor === undefined) return null;
      scale *= factor;
      node = graph.maker(graph.number(second) === undefined ? second : first);
    } else return null;
  }
  return null;
}

// Adds the attention of the alignment heads to a Whisper decoder as an output. Word times are computed from it, and
// published exports lack this output although their graphs compute the values.
