/**
 * Prepares the files of a Whisper model as they are published: the graphs are changed to do the same in less time, and
 * the weights stay where they are in the files.
 *
 * Computes the logits in two passes: for all tokens with an embedding that is rounded to small integers, and for the
 * most likely tokens again with the embedding itself. The embedding is by far the largest tensor of the decoder (106 MB
 * in the base model), and reading it takes a third of the time of a step.
 */
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  ELEMENT,
  type GraphNode,
  type OnnxModel,
  bytesField,
  fieldHeadAt,
  joinedBytes,
  numberField,
  textField,
  WIRE,
  integerAttribute,
  makeIntegers,
  makeNode,
  makeTensor,
  makeValue,
  constantElementOf,
  dimensionsOf,
  elementOf,
  hasGraph,
  integerOf,
  placeOf,
  shapeOf,
  onlyNeeded,
  readOnnxModel,
  withInputs,
  writeOnnxModel,
} from './onnx-graph.ts';
import { withGrowingCache, withSharedCache } from './shared-cache.ts';
import { withAttentionOutput, withFusedAttention } from './attention.ts';

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

// Computes the logits of all texts in one product. Published exports multiply the embedding of all tokens (106 MB in
// the base model) with each text separately, and so read it once for each text.

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
function logitsProduct(model: OnnxModel): LogitsProduct | null {
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

// Reads the token embedding, from which logits are computed, and rounds it to 7-bit integers.

/**
 * The largest value. With 8 bits, the sums of two products exceed 16 bits, and processors without an instruction for
 * such products cut them off.
 */
const LARGEST = 63;
/** The number of tokens read at once, and the number rounded at once, chosen to stay in the processor's cache. */
const READ = 2048;
const ROUNDED = 64;

/** The rounded embedding. */
interface QuantisedEmbedding {
  tokens: number;
  width: number;
  /** `width` rows of `tokens` values. */
  values: Int8Array;
  /** The factor of each token's values. */
  scales: Float32Array;
}

/**
 * Rounds the embedding that a decoder multiplies its states with; null if it is not found in the file of the weights.
 * @param path the file with the large tensors of the model
 */
export async function quantisedEmbedding(
  model: OnnxModel,
  path: string,
): Promise<QuantisedEmbedding | null> {
  const name = logitsProduct(model)?.embedding;
  const tensor = model.tensors.find((each) => each.name === name);
  const place = tensor && placeOf(tensor);
  if (!place || elementOf(tensor) !== ELEMENT.float) return null;
  const [tokens = 0, width = 0] = dimensionsOf(tensor);
  if (tokens * width * Float32Array.BYTES_PER_ELEMENT !== place.length) return null;
  const rough: QuantisedEmbedding = {
    tokens,
    width,
    values: new Int8Array(tokens * width),
    scales: new Float32Array(tokens),
  };
  const rows = new Float32Array(READ * width);
  const file = await open(path);
  try {
    for (let token = 0; token < tokens; token += READ) {
      const count = Math.min(READ, tokens - token);
      const bytes = new Uint8Array(rows.buffer, 0, count * width * Float32Array.BYTES_PER_ELEMENT);
      const position = place.offset + token * width * Float32Array.BYTES_PER_ELEMENT;
      const { bytesRead } = await file.read(bytes, { position });
      if (bytesRead !== bytes.length) return null;
      for (let at = 0; at < count; at += ROUNDED) {
        const some = rows.subarray(at * width, Math.min(count, at + ROUNDED) * width);
        round(some, token + at, rough);
      }
    }
  } finally {
    await file.close();
  }
  return rough;
}

/** Rounds the rows of some tokens, the first of which is `first`. */
function round(
  rows: Float32Array,
  first: number,
  { tokens, width, values, scales }: QuantisedEmbedding,
): void {
  const count = rows.length / width;
  const rounded = new Int8Array(rows.length);
  for (let row = 0; row < count; row += 1) {
    scales[first + row] = roundRow(rows, rounded, row * width, (row + 1) * width);
  }
  for (let column = 0; column < width; column += 1) {
    const to = column * tokens + first;
    for (let row = 0; row < count; row += 1) values[to + row] = rounded[row * width + column]!;
  }
}

/** Rounds the values of a token, and returns their factor. */
function roundRow(rows: Float32Array, rounded: Int8Array, from: number, to: number): number {
  let top = 0;
  for (let at = from; at < to; at += 1) {
    const size = Math.abs(rows[at]!);
    if (size > top) top = size;
  }
  const factor = top === 0 ? 0 : LARGEST / top;
  // LARGEST makes the number positive, so cutting off the fraction rounds it; Math.round takes three times as long.
  for (let at = from; at < to; at += 1) {
    rounded[at] = ((rows[at]! * factor + LARGEST + 0.5) | 0) - LARGEST;
  }
  return top / LARGEST;
}

/** A graph for onnxruntime, and the folder of the file that has its weights. */
interface PreparedGraph {
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
  const published = withAttentionOutput(readOnnxModel(model));
  const plain = withSharedCache(published) ?? withBatchedLogits(withGrowingCache(published));
  const quantised = await quantisedEmbedding(plain, path);
  const graph = quantised ? withTwoPassLogits(plain, quantised) : plain;
  const parts = splitDecoder(graph);
  return {
    sound: parts && { model: writeOnnxModel(parts.sound), folder },
    step: { model: writeOnnxModel(parts?.step ?? graph), folder },
  };
}

/**
 * Prepares an encoder.
 * @throws {Error} if the file cannot be read
 */
export async function prepareEncoder(path: string): Promise<PreparedGraph> {
  const { model, folder } = await modelWithoutWeights(path);
  return { model: writeOnnxModel(withFusedAttention(readOnnxModel(model))), folder };
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
    const model = joinedBytes(
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
