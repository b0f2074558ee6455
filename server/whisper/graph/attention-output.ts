/**
 * Adds the attention of the alignment heads to a Whisper decoder as an output: word times are computed from it, and
 * published exports lack it although their graphs compute the values.
 */
import {
  type GraphNode,
  type NamedBytes,
  type OnnxModel,
  integerAttribute,
  makeNode,
  makeValue,
  shapeOf,
} from './onnx-graph.ts';
import { ELEMENT } from './onnx-fields.ts';
import { makeIntegers } from './tensors.ts';
import { HEAD_SIZE } from './attention.ts';

/** The name of the output. */
export const ATTENTION_OUTPUT = 'cross_attention_weights';

/** Alignment heads (layer:head) by number of layers, width and vocabulary (openai-whisper, `_ALIGNMENT_HEADS`). */
const ALIGNMENT_HEADS: Readonly<Record<string, string>> = {
  '4 384 51864': '1:0 2:0 2:5 3:0 3:1 3:2 3:3 3:4',
  '4 384 51865': '2:2 3:0 3:2 3:3 3:4 3:5',
  '6 512 51864': '3:3 4:7 5:1 5:5 5:7',
  '6 512 51865': '3:1 4:2 4:3 4:7 5:1 5:2 5:4 5:6',
  '12 768 51864':
    '6:6 7:0 7:3 7:8 8:2 8:5 8:7 9:0 9:4 9:8 9:10 10:0 10:1 10:2 10:3 10:6 10:11 11:2 11:4',
  '12 768 51865': '5:3 5:9 8:0 8:4 8:7 8:8 9:0 9:7 9:9 10:5',
  '24 1024 51864':
    '11:4 14:1 14:12 14:14 15:4 16:0 16:4 16:9 17:12 17:14 18:7 18:10 18:15 20:0 20:3 20:9 20:14 21:12',
  '24 1024 51865': '13:15 15:4 15:15 16:1 20:0 23:4',
  '32 1280 51866': '7:0 10:17 12:18 13:12 16:1 17:14 19:11 21:4 24:1 25:6',
  '4 1280 51866': '2:4 2:11 3:3 3:6 3:11 3:14',
};

const DIMENSIONS = ['texts', 'heads', 'tokens', 'frames'].map((name) => `attention_${name}`);

/**
 * Returns the model with the output, or as it was if it already has the output.
 * @throws {Error} if this is not the decoder of a Whisper model
 */
export function withAttentionOutput(model: OnnxModel): OnnxModel {
  if (model.outputs.some(({ name }) => name === ATTENTION_OUTPUT)) return model;
  const softmaxes = model.nodes.filter(({ type }) => type === 'Softmax');
  const dimsOf = (values: readonly NamedBytes[], wanted: string): number[] => {
    const value = values.find(({ name }) => name === wanted);
    return value ? shapeOf(value).dims : [];
  };
  const [layers = 0, , , width = 0] = dimsOf(model.inputs, 'n_layer_cross_k');
  const [, , vocabulary = 0] = dimsOf(model.outputs, 'logits');
  if (layers === 0 || softmaxes.length !== 2 * layers) {
    throw new Error('this file is not the decoder of a Whisper model');
  }
  return withHeads(model, headsOf(layers, width, vocabulary));
}

/**
 * Returns a decoder with the attention of these heads, as pairs of a layer and a head, as one more output. Each layer
 * has self-attention first, then attention to the audio.
 */
export function withHeads(model: OnnxModel, heads: readonly [number, number][]): OnnxModel {
  const softmaxes = model.nodes.filter(({ type }) => type === 'Softmax');
  const attention = softmaxes.filter((_, at) => at % 2 === 1).map(({ outputs }) => outputs[0]!);
  const { nodes, tensors } = additions(attention, heads);
  return {
    ...model,
    nodes: [...model.nodes, ...nodes],
    tensors: [...model.tensors, ...tensors],
    outputs: [...model.outputs, makeValue(ATTENTION_OUTPUT, ELEMENT.float, DIMENSIONS)],
  };
}

/** The alignment heads. For a model that is not listed these are all heads of the second half, as in openai-whisper. */
function headsOf(layers: number, width: number, vocabulary: number): [number, number][] {
  const known = ALIGNMENT_HEADS[`${layers} ${width} ${vocabulary}`];
  if (known) {
    return known.split(' ').map((pair) => {
      const [layer = 0, head = 0] = pair.split(':').map(Number);
      return [layer, head];
    });
  }
  const all: [number, number][] = [];
  for (let layer = Math.floor(layers / 2); layer < layers; layer += 1) {
    for (let head = 0; head < width / HEAD_SIZE; head += 1) all.push([layer, head]);
  }
  return all;
}

/** Nodes that select the heads of each layer and concatenate them, and the constants for these. */
function additions(
  weights: readonly string[],
  heads: readonly [number, number][],
): { nodes: GraphNode[]; tensors: NamedBytes[] } {
  // Axis 1 is that of the heads.
  const onHeads = [integerAttribute('axis', 1)];
  const nodes: GraphNode[] = [];
  const tensors: NamedBytes[] = [];
  for (const [layer, name] of weights.entries()) {
    const here = heads.flatMap(([at, head]) => (at === layer ? [head] : []));
    if (here.length === 0) continue;
    const constant = `alignment_heads_${layer}`;
    tensors.push(makeIntegers(constant, here));
    nodes.push(makeNode('Gather', [name, constant], `alignment_weights_${layer}`, onHeads));
  }
  const picked = nodes.flatMap(({ outputs }) => outputs);
  return { nodes: [...nodes, makeNode('Concat', picked, ATTENTION_OUTPUT, onHeads)], tensors };
}
