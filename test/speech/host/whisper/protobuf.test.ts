import { describe, expect, test } from 'bun:test';
import {
  bytesField,
  fieldHeadAt,
  fieldsOf,
  first,
  joined,
  numberField,
  textField,
  textOf,
} from '../../../../server/whisper/graph/protobuf.ts';
import * as fc from 'fast-check';

const plain = (message: Uint8Array) =>
  [...fieldsOf(message)].map(({ number, value, bytes }) => ({ number, value, bytes: [...bytes] }));

describe('a message by hand', () => {
  // Keys are the number × 8 plus the wire type.
  const message = Uint8Array.from(
    [
      [0x08, 0x96, 0x01], // field 1, varint 150
      [0x12, 0x02, 0x68, 0x69], // field 2, two bytes
      [0x19, 1, 2, 3, 4, 5, 6, 7, 8], // field 3, eight bytes
      [0x25, 9, 10, 11, 12], // field 4, four bytes
      [0x80, 0x01, 0x00], // field 16, varint 0
    ].flat(),
  );

  test('has its fields in order', () => {
    expect(plain(message)).toEqual([
      { number: 1, value: 150, bytes: [] },
      { number: 2, value: 0, bytes: [0x68, 0x69] },
      { number: 3, value: 0, bytes: [1, 2, 3, 4, 5, 6, 7, 8] },
      { number: 4, value: 0, bytes: [9, 10, 11, 12] },
      { number: 16, value: 0, bytes: [] },
    ]);
    const places = [...fieldsOf(message)].map(({ from, to }) => [from, to]);
    expect(places).toEqual([
      [0, 3],
      [3, 7],
      [7, 16],
      [16, 21],
      [21, 24],
    ]);
    expect(fieldHeadAt(message, 3)).toMatchObject({ number: 2, wire: 2, head: 2, length: 2 });
  });

  test('the first field of a number, and text', () => {
    expect(textOf(joined(message, textField(2, 'later')), 2)).toBe('hi');
    expect(first(message, 5)).toBeUndefined();
    expect(textOf(message, 5)).toBe('');
  });

  test.each([
    ['an unknown wire type', [0x0b]],
    ['a key that ends early', [0x80]],
    ['a number that ends early', [0x08, 0x80]],
    ['a number of eleven bytes', [0x08, ...Array.from({ length: 10 }, () => 0x80), 0]],
    ['bytes that end early', [0x12, 3, 1, 2]],
    ['eight bytes that end early', [0x19, 1, 2, 3, 4, 5, 6, 7]],
    ['four bytes that end early', [0x25, 1, 2, 3]],
    ['no bytes at all, where a length is wanted', [0x12]],
  ])('%s is refused', (_name, bytes) => {
    expect(() => plain(Uint8Array.from(bytes))).toThrow('not a Protocol Buffers message');
  });

  test('a number may have ten bytes', () => {
    const bytes = [0x08, ...Array.from({ length: 9 }, () => 0x80), 0x00];
    expect(plain(Uint8Array.from(bytes))).toEqual([{ number: 1, value: 0, bytes: [] }]);
  });
});

test('written messages can be read back', () => {
  const number = fc.integer({ min: 1, max: 2 ** 20 });
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.record({ number, value: fc.integer({ min: 0, max: 2 ** 50 }) }),
          fc.record({ number, parts: fc.array(fc.uint8Array({ maxLength: 200 })) }),
        ),
      ),
      (fields) => {
        const message = joined(
          ...fields.map((field) =>
            'value' in field
              ? numberField(field.number, field.value)
              : bytesField(field.number, ...field.parts),
          ),
        );
        expect(plain(message)).toEqual(
          fields.map((field) =>
            'value' in field
              ? { number: field.number, value: field.value, bytes: [] }
              : { number: field.number, value: 0, bytes: field.parts.flatMap((part) => [...part]) },
          ),
        );
      },
    ),
  );
});
