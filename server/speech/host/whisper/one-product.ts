/**
 * Computes the logits of all texts in one product. Exports multiply the embedding of all tokens, 106 MB in the base
 * model, with each text by itself, and so read it once for each.
 */
import {
  ELEMENT,
  makeIntegers,
  makeNode,
  makeValue,
  type OnnxModel,
  withInputs,
} from './onnx-graph.ts';

const LOGITS = 'logits';
const SHAPE = 'shape_of_one_text';
const AS_ONE_TEXT = 'as_one_text';

/**
 * Returns the model with logits of [1, texts × tokens, vocabulary], or as it was if its last nodes are not those of the
 * published exports: a product of the embedding and the transposed states, and its transposition.
 */
export function withOneProduct(model: OnnxModel): OnnxModel {
  const maker = (name: string | undefined) =>
    model.nodes.find(({ outputs }) => name !== undefined && outputs.includes(name));
  const last = maker(LOGITS);
  const product = maker(last?.inputs[0]);
  const states = maker(product?.inputs[1]);
  if (last?.type !== 'Transpose' || product?.type !== 'MatMul' || states?.type !== 'Transpose') {
    return model;
  }
  // In a shape, 0 keeps the dimension of the input, and -1 is what is left.
  const flat = makeNode('Reshape', [states.inputs[0]!, SHAPE], AS_ONE_TEXT);
  return {
    ...model,
    nodes: model.nodes.flatMap((node) =>
      node === states ? [flat, withInputs(node, [AS_ONE_TEXT])] : [node],
    ),
    tensors: [...model.tensors, makeIntegers(SHAPE, [1, -1, 0])],
    outputs: model.outputs.map((value) =>
      value.name === LOGITS ? makeValue(LOGITS, ELEMENT.float) : value,
    ),
  };
}
