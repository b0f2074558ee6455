/** Writes ONNX models of a few hundred bytes, for the real engine. */
import {
  integerAttribute,
  integersAttribute,
  makeNode,
} from '../../../server/whisper/graph/onnx-graph.ts';
import { makeTensor } from '../../../server/whisper/graph/tensors.ts';
import {
  bytesField,
  joinedBytes,
  numberField,
  textField,
} from '../../../server/whisper/graph/protobuf.ts';

/** Element types. */
export const FLOAT = 1;
export const INT32 = 6;
export const INT64 = 7;

/** A field of a message. */
export type Field = [number: number, value: string | Uint8Array];

export const message = (fields: readonly Field[]): Uint8Array =>
  joinedBytes(
    ...fields.map(([number, value]) =>
      typeof value === 'string' ? textField(number, value) : bytesField(number, value),
    ),
  );

export const node = (...given: Parameters<typeof makeNode>) => makeNode(...given).bytes;
export const int = integerAttribute;
export const ints = integersAttribute;
export const tensor = (name: string, shape: number[], values: Float32Array) =>
  makeTensor(name, FLOAT, shape, values).bytes;

export function value(name: string, type: number, shape: (number | string)[]): Uint8Array {
  const dims = shape.map((size) =>
    bytesField(1, typeof size === 'number' ? numberField(1, size) : textField(2, size)),
  );
  const tensorType = bytesField(1, numberField(1, type), bytesField(2, ...dims));
  return joinedBytes(textField(1, name), bytesField(2, tensorType));
}

/** A constant of integers. */
export const wholeNumbers = (name: string, shape: number[], values: number[]): Uint8Array =>
  makeTensor(name, INT64, shape, BigInt64Array.from(values, BigInt)).bytes;

/** A model of one graph, with its metadata. */
export const model = (graph: Uint8Array, metadata: Readonly<Record<string, string>> = {}) =>
  joinedBytes(
    numberField(1, 8),
    textField(2, 'captioner tests'),
    bytesField(7, graph),
    bytesField(8, textField(1, ''), numberField(2, 13)),
    ...Object.entries(metadata).map(([key, text]) =>
      bytesField(14, textField(1, key), textField(2, text)),
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
