/**
 * Computes the logits in two passes, or in one product for all texts: for all tokens with an embedding that is rounded
 * to small integers, and for the most likely tokens again with the embedding itself. The embedding is by far the
 * largest tensor of the decoder (106 MB in the base model), and reading it takes a third of the time of a step.
 */
import {
  type GraphNode,
  type OnnxModel,
  integerAttribute,
  makeNode,
  makeValue,
  withInputs,
} from './onnx-graph.ts';
import { ELEMENT } from './onnx-fields.ts';
import { makeIntegers, makeTensor } from './tensors.ts';

/** The tokens whose logits are exact. A search follows a few of them, and some are not allowed in a text. */
const EXACT = 128;

/** Returns the model, which computes its logits in one product, with the two passes. */
export function withTwoPassLogits(
  model: OnnxModel,
  { tokens, width, values, scales }: QuantisedEmbedding,
): OnnxModel {
  const found = logitsProduct(model);
  if (!found) return model;
  const { embedding, states, transposed, product, last } = found;
  const ofTokens = [integerAttribute('axis', 2)];
  const nodes = [
    makeNode('DynamicQuantizeLinear', [states], ['rounded', 'rounded_scale', 'rounded_zero']),
    makeNode('MatMulInteger', ['rounded', 'rough_embedding', 'rounded_zero'], 'rough_sums'),
    makeNode('Cast', ['rough_sums'], 'rough_floats', [integerAttribute('to', ELEMENT.float)]),
    makeNode('Mul', ['rounded_scale', 'rough_scales'], 'rough_factors'),
    makeNode('Mul', ['rough_floats', 'rough_factors'], 'rough_logits'),
    makeNode('TopK', ['rough_logits', 'exact_count'], ['likeliest_logits', 'likeliest']),
    makeNode('Gather', [embedding, 'likeliest'], 'likeliest_embedding'),
    makeNode('Unsqueeze', [states, 'after_width'], 'state_columns'),
    makeNode('MatMul', ['likeliest_embedding', 'state_columns'], 'exact_columns'),
    makeNode('Squeeze', ['exact_columns', 'after_width'], 'exact_logits'),
    makeNode(
      'ScatterElements',
      ['rough_logits', 'likeliest', 'exact_logits'],
      last.outputs[0]!,
      ofTokens,
    ),
  ];
  return {
    ...model,
    nodes: [...model.nodes.filter((node) => ![transposed, product, last].includes(node)), ...nodes],
    tensors: [
      ...model.tensors,
      makeTensor('rough_embedding', ELEMENT.int8, [width, tokens], values),
      makeTensor('rough_scales', ELEMENT.float, [tokens], scales),
      makeIntegers('exact_count', [Math.min(EXACT, tokens)]),
      makeIntegers('after_width', [3]),
    ],
  };
}

const LOGITS = 'logits';
const SHAPE = 'shape_of_one_text';
const AS_ONE_TEXT = 'as_one_text';

/** The nodes of the product of the embedding and the transposed states; the result is transposed. */
interface LogitsProduct {
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

/** The rounded embedding. */
export interface QuantisedEmbedding {
  tokens: number;
  width: number;
  /** `width` rows of `tokens` values. */
  values: Int8Array;
  /** The factor of each token's values. */
  scales: Float32Array;
}
