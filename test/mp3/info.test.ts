/** Handmade information frames: the positions of their parts, with and without a checksum. */
import { describe, expect, test } from 'bun:test';
import { parseFrameHeader, type FrameHeader } from '../../server/mp3/header.ts';
import { findXing, parseInfoFrame } from '../../server/mp3/info.ts';
import { ascii } from './support.ts';

/** MPEG 1 layer III, mono, 44.1 kHz, 128 kbit/s: 17 bytes of side information. */
const headerOf = (crc: boolean): FrameHeader =>
  parseFrameHeader(new Uint8Array([0xff, crc ? 0xfa : 0xfb, 0x90, 0xc0]), 0)!;

/** A frame with bytes at offsets. */
function frame(...parts: readonly (readonly [number, readonly number[] | string])[]): Uint8Array {
  const bytes = new Uint8Array(417);
  for (const [at, part] of parts) bytes.set(typeof part === 'string' ? ascii(part) : part, at);
  return bytes;
}

describe('the marker is found', () => {
  test.each([
    ['after the side information', false, 21, 21],
    ['there too if a checksum is not counted', true, 21, 21],
    ['two bytes later if it is', true, 23, 23],
    ['not two bytes later without a checksum', false, 23, null],
    ['nowhere else', true, 25, null],
  ])('%s', (_, crc, at, mark) => {
    expect(findXing(headerOf(crc), frame([at, 'Info']))?.mark ?? null).toBe(mark);
  });

  test('before a false one, if there are two', () => {
    expect(findXing(headerOf(true), frame([23, 'Xing'], [19, 'Info']))?.kind).toBe('Xing');
  });
});

describe('the extension begins', () => {
  test.each([
    [0, 29],
    [1, 33],
    [2, 33],
    [3, 37],
    [4, 129],
    [8, 33],
    [15, 141],
  ])('with the flags %d at %d', (flags, extension) => {
    const found = findXing(headerOf(false), frame([21, 'Xing'], [25, [0, 0, 0, flags]]));
    expect(found).toEqual({ kind: 'Xing', mark: 21, flags, extension });
  });
});

describe('an information frame', () => {
  const counts = [0x24, 0x04, 0x5e] as const; // 0x240 = 576 before, 0x45e = 1118 after.

  test.each([
    ['LAME', 576, 1118],
    ['L3.9', 576, 1118],
    ['Lavc', 576, 1118],
    ['GOGO', 576, 1118],
    ['Fraunhofer', null, null],
    ['xLAME', null, null],
  ])('of %s', (encoder, encoderDelay, encoderPadding) => {
    const bytes = frame(
      [21, 'Info'],
      [25, [0, 0, 0, 1]],
      [29, [0, 1, 2, 3]],
      [33, encoder],
      [33 + 21, counts],
    );
    expect(parseInfoFrame(headerOf(false), bytes)).toEqual({
      kind: 'Info',
      frames: 0x01_02_03,
      encoderDelay,
      encoderPadding,
    });
  });

  test('may lack a frame count, or be cut off before the end of its counts', () => {
    const bytes = frame([21, 'Info'], [29, 'LAME'], [50, counts]);
    expect(parseInfoFrame(headerOf(false), bytes)).toMatchObject({
      frames: null,
      encoderDelay: 576,
    });
    expect(parseInfoFrame(headerOf(false), bytes.subarray(0, 52))).toMatchObject({
      encoderDelay: null,
      encoderPadding: null,
    });
    const claimed = frame([21, 'Info'], [25, [0, 0, 0, 1]]).subarray(0, 32);
    expect(parseInfoFrame(headerOf(false), claimed)?.frames).toBeNull();
    const whole = frame([21, 'Info'], [25, [0, 0, 0, 1]], [29, [0, 0, 0, 9]]).subarray(0, 33);
    expect(parseInfoFrame(headerOf(false), whole)?.frames).toBe(9);
  });

  test('of VBRI has its count at byte 50, and no other frame is one', () => {
    expect(parseInfoFrame(headerOf(false), frame([36, 'VBRI'], [50, [0, 0, 3, 9]]))).toEqual({
      kind: 'VBRI',
      frames: 777,
      encoderDelay: null,
      encoderPadding: null,
    });
    expect(parseInfoFrame(headerOf(false), frame([37, 'VBRI']))).toBeNull();
  });
});
