/**
 * Prepares the files of a Whisper model as they are published: the graphs are changed to do the same in less time, and
 * the weights stay where they are in the files.
 */
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { withFusedAttention, withAttentionOutput } from './attention.ts';
import {
  readModel,
  writeModel,
  ELEMENT,
  type GraphNode,
  hasGraph,
  integerOf,
  makeValue,
  onlyNeeded,
  type OnnxModel,
  shapeOf,
  constantElementOf,
  elementOf,
} from './onnx-graph.ts';
import { withGrowingCache, withSharedCache } from './shared-cache.ts';
import { quantisedEmbedding, withBatchedLogits, withTwoPassLogits } from './two-pass-logits.ts';
import { bytesField, fieldHeadAt, joined, numberField, textField, WIRE } from './protobuf.ts';

/** A graph for onnxruntime, and the folder of the file that has its weights. */
export interface PreparedGraph {
  model: Uint8Array;
  folder: string;
}

/**
 * Prepares a decoder: `sound` makes inputs of `step` from the encoder's outputs, once for each window (null if nothing
 * depends on the audio alone), and `step` takes tokens.
 * @throws {Error} if the file cannot be read or is not the decoder of a Whisper model
 */
export async function prepareDecoder(
  path: string,
): Promise<{ sound: PreparedGraph | null; step: PreparedGraph }> {
  const { model, folder } = await modelWithoutWeights(path);
  const published = withAttentionOutput(readModel(model));
  const plain = withSharedCache(published) ?? withBatchedLogits(withGrowingCache(published));
  const quantised = await quantisedEmbedding(plain, path);
  const graph = quantised ? withTwoPassLogits(plain, quantised) : plain;
  const parts = splitDecoder(graph);
  return {
    sound: parts && { model: writeModel(parts.sound), folder },
    step: { model: writeModel(parts?.step ?? graph), folder },
  };
}

/**
 * Prepares an encoder.
 * @throws {Error} if the file cannot be read
 */
export async function prepareEncoder(path: string): Promise<PreparedGraph> {
  const { model, folder } = await modelWithoutWeights(path);
  return { model: writeModel(withFusedAttention(readModel(model))), folder };
}

// Divides a Whisper decoder into the part that depends only on the audio, which is computed once per window, and the
// rest, which is computed for each token. Published exports compute everything for each token: most of the time of a
// step goes into splitting and transposing the audio's keys and values in each layer.

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

// Reads an ONNX model without its weights, which stay where they are in the file. onnxruntime then maps the file into
// memory: recognisers share its pages, only pages in use are in memory at all (only a few rows of the token embedding),
// and no copy is made while loading.

/** The field numbers of ONNX (onnx.proto). */
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR = { raw: 9, external: 13, location: 14 };
/** TensorProto.DataLocation. */
const EXTERNAL = 1;
/** The size in bytes from which a tensor stays in the file. Smaller ones may be shapes, which the graph needs itself. */
const LARGE = 4096;
/** The most bytes of a key and a length. */
const MAX_HEAD = 20;
/** The bytes that are read at once. */
const BLOCK = 65_536;

/** A model without its weights. */
interface ExternalWeights {
  model: Uint8Array;
  /** The folder of the file with the weights, without symbolic links, since onnxruntime refuses to leave the folder. */
  folder: string;
}

/**
 * Reads a model; its large tensors refer to their places in the file, by its name without its folder.
 * @throws {Error} if the file cannot be read or is not a Protocol Buffers message
 */
export async function modelWithoutWeights(link: string): Promise<ExternalWeights> {
  const path = await realpath(link);
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = reader(file);
    const location = basename(path);
    const model = joined(
      ...(await copied(read, 0, size, async (number, from, to) => {
        if (number !== MODEL_GRAPH) return null;
        const graph = await copied(read, from, to, async (inGraph, start, end) =>
          inGraph === GRAPH_INITIALIZER ? tensor(read, start, end, location) : null,
        );
        return [bytesField(number, ...graph)];
      })),
    );
    return { model, folder: dirname(path) };
  } finally {
    await file.close();
  }
}

type Read = (from: number, to: number) => Promise<Uint8Array>;

/** Reads ranges of a file; small ones that follow one another cost one system call for each block. */
function reader(file: FileHandle): Read {
  let block: Uint8Array = new Uint8Array();
  let at = 0;
  const load = async (from: number, length: number) => {
    const buffer = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(buffer, done, length - done, from + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return buffer.subarray(0, done);
  };
  return async (from, to) => {
    if (to - from > BLOCK) return load(from, to - from);
    if (from < at || to > at + block.length) [block, at] = [await load(from, BLOCK), from];
    return block.slice(from - at, to - at);
  };
}

/**
 * The fields of a message in a range of the file. `change` receives the range of a field's bytes, and returns a
 * replacement for the field, or null to keep it.
 */
async function copied(
  read: Read,
  start: number,
  end: number,
  change: (number: number, from: number, to: number) => Promise<Uint8Array[] | null>,
): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (let at = start; at < end;) {
    const { number, wire, head, length } = fieldHeadAt(
      await read(at, Math.min(end, at + MAX_HEAD)),
    );
    const from = at + head;
    const to = from + length;
    if (to > end) throw new Error('not a Protocol Buffers message');
    const changed = wire === WIRE.bytes ? await change(number, from, to) : null;
    if (changed) parts.push(...changed);
    else parts.push(await read(at, to));
    at = to;
  }
  return parts;
}

/** A tensor without its bytes if it is large; null if it stays unchanged. */
async function tensor(
  read: Read,
  start: number,
  end: number,
  location: string,
): Promise<Uint8Array[] | null> {
  if (end - start < LARGE) return null;
  const place: { key: string; value: string }[] = [];
  const kept = await copied(read, start, end, async (number, from, to) => {
    if (number !== TENSOR.raw || to - from < LARGE) return null;
    place.push(
      { key: 'location', value: location },
      { key: 'offset', value: String(from) },
      { key: 'length', value: String(to - from) },
    );
    return [];
  });
  if (place.length === 0) return null;
  return [
    bytesField(
      GRAPH_INITIALIZER,
      ...kept,
      ...place.map(({ key, value }) =>
        bytesField(TENSOR.external, textField(1, key), textField(2, value)),
      ),
      numberField(TENSOR.location, EXTERNAL),
    ),
  ];
}
