/** Reads the token embedding, from which logits are computed, and rounds it to 7-bit integers. */
import { open } from 'node:fs/promises';
import { type OnnxModel } from './onnx-graph.ts';
import { ELEMENT } from './onnx-fields.ts';
import { dimensionsOf, elementOf, placeOf } from './tensors.ts';
import { logitsProduct, type QuantisedEmbedding } from './logits.ts';

/**
 * The largest value. With 8 bits, the sums of two products exceed 16 bits, and processors without an instruction for
 * such products cut them off.
 */
const LARGEST = 63;
/** The number of tokens read at once, and the number rounded at once, chosen to stay in the processor's cache. */
const READ = 2048;
const ROUNDED = 64;

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
