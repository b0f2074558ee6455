/** Messages between the service and its recogniser processes, in bytes that arrive in any portions. */
import { expect, test } from 'bun:test';
import {
  bytesToSamples,
  encodeMessage,
  MessageReader,
  samplesToBytes,
} from '../../../server/speech/host/engine-messages.ts';

const whole = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
/** A header for parts of these lengths. */
const header = (text: number, body: number): Uint8Array => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(text, 0);
  bytes.writeUInt32LE(body, 4);
  return new Uint8Array(bytes);
};
/** Reads bytes in portions of a size. */
function read(bytes: Uint8Array, size = bytes.length) {
  const received: [unknown, number[]][] = [];
  const reader = new MessageReader((json, body) => void received.push([json, [...body]]));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size));
  return received;
}

test('a message is two lengths, its JSON and its bytes', () => {
  const bytes = whole(...encodeMessage({ a: 'é' }, Uint8Array.of(7, 8, 9)));
  const json = new TextEncoder().encode('{"a":"é"}');
  expect(bytes).toEqual(whole(header(json.length, 3), json, Uint8Array.of(7, 8, 9)));
  expect(whole(...encodeMessage(1))).toEqual(whole(header(1, 0), Uint8Array.of(0x31)));
});

test('messages are received whole and in order, whatever portions they arrive in', () => {
  const sent: [unknown, number[]][] = [
    [{ type: 'loaded' }, []],
    ['', [1]],
    [[1, 2], Array.from({ length: 50 }, (_, at) => at)],
    [null, []],
  ];
  const bytes = whole(
    ...sent.flatMap(([json, body]) => encodeMessage(json, Uint8Array.from(body))),
  );
  for (let size = 1; size <= bytes.length; size += 1) expect(read(bytes, size)).toEqual(sent);
});

test('a message is received with its last byte, not before', () => {
  const bytes = whole(...encodeMessage({ a: 1 }, Uint8Array.of(7)));
  expect(read(bytes.subarray(0, -1))).toEqual([]);
  expect(read(bytes.subarray(0, 8))).toEqual([]);
  expect(read(bytes)).toHaveLength(1);
});

test('a length of more than 512 MiB is no message', () => {
  const most = 512 * 1024 * 1024;
  expect(read(header(most, 0))).toEqual([]);
  expect(read(header(1, most - 1))).toEqual([]);
  expect(() => read(header(most, 1))).toThrow('not a message');
  expect(() => read(header(0, most + 1))).toThrow('not a message');
});

test('samples are their bytes, at whatever place of a larger memory they are', () => {
  const all = Float32Array.of(0.5, -1, 2, 3);
  const bytes = samplesToBytes(all.subarray(1, 3));
  expect([...bytesToSamples(bytes)]).toEqual([-1, 2]);
  const moved = whole(Uint8Array.of(0), bytes).subarray(1);
  const samples = bytesToSamples(moved);
  expect([...samples]).toEqual([-1, 2]);
  // They are a copy.
  samples[0] = 9;
  expect([...bytesToSamples(moved)]).toEqual([-1, 2]);
});
