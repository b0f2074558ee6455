/** The tensors in an ONNX model, by the field numbers of onnx.proto, which are written out here. */
import { describe, expect, test } from 'bun:test';
import {
  ELEMENT,
  integerAttribute,
  makeNode,
  constantElementOf,
  constantOf,
  dimensionsOf,
  elementOf,
  makeIntegers,
  makeTensor,
  numberOf,
  placeOf,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import {
  bytesField,
  fieldsOf,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';

describe('a tensor', () => {
  test('has dimensions, an element type, a name and its bytes', () => {
    const { name, bytes } = makeTensor('w', ELEMENT.float, [1, 2], Float32Array.of(0.5, 2));
    expect(name).toBe('w');
    const raw = new Uint8Array(Float32Array.of(0.5, 2).buffer);
    expect(bytes).toEqual(
      joined(
        numberField(1, 1),
        numberField(1, 2),
        numberField(2, 1),
        textField(8, 'w'),
        bytesField(9, raw),
      ),
    );
  });

  test('has only the part of the memory that it was made of', () => {
    const part = Float32Array.of(1, 2, 3, 4).subarray(1, 3);
    const { bytes } = makeTensor('w', ELEMENT.float, [2], part);
    expect([...fieldsOf(bytes)].at(-1)!.bytes).toEqual(
      new Uint8Array(Float32Array.of(2, 3).buffer),
    );
  });

  test('of whole numbers has 64 bits for each, also below zero', () => {
    const list = makeIntegers('shape', [1, -1, 0]);
    expect([dimensionsOf(list), elementOf(list)]).toEqual([[3], 7]);
    const raw = [...fieldsOf(list.bytes)].find(({ number }) => number === 9)!.bytes;
    expect([...new BigInt64Array(raw.slice().buffer)]).toEqual([1n, -1n, 0n]);
    expect(elementOf({ name: 'x', bytes: new Uint8Array() })).toBe(0);
  });

  test.each<[string, Uint8Array, number | undefined]>([
    ['as raw bytes', joined(numberField(2, 1), bytesField(9, floats(0.125))), 0.125],
    ['as a packed list', joined(numberField(2, 1), bytesField(4, floats(-3))), -3],
    ['of another type', joined(numberField(2, 7), bytesField(9, floats(3))), undefined],
    ['several', joined(numberField(2, 1), bytesField(9, floats(3, 4))), undefined],
    ['none', numberField(2, 1), undefined],
  ])('is a number: %s', (_, bytes, number) => {
    expect(numberOf({ name: 'n', bytes })).toBe(number);
  });

  test('of a constant is in its attribute', () => {
    const attribute = joined(
      textField(1, 'value'),
      bytesField(5, numberField(2, 7), textField(8, 'inner')),
    );
    const node = makeNode('Constant', [], 'c', [integerAttribute('axis', 1), attribute]);
    expect(constantOf(node)).toMatchObject({ name: 'c' });
    expect(constantElementOf(node)).toBe(7);
    expect([constantOf(makeNode('X', [], 'c')), constantElementOf(makeNode('X', [], 'c'))]).toEqual(
      [undefined, undefined],
    );
  });

  test('may be in another file, at a place', () => {
    const entry = (key: string, value: string) =>
      bytesField(13, textField(1, key), textField(2, value));
    const place = (...entries: Uint8Array[]) =>
      placeOf({ name: 'w', bytes: joined(numberField(2, 1), ...entries) });
    expect(place(entry('location', 'a'), entry('offset', '64'), entry('length', '12'))).toEqual({
      offset: 64,
      length: 12,
    });
    expect(place(entry('length', '12'))).toEqual({ offset: 0, length: 12 });
    expect(place(entry('location', 'a'), entry('offset', '64'))).toBeNull();
    expect(place()).toBeNull();
  });
});

function floats(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer);
}
