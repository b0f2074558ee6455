/**
 * Computes the logits of all texts in one product. Published exports multiply the embedding of all tokens (106 MB in
 * the base model) with each text separately, and so read it once for each text.
 */
import {
  ELEMENT,
  type GraphNode,
  makeNode,
  makeValue,
  type OnnxModel,
  withInputs,
} from './onnx-graph.ts';
import { makeIntegers } from './onnx-tensors.ts';

const LOGITS = 'logits';
const SHAPE = 'shape_of_one_text';
const AS_ONE_TEXT = 'as_one_text';

/** The nodes of the product of the embedding and the transposed states; the result is transposed. */
export interface LogitsProduct {
  /** The name of the embedding. */
  embedding: string;
  /** The states, one for each token of each text. */
  states: string;
  transposed: GraphNode;
  product: GraphNode;
  last: GraphNode;
}

/** Finds the product; null if the last nodes are not those of the published exports. */
export function logitsProduct(model: OnnxModel): LogitsProduct | null {
  const maker = (name: string | undefined) =>
    model.nodes.find(({ outputs }) => name !== undefined && outputs.includes(name));
  const last = maker(LOGITS);
  const product = maker(last?.inputs[0]);
  const transposed = maker(product?.inputs[1]);
  if (
    last?.type !== 'Transpose' ||
    product?.type !== 'MatMul' ||
    transposed?.type !== 'Transpose'
  ) {
    return null;
  }
  return {
    embedding: product.inputs[0]!,
    states: transposed.inputs[0]!,
    transposed,
    product,
    last,
  };
}

/**
 * Returns the model with logits of [1, texts × tokens, vocabulary], or unchanged if its last nodes are not those of the
 * published exports.
 */
export function withBatchedLogits(model: OnnxModel): OnnxModel {
  const found = logitsProduct(model);
  if (!found) return model;
  const { states, transposed } = found;
  // In a shape, 0 keeps the dimension of the input, and -1 takes whatever is left.
  const flat = makeNode('Reshape', [states, SHAPE], AS_ONE_TEXT);
  return {
    ...model,
    nodes: model.nodes.flatMap((node) =>
      node === transposed ? [flat, withInputs(node, [AS_ONE_TEXT])] : [node],
    ),
    tensors: [...model.tensors, makeIntegers(SHAPE, [1, -1, 0])],
    outputs: model.outputs.map((value) =>
      value.name === LOGITS ? makeValue(LOGITS, ELEMENT.float) : value,
    ),
  };
}
