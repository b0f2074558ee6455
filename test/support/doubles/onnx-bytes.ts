/**
 * Writes ONNX models as protobuf by hand: just enough for the tests' models of a few hundred bytes.
 */

/** Element types. */
export const FLOAT = 1;
export const INT32 = 6;
export const INT64 = 7;

/** A field of a protobuf message. */
export type Field = [number: number, value: number | string | Uint8Array];

/** A protobuf message: numbers as varints, the rest with their length. */
export function message(fields: readonly Field[]): Uint8Array {
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

export function node(
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

export const int = (name: string, value: number): Uint8Array =>
  message([
    [1, name],
    [3, value],
    [20, 2],
  ]);

export const ints = (name: string, values: number[]): Uint8Array =>
  message([[1, name], ...values.map((value): Field => [8, value]), [20, 7]]);

export const tensor = (name: string, shape: number[], values: Float32Array): Uint8Array =>
  message([
    ...shape.map((size): Field => [1, size]),
    [2, FLOAT],
    [8, name],
    [9, new Uint8Array(values.buffer)],
  ]);

export const value = (name: string, type: number, shape: (number | string)[]): Uint8Array =>
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

/** A constant of integers. */
export const wholeNumbers = (name: string, shape: number[], values: number[]): Uint8Array =>
  message([
    ...shape.map((size): Field => [1, size]),
    [2, INT64],
    [8, name],
    [9, new Uint8Array(BigInt64Array.from(values, BigInt).buffer)],
  ]);

/** A model of one graph, with its metadata. */
export const model = (graph: Uint8Array, metadata: Readonly<Record<string, string>> = {}) =>
  message([
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

/** Nodes from the features `audio_signal` [N, F, T], averaged over some frames, to `logits` [N, T/frames, scores]. */
export const averagedScores = (frames: number): Field[] => [
  [
    1,
    node(
      'AveragePool',
      ['audio_signal'],
      ['pooled'],
      [ints('kernel_shape', [frames]), ints('strides', [frames])],
    ),
  ],
  [1, node('Transpose', ['pooled'], ['steps'], [ints('perm', [0, 2, 1])])],
  [1, node('MatMul', ['steps', 'weights'], ['scores'])],
  [1, node('Add', ['scores', 'bias'], ['logits'])],
];
