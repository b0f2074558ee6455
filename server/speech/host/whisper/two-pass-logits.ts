/**
 * Computes the logits in two passes: for all tokens with an embedding that is rounded to small integers, and for the
 * most likely tokens again with the embedding itself. The embedding is by far the largest tensor of the decoder (106 MB
 * in the base model), and reading it takes a third of the time of a step.
 */
import { ELEMENT, integerAttribute, makeNode, type OnnxModel } from './onnx-graph.ts';
import { makeIntegers, makeTensor } from './onnx-tensors.ts';
import { logitsProduct } from './batched-logits.ts';
import type { QuantisedEmbedding } from './quantised-embedding.ts';

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
