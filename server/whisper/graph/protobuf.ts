/** The part of Protocol Buffers that is needed to read and extend an ONNX graph. */

/** A field of a message, with its value (varint fields) or bytes (other fields). */
interface Field {
  number: number;
  value: number;
  bytes: Uint8Array;
  /** The start and the end of the field in the message. */
  from: number;
  to: number;
}

/** The kinds of fields. */
export const WIRE = { varint: 0, eight: 1, bytes: 2, four: 5 };

/** The beginning of a field: its number, its kind, the length of the beginning, and that of the content, in bytes. */
interface FieldHead {
  number: number;
  wire: number;
  head: number;
  length: number;
  /** The value of a varint field, whose content has no bytes of its own. */
  value: number;
}

/**
 * Reads the beginning of a field.
 * @throws {Error} if there is none at this place
 */
export function fieldHeadAt(message: Uint8Array, start = 0): FieldHead {
  let at = start;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at];
      if (byte === undefined) throw new Error('not a Protocol Buffers message');
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error('not a Protocol Buffers message');
  };
  const key = varint();
  const wire = key & 7;
  let value = 0;
  let length = 0;
  if (wire === WIRE.varint) value = varint();
  else if (wire === WIRE.bytes) length = varint();
  else if (wire === WIRE.eight) length = 8;
  else if (wire === WIRE.four) length = 4;
  else throw new Error('not a Protocol Buffers message');
  return { number: Math.floor(key / 8), wire, head: at - start, length, value };
}

/**
 * The fields of a message, in order, without copying.
 * @throws {Error} if the bytes are not a message
 */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  for (let from = 0; from < message.length;) {
    const { number, value, head, length } = fieldHeadAt(message, from);
    const start = from + head;
    const bytes = message.subarray(start, start + length);
    if (bytes.length < length) throw new Error('not a Protocol Buffers message');
    yield { number, value, bytes, from, to: start + length };
    from = start + length;
  }
}

/** Encodes a varint field. */
export const numberField = (number: number, value: number): Uint8Array =>
  Uint8Array.of(...varintBytes(number * 8 + WIRE.varint), ...varintBytes(value));

/** Encodes a field with bytes, or with the fields of a nested message. */
export function bytesField(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return joinedBytes(fieldHead(number, length), ...parts);
}

/** Encodes the key and the length that precede the bytes of a field. */
const fieldHead = (number: number, length: number): Uint8Array =>
  Uint8Array.of(...varintBytes(number * 8 + WIRE.bytes), ...varintBytes(length));

/** Encodes a text field. */
export const textField = (number: number, text: string): Uint8Array =>
  bytesField(number, new TextEncoder().encode(text));

/** Concatenates byte arrays. */
export function joinedBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return [...bytes, rest];
}

/** The first field of a number; undefined without one. */
export function first(message: Uint8Array, number: number): Field | undefined {
  for (const field of fieldsOf(message)) if (field.number === number) return field;
  return undefined;
}

/** The text of the first field of a number; empty without one. */
export const textOf = (message: Uint8Array, number: number): string => {
  const field = first(message, number);
  return field ? new TextDecoder().decode(field.bytes) : '';
};
