/** Writes ONNX models of a few hundred bytes, for the real engine. */
import { make, protobuf } from '../../../server/whisper/graph/onnx-graph.ts';

/** Element types. */
export const FLOAT = 1;
export const INT32 = 6;
export const INT64 = 7;

/** A field of a message. */
export type Field = [number: number, value: string | Uint8Array];

export const message = (fields: readonly Field[]): Uint8Array =>
  protobuf.joined(
    ...fields.map(([number, value]) =>
      typeof value === 'string' ? protobuf.text(number, value) : protobuf.bytes(number, value),
    ),
  );

export const node = (...given: Parameters<typeof make.node>) => make.node(...given).bytes;
export const int = make.integer;
export const ints = make.integerList;
export const tensor = (name: string, shape: number[], values: Float32Array) =>
  make.tensor(name, FLOAT, shape, values).bytes;

export function value(name: string, type: number, shape: (number | string)[]): Uint8Array {
  const dims = shape.map((size) =>
    protobuf.bytes(1, typeof size === 'number' ? protobuf.number(1, size) : protobuf.text(2, size)),
  );
  const tensorType = protobuf.bytes(1, protobuf.number(1, type), protobuf.bytes(2, ...dims));
  return protobuf.joined(protobuf.text(1, name), protobuf.bytes(2, tensorType));
}

/** A constant of integers. */
export const wholeNumbers = (name: string, shape: number[], values: number[]): Uint8Array =>
  make.tensor(name, INT64, shape, BigInt64Array.from(values, BigInt)).bytes;

/** A model of one graph, with its metadata. */
export const model = (graph: Uint8Array, metadata: Readonly<Record<string, string>> = {}) =>
  protobuf.joined(
    protobuf.number(1, 8),
    protobuf.text(2, 'captioner tests'),
    protobuf.bytes(7, graph),
    protobuf.bytes(8, protobuf.text(1, ''), protobuf.number(2, 13)),
    ...Object.entries(metadata).map(([key, text]) =>
      protobuf.bytes(14, protobuf.text(1, key), protobuf.text(2, text)),
    ),
  );

/** Nodes from the features `audio_signal` [N, F, T], averaged over some frames, to `logits` [N, T/frames, scores]. */
export const averagedScores = (frames: number): Field[] => {
  const pool = [ints('kernel_shape', [frames]), ints('strides', [frames])];
  return [
    [1, node('AveragePool', ['audio_signal'], ['pooled'], pool)],
    [1, node('Transpose', ['pooled'], ['steps'], [ints('perm', [0, 2, 1])])],
    [1, node('MatMul', ['steps', 'weights'], ['scores'])],
    [1, node('Add', ['scores', 'bias'], ['logits'])],
  ];
};
