/**
 * Lets all texts attend to the audio together: the states of all texts are the rows of one matrix, which is multiplied
 * with the audio's keys and values. Published exports multiply each text separately, and so read the keys and values
 * (37 MB in the base model) once for each text.
 */
import type { DecoderParts } from './divide.ts';
import {
  nodesOf,
  type GraphNode,
  integerAttribute,
  integersAttribute,
  makeNode,
  type OnnxModel,
  withInputs,
  makeIntegers,
} from './onnx-graph.ts';

const ATTENTION = 'cross_attention_weights';
const ROWS = 'shape_of_rows';
const TEXTS = 'shape_of_texts';

/**
 * Changes the part that is computed for each token, or returns it unchanged if its attention is computed differently.
 */
export function withBatchedCrossAttention({ sound, step }: DecoderParts): OnnxModel {
  const ofSound = new Set<string | undefined>(sound.outputs.map(({ name }) => name));
  const constants = new Set<string | undefined>(step.tensors.map(({ name }) => name));
  const graph = nodesOf(step);
  const maker = (name: string | undefined, type: string) => ofType(graph.maker(name), type);
  const reader = (name: string | undefined, type: string) => ofType(graph.reader(name), type);
  /** A node that reshapes to a constant shape; exports that compute shapes from the number of texts are left alone. */
  const shaped = (node: GraphNode | undefined) =>
    node?.type === 'Reshape' && constants.has(node.inputs[1]) ? node : undefined;

  const products = step.nodes.filter(
    ({ type, inputs }) => type === 'MatMul' && ofSound.has(inputs[1]),
  );
  const replaced = new Map<GraphNode, GraphNode[]>();
  const weights = new Set<string | undefined>();
  for (const product of products) {
    const [queries] = product.inputs;
    const softmax = reader(product.outputs[0], 'Softmax');
    if (!softmax) continue;
    const scaled = maker(queries, 'Mul');
    const turned = maker(scaled ? scaled.inputs[0] : queries, 'Transpose');
    const begins = turned && shaped(graph.maker(turned.inputs[0]));
    const mixed = products.find(({ inputs }) => inputs[0] === softmax.outputs[0]);
    const last = shaped(graph.reader(reader(mixed?.outputs[0], 'Transpose')?.outputs[0]));
    if (!begins || !last) return step;
    const [states = '', shape = ''] = begins.inputs;
    const [output = ''] = last.outputs;
    replaced.set(begins, [
      makeNode('Reshape', [states, ROWS], `${states}_rows`),
      withInputs(begins, [`${states}_rows`, shape]),
    ]);
    replaced.set(last, [
      makeNode('Reshape', last.inputs, `${output}_rows`, last.attributes),
      makeNode('Reshape', [`${output}_rows`, TEXTS], output),
    ]);
    weights.add(softmax.outputs[0]);
  }
  const shown = maker(ATTENTION, 'Concat');
  if (!shown?.inputs.every((name) => weights.has(maker(name, 'Gather')?.inputs[0]))) return step;
  const onFirst = [integerAttribute('axis', 0)];
  replaced.set(shown, [
    makeNode('Concat', shown.inputs, 'attention_rows', shown.attributes),
    makeNode('Reshape', ['attention_rows', 'shape_of_attention'], 'attention_apart'),
    makeNode('Transpose', ['attention_apart'], 'attention_texts', [
      integersAttribute('perm', [0, 2, 1, 3, 4]),
    ]),
    makeNode('Squeeze', ['attention_texts', 'first_dimension'], ATTENTION),
  ]);
  return {
    ...step,
    nodes: [
      makeNode('Shape', ['tokens'], 'texts_and_tokens'),
      makeNode('Concat', ['texts_and_tokens', 'what_is_left'], TEXTS, onFirst),
      makeNode('Concat', ['as_it_is', TEXTS], 'shape_of_attention', onFirst),
      ...step.nodes.flatMap((node) => replaced.get(node) ?? [node]),
    ],
    tensors: [
      ...step.tensors,
      // In a shape, 0 keeps the dimension of the input, and -1 takes whatever is left.
      makeIntegers(ROWS, [1, -1, 0]),
      makeIntegers('what_is_left', [-1]),
      makeIntegers('as_it_is', [0, 0]),
      makeIntegers('first_dimension', [0]),
    ],
  };
}

const ofType = (node: GraphNode | undefined, type: string): GraphNode | undefined =>
  node?.type === type ? node : undefined;
