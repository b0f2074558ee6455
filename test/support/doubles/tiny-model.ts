/**
 * A speech model of a few hundred bytes that the real engine loads and runs. It recognises
 * loudness: the word `low` where sound begins, `high` where it swells, `bright` where it hisses,
 * always the same, with times that follow the sound. Written by hand as ONNX protobuf.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FEATURES = 80;
/** Feature frames (10 ms) per output step: 80 ms. */
const SUBSAMPLING = 8;
const TOKENS = ['▁low', '▁high', '▁bright'];

const FLOAT = 1;
const INT64 = 7;

/** Writes model.onnx and tokens.txt into a folder that exists. */
export async function writeTinyModel(folder: string): Promise<void> {
  await writeFile(join(folder, 'model.onnx'), tinyModel());
  const lines = [...TOKENS, '<blk>'].map((token, id) => `${token} ${id}\n`);
  await writeFile(join(folder, 'tokens.txt'), lines.join(''));
}

/**
 * features [1, 80, T] → averages over 8 frames → [1, T/8, 80] × weights → log-probabilities. The
 * logits are lines of rising slope in the loudness, so each token wins in a band of its own.
 */
function tinyModel(): Uint8Array {
  const weights = new Float32Array(FEATURES * 4);
  for (let mel = 0; mel < FEATURES; mel += 1) {
    const high = mel >= FEATURES / 2;
    weights[mel * 4] = 1 / FEATURES;
    weights[mel * 4 + 1] = 2 / FEATURES;
    weights[mel * 4 + 2] = (high ? 3.6 : -1) / FEATURES;
    weights[mel * 4 + 3] = 0;
  }
  const bias = new Float32Array([9, 16, 6, 0]);
  const graph = message([
    [
      1,
      node(
        'AveragePool',
        ['audio_signal'],
        ['pooled'],
        [ints('kernel_shape', [SUBSAMPLING]), ints('strides', [SUBSAMPLING])],
      ),
    ],
    [1, node('Transpose', ['pooled'], ['steps'], [ints('perm', [0, 2, 1])])],
    [1, node('MatMul', ['steps', 'weights'], ['scores'])],
    [1, node('Add', ['scores', 'bias'], ['logits'])],
    [1, node('LogSoftmax', ['logits'], ['logprobs'], [int('axis', -1)])],
    [2, 'tiny'],
    [5, tensor('weights', [FEATURES, 4], weights)],
    [5, tensor('bias', [4], bias)],
    [11, value('audio_signal', FLOAT, ['N', FEATURES, 'T'])],
    [11, value('length', INT64, ['N'])],
    [12, value('logprobs', FLOAT, ['N', 'S', 4])],
  ]);
  const metadata = {
    vocab_size: String(TOKENS.length),
    subsampling_factor: String(SUBSAMPLING),
    normalize_type: '',
    model_type: 'EncDecCTCModelBPE',
  };
  return message([
    [1, 8],
    [2, 'captioner tests'],
    [7, graph],
    [
      8,
      message([
        [1, ''],
        [2, 13],
      ]),
    ],
    ...Object.entries(metadata).map(([key, text]): Field => [
      14,
      message([
        [1, key],
        [2, text],
      ]),
    ]),
  ]);
}

type Field = [number: number, value: number | string | Uint8Array];

/** A protobuf message: numbers as varints, the rest with their length. */
function message(fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3), varint(value)];
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
    return [varint((number << 3) | 2), varint(bytes.length), bytes];
  });
  return new Uint8Array(Buffer.concat(parts));
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const more = rest > 127n ? 128 : 0;
    bytes.push(Number(rest & 127n) | more);
    rest >>= 7n;
  } while (rest > 0n);
  return new Uint8Array(bytes);
}

function node(
  operator: string,
  inputs: string[],
  outputs: string[],
  attributes: Uint8Array[] = [],
): Uint8Array {
  return message([
    ...inputs.map((name): Field => [1, name]),
    ...outputs.map((name): Field => [2, name]),
    [4, operator],
    ...attributes.map((attribute): Field => [5, attribute]),
  ]);
}

const int = (name: string, value: number): Uint8Array =>
  message([
    [1, name],
    [3, value],
    [20, 2],
  ]);

const ints = (name: string, values: number[]): Uint8Array =>
  message([[1, name], ...values.map((value): Field => [8, value]), [20, 7]]);

const tensor = (name: string, shape: number[], values: Float32Array): Uint8Array =>
  message([
    ...shape.map((size): Field => [1, size]),
    [2, FLOAT],
    [8, name],
    [9, new Uint8Array(values.buffer)],
  ]);

const value = (name: string, type: number, shape: (number | string)[]): Uint8Array =>
  message([
    [1, name],
    [
      2,
      message([
        [
          1,
          message([
            [1, type],
            [
              2,
              message(
                shape.map((size): Field => [
                  1,
                  message([typeof size === 'number' ? [1, size] : [2, size]]),
                ]),
              ),
            ],
          ]),
        ],
      ]),
    ],
  ]);
