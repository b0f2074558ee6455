/** Divides the decoder of a Moonshine model, as exports have it: one file with two graphs, of which an If chooses. */
import {
  type GraphNode,
  type OnnxModel,
  integerAttribute,
  makeNode,
  makeValue,
  shapeOf,
  onlyNeeded,
  onnxModelWithin,
  withInputs,
} from '../graph/onnx-graph.ts';
import { ELEMENT } from '../graph/onnx-fields.ts';
import { nodesOf } from '../graph/graph-nodes.ts';
import { withHeads } from '../graph/attention-output.ts';

/**
 * The heads (layer:head) whose attention follows the speech, by number of layers: of base, and of tiny. Found by
 * comparing the times of each head with speech of known times.
 */
const HEADS: Readonly<Record<number, readonly [number, number][]>> = {
  8: [
    [4, 2],
    [5, 1],
    [5, 4],
    [5, 5],
    [6, 7],
  ],
  6: [
    [2, 0],
    [3, 0],
    [4, 5],
    [4, 7],
    [5, 3],
    [5, 6],
  ],
};

/** The cache of a layer: its inputs, and its outputs. */
const PAST = /^past_key_values\.(\d+)\.decoder\.key$/;
const OF_AUDIO = /^present\.\d+\.encoder\.(key|value)$/;
const OF_TEXT = /^present\.\d+\.decoder\.(key|value)$/;

/** The parts of a decoder, and the shape of its caches: [texts, heads, tokens, values of a head]. */
export interface DividedDecoder {
  /** Computes the keys and values of the audio from the encoder's output. */
  sound: OnnxModel;
  /** Takes tokens. */
  step: OnnxModel;
  layers: number;
  heads: number;
  headSize: number;
}

const LOGITS = 'logits';
/** The input with the encoder's output: [1, frames, width]. */
const ENCODED = 'encoder_hidden_states';

/**
 * Exports take the number of texts from the tokens, through all layers before; it is also that of the audio, one.
 */
const countedInAudio = (node: GraphNode): GraphNode =>
  node.type === 'Shape' ? withInputs(node, [ENCODED]) : node;

/**
 * Returns a decoder that multiplies its states with the small integers of which its vocabulary consists, if it is one
 * that first makes 54 MB of fractions of them for each token.
 */
function withIntegerLogits(model: OnnxModel): OnnxModel {
  const { maker } = nodesOf(model);
  const product = maker(LOGITS);
  const fractions = maker(product?.inputs[1]);
  if (product?.type !== 'MatMul' || fractions?.type !== 'DequantizeLinear') return model;
  const [states = ''] = product.inputs;
  const [vocabulary = '', scale = '', zero = ''] = fractions.inputs;
  return {
    ...model,
    nodes: [
      ...model.nodes.filter((node) => node !== product),
      makeNode('DynamicQuantizeLinear', [states], ['states', 'states_scale', 'states_zero']),
      makeNode('MatMulInteger', ['states', vocabulary, 'states_zero', zero], 'logit_sums'),
      makeNode('Cast', ['logit_sums'], 'logit_floats', [integerAttribute('to', ELEMENT.float)]),
      makeNode('Mul', ['states_scale', scale], 'logit_scale'),
      makeNode('Mul', ['logit_floats', 'logit_scale'], LOGITS),
    ],
  };
}

/**
 * Divides a decoder.
 * @throws {Error} if this is not the merged decoder of a Moonshine model
 */
export function dividedDecoder(model: OnnxModel): DividedDecoder {
  const choice = model.nodes.find(({ type }) => type === 'If');
  const begins = choice && onnxModelWithin(model, choice, 'else_branch');
  const continues = choice && onnxModelWithin(model, choice, 'then_branch');
  const caches = model.inputs.filter(({ name }) => PAST.test(name));
  const [, heads = 0, , headSize = 0] = caches[0] ? shapeOf(caches[0]).dims : [];
  const own = HEADS[caches.length];
  if (!begins || !continues || !own || heads === 0 || headSize === 0) {
    throw new Error('this file is not the decoder of a Moonshine model');
  }
  const outputsOf = ({ outputs }: OnnxModel, kind: RegExp) =>
    outputs.filter(({ name }) => kind.test(name)).map(({ name }) => makeValue(name, ELEMENT.float));
  const step = withHeads(
    {
      ...continues,
      outputs: [makeValue(LOGITS, ELEMENT.float), ...outputsOf(continues, OF_TEXT)],
    },
    own,
  );
  return {
    sound: onlyNeeded({
      ...begins,
      nodes: begins.nodes.map(countedInAudio),
      outputs: outputsOf(begins, OF_AUDIO),
    }),
    step: onlyNeeded(withIntegerLogits(step)),
    layers: caches.length,
    heads,
    headSize,
  };
}
