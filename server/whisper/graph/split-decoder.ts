/**
 * Divides a decoder into the part that depends only on the audio, which is computed once per window, and the rest,
 * which is computed for each token: published exports spend most of a step on splitting and transposing the audio’s
 * keys and values.
 */
import {
  type GraphNode,
  type OnnxModel,
  makeValue,
  hasGraph,
  integerOf,
  shapeOf,
  onlyNeeded,
} from './onnx-graph.ts';
import { ELEMENT } from './onnx-fields.ts';
import { constantElementOf, elementOf } from './tensors.ts';

/** The inputs that depend on the audio: the outputs of the encoder. */
const SOUND = new Set(['n_layer_cross_k', 'n_layer_cross_v']);

/** The operators whose outputs have the element type of their first input. */
const KEEP_ELEMENT = new Set(
  'Add Concat Div Expand Gather Identity Mul Reshape Slice Split Squeeze Sub Transpose Unsqueeze'.split(
    ' ',
  ),
);

/** The two parts of a decoder. */
interface DecoderParts {
  /** Computes inputs of the other part from the encoder's outputs. */
  sound: OnnxModel;
  step: OnnxModel;
}

/** Divides a decoder; returns null if nothing depends only on the audio. */
export function splitDecoder(model: OnnxModel): DecoderParts | null {
  if (model.nodes.some(hasGraph)) return null;
  const { nodes, elements } = soundNodes(model);
  const rest = model.nodes.filter((node) => !nodes.has(node));
  const needed = new Set(rest.flatMap(({ inputs }) => inputs));
  const made = [...nodes].flatMap(({ outputs }) => outputs);
  const between = made
    .filter((name) => needed.has(name))
    .map((name) => makeValue(name, elements.get(name)!));
  const outputs = new Set(model.outputs.map(({ name }) => name));
  if (between.length === 0 || made.some((name) => outputs.has(name))) return null;
  return {
    sound: onlyNeeded({ ...model, outputs: between }),
    step: onlyNeeded({ ...model, nodes: rest, inputs: [...model.inputs, ...between] }),
  };
}

/** The nodes that need only the audio and constants, with the element types of their outputs. */
function soundNodes(model: OnnxModel): { nodes: Set<GraphNode>; elements: Map<string, number> } {
  const constants = new Map(model.tensors.map((tensor) => [tensor.name, elementOf(tensor)]));
  const elements = new Map(
    model.inputs
      .filter(({ name }) => SOUND.has(name))
      .map((value) => [value.name, shapeOf(value).element]),
  );
  const nodes = new Set<GraphNode>();
  for (const node of model.nodes) {
    const inputs = node.inputs.filter((name) => name !== '');
    if (!inputs.every((name) => constants.has(name) || elements.has(name))) continue;
    const [first = ''] = inputs;
    const element = elementMadeBy(node, elements.get(first) ?? constants.get(first));
    if (element === undefined) continue;
    const hearsSound = inputs.some((name) => elements.has(name));
    if (hearsSound) nodes.add(node);
    for (const name of node.outputs) (hearsSound ? elements : constants).set(name, element);
  }
  return { nodes, elements };
}

/** The element type of a node's outputs; undefined if it is not known. */
function elementMadeBy(node: GraphNode, ofFirst: number | undefined): number | undefined {
  if (node.type === 'Constant') return constantElementOf(node);
  if (node.type === 'Shape') return ELEMENT.int64;
  if (node.type === 'Cast') return integerOf(node, 'to');
  return KEEP_ELEMENT.has(node.type) ? ofFirst : undefined;
}
