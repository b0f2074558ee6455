/**
 * Adds the attention of the alignment heads to a Whisper decoder as an output. Word times are computed from it, and
 * published exports lack this output although their graphs compute the values.
 */
import {
  bytesField,
  type Field,
  fieldHead,
  fieldsOf,
  joined,
  numberField,
  textField,
} from './protobuf.ts';

/** The name of the output, whose shape is [batch, heads, tokens, frames]. */
const ATTENTION_OUTPUT = 'cross_attention_weights';

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

/** Values per attention head in every Whisper model. */
const HEAD_SIZE = 64;

/** The field numbers of ONNX (onnx.proto). */
const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, name: 3, type: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, integer: 3, type: 20 };
const INTEGER = 2;
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 };
const TYPE = { float: 1, int64: 7 };

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const first = (fields: Iterable<Field>, number: number): Field | undefined =>
  [...fields].find((field) => field.number === number);

/**
 * Returns the model with the output, as parts to concatenate, or null if it already has the output.
 * @throws {Error} if the bytes are not the decoder of a Whisper model
 */
export function withAttentionOutput(model: Uint8Array): Uint8Array[] | null {
  const graph = first(fieldsOf(model), MODEL_GRAPH);
  if (!graph) throw new Error('this file is not an ONNX model');
  const softmaxes: string[] = [];
  const outputs: string[] = [];
  let layers = 0;
  let width = 0;
  let vocabulary = 0;
  for (const { number, bytes } of fieldsOf(graph.bytes)) {
    if (number === GRAPH.node) {
      const fields = [...fieldsOf(bytes)];
      const type = fields.find((field) => field.number === NODE.type);
      const output = fields.find((field) => field.number === NODE.output);
      if (type && output && text(type.bytes) === 'Softmax') softmaxes.push(text(output.bytes));
    }
    if (number !== GRAPH.input && number !== GRAPH.output) continue;
    const { name, dims } = valueInfo(bytes);
    if (number === GRAPH.output) outputs.push(name);
    if (name === 'n_layer_cross_k') [layers = 0, , , width = 0] = dims;
    if (name === 'logits') vocabulary = dims[2] ?? 0;
  }
  if (outputs.includes(ATTENTION_OUTPUT)) return null;
  // Each layer has self-attention first, then attention to the audio.
  if (layers === 0 || softmaxes.length !== 2 * layers) {
    throw new Error('this file is not the decoder of a Whisper model');
  }
  const attention = softmaxes.filter((_, at) => at % 2 === 1);
  const added = additions(attention, headsOf(layers, width, vocabulary));
  const length = added.reduce((sum, part) => sum + part.length, graph.bytes.length);
  return [
    model.subarray(0, graph.from),
    fieldHead(MODEL_GRAPH, length),
    graph.bytes,
    ...added,
    model.subarray(graph.to),
  ];
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

/**
 * The graph fields to add: nodes that select the heads of each layer and concatenate them, the constants for these, and
 * the output.
 */
function additions(weights: readonly string[], heads: readonly [number, number][]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const picked: string[] = [];
  for (const [layer, name] of weights.entries()) {
    const here = heads.flatMap(([at, head]) => (at === layer ? [head] : []));
    if (here.length === 0) continue;
    const constant = `alignment_heads_${layer}`;
    const output = `alignment_weights_${layer}`;
    parts.push(
      bytesField(GRAPH.initializer, integers(constant, here)),
      bytesField(GRAPH.node, node('Gather', [name, constant], output)),
    );
    picked.push(output);
  }
  parts.push(bytesField(GRAPH.node, node('Concat', picked, ATTENTION_OUTPUT)), outputInfo());
  return parts;
}

/** A node that works along axis 1, that of the heads. */
const node = (type: string, inputs: readonly string[], output: string): Uint8Array =>
  joined(
    ...inputs.map((input) => textField(NODE.input, input)),
    textField(NODE.output, output),
    textField(NODE.name, output),
    textField(NODE.type, type),
    bytesField(
      NODE.attribute,
      textField(ATTRIBUTE.name, 'axis'),
      numberField(ATTRIBUTE.integer, 1),
      numberField(ATTRIBUTE.type, INTEGER),
    ),
  );

function integers(name: string, values: readonly number[]): Uint8Array {
  const raw = new DataView(new ArrayBuffer(values.length * 8));
  for (const [at, value] of values.entries()) raw.setBigInt64(at * 8, BigInt(value), true);
  return joined(
    numberField(TENSOR.dims, values.length),
    numberField(TENSOR.type, TYPE.int64),
    textField(TENSOR.name, name),
    bytesField(TENSOR.raw, new Uint8Array(raw.buffer)),
  );
}

/** ValueInfo { name, type { tensor_type { elem_type, shape { dim × 4, none fixed } } } }. */
function outputInfo(): Uint8Array {
  const dims = ['n_audio', 'heads', 'n_tokens', 'frames'].map((name) =>
    bytesField(1, textField(2, `attention_${name}`)),
  );
  const shape = bytesField(2, ...dims);
  const tensor = bytesField(1, numberField(1, TYPE.float), shape);
  return bytesField(GRAPH.output, textField(1, ATTENTION_OUTPUT), bytesField(2, tensor));
}

/** The name and the dimensions of an input or output; 0 for a dimension that is not fixed. */
function valueInfo(bytes: Uint8Array): { name: string; dims: number[] } {
  let name = '';
  const dims: number[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) name = text(field.bytes);
    if (field.number !== 2) continue;
    const tensor = first(fieldsOf(field.bytes), 1);
    const shape = tensor && first(fieldsOf(tensor.bytes), 2);
    for (const dim of shape ? fieldsOf(shape.bytes) : []) {
      dims.push(first(fieldsOf(dim.bytes), 1)?.value ?? 0);
    }
  }
  return { name, dims };
}
