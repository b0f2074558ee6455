/**
 * Computes the logits in two passes: for all tokens with an embedding that is rounded to small integers, and for the
 * most likely tokens again with the embedding itself. The embedding is by far the largest tensor of the decoder (106 MB
 * in the base model), and reading it takes a third of the time of a step.
 */
import { open } from 'node:fs/promises';
import {
  ELEMENT,
  integerAttribute,
  makeNode,
  type OnnxModel,
  makeIntegers,
  makeTensor,
  type GraphNode,
  makeValue,
  withInputs,
  dimensionsOf,
  elementOf,
  placeOf,
} from './onnx-graph.ts';

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
