/** The tensors that are part of an ONNX model: its weights and constants. */
import {
  fieldsOf,
  numberField,
  bytesField,
  textField,
  joinedBytes,
  first,
  textOf,
} from './protobuf.ts';
import { ATTRIBUTE, ELEMENT, ENTRY, TENSOR } from './onnx-fields.ts';
import type { GraphNode, NamedBytes } from './onnx-graph.ts';

/** Makes a tensor that is part of the model. */
export function makeTensor(
  name: string,
  element: number,
  dims: readonly number[],
  { buffer, byteOffset, byteLength }: ArrayBufferView,
): NamedBytes {
  const bytes = joinedBytes(
    ...dims.map((dim) => numberField(TENSOR.dims, dim)),
    numberField(TENSOR.type, element),
    textField(TENSOR.name, name),
    bytesField(TENSOR.raw, new Uint8Array(buffer, byteOffset, byteLength)),
  );
  return { name, bytes };
}

/** Makes a list of whole numbers that is part of the model. */
export const makeIntegers = (name: string, values: readonly number[]): NamedBytes =>
  makeTensor(name, ELEMENT.int64, [values.length], BigInt64Array.from(values, BigInt));

/** The dimensions of a tensor that is part of the model. */
export const dimensionsOf = ({ bytes }: NamedBytes): number[] =>
  [...fieldsOf(bytes)].flatMap(({ number, value }) => (number === TENSOR.dims ? [value] : []));

/** The place of a tensor's values in the file that holds them; null if they are in the model itself. */
export function placeOf({ bytes }: NamedBytes): { offset: number; length: number } | null {
  const entries = [...fieldsOf(bytes)].filter(({ number }) => number === TENSOR.external);
  const place = new Map(
    entries.map((entry) => [textOf(entry.bytes, ENTRY.key), textOf(entry.bytes, ENTRY.value)]),
  );
  if (!place.has('length')) return null;
  return { offset: Number(place.get('offset') ?? 0), length: Number(place.get('length')) };
}

/** The element type of a tensor that is part of the model. */
export const elementOf = ({ bytes }: NamedBytes): number => first(bytes, TENSOR.type)?.value ?? 0;

/** The element type of the tensor that a Constant node has; undefined without one. */
export const constantElementOf = (node: GraphNode): number | undefined => {
  const tensor = constantOf(node);
  return tensor && elementOf(tensor);
};

/** The tensor that a Constant node has; undefined without one. */
export function constantOf(node: GraphNode): NamedBytes | undefined {
  const tensor = node.attributes.map((each) => first(each, ATTRIBUTE.tensor)).find(Boolean);
  return tensor && { name: node.outputs[0]!, bytes: tensor.bytes };
}

/** The number of a tensor that has one 32-bit number; undefined if it is another. */
export function numberOf(tensor: NamedBytes): number | undefined {
  const values = first(tensor.bytes, TENSOR.raw) ?? first(tensor.bytes, TENSOR.floats);
  if (elementOf(tensor) !== ELEMENT.float || values?.bytes.length !== 4) return undefined;
  return new DataView(values.bytes.slice().buffer).getFloat32(0, true);
}
