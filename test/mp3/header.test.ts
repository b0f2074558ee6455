/** The header of MPEG audio frames, against the table of the standards. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { consistent, parseFrameHeader, sideInformationBytes } from '../../server/mp3/header.ts';

/** In kbit/s for the bits 0001 to 1110 (ISO 11172-3 §2.4.2.3, ISO 13818-3 §2.4.2.3), by the second byte of the header. */
const BITRATES: [name: string, second: number, rates: string][] = [
  ['MPEG 1 layer I', 0xff, '32 64 96 128 160 192 224 256 288 320 352 384 416 448'],
  ['MPEG 1 layer II', 0xfd, '32 48 56 64 80 96 112 128 160 192 224 256 320 384'],
  ['MPEG 1 layer III', 0xfb, '32 40 48 56 64 80 96 112 128 160 192 224 256 320'],
  ['MPEG 2 layer I', 0xf7, '32 48 56 64 80 96 112 128 144 160 176 192 224 256'],
  ['MPEG 2 layer II', 0xf5, '8 16 24 32 40 48 56 64 80 96 112 128 144 160'],
  ['MPEG 2 layer III', 0xf3, '8 16 24 32 40 48 56 64 80 96 112 128 144 160'],
  ['MPEG 2.5 layer III', 0xe3, '8 16 24 32 40 48 56 64 80 96 112 128 144 160'],
];

const parse = (second: number, third: number, fourth = 0) =>
  parseFrameHeader(Uint8Array.of(0xff, second, third, fourth), 0);

test.each(BITRATES)('every bitrate of %s', (_name, second, rates) => {
  const read = Array.from({ length: 14 }, (_, at) => parse(second, (at + 1) << 4)?.bitrate);
  expect(read.join(' ')).toBe(rates);
  expect(parse(second, 0)).toMatchObject({ bitrate: 0, length: null });
  expect(parse(second, 0xf0)).toBeNull();
});

test.each([
  ['MPEG 1', 0xfb, [44_100, 48_000, 32_000]],
  ['MPEG 2', 0xf3, [22_050, 24_000, 16_000]],
  ['MPEG 2.5', 0xe3, [11_025, 12_000, 8000]],
])('every sample rate of %s', (_name, second, rates) => {
  expect([0, 1, 2].map((at) => parse(second, 0x90 | (at << 2))?.sampleRate)).toEqual(rates);
  expect(parse(second, 0x9c)).toBeNull();
});

test.each([
  // 144 × bitrate / sample rate in layers II and III of MPEG 1, 72 in layer III of MPEG 2; slots of four bytes in layer I.
  ['MPEG 1 layer III, 128 kbit/s, 44.1 kHz', 0xfb, 0x90, 417],
  ['the same with padding', 0xfb, 0x92, 418],
  ['MPEG 2 layer III, 64 kbit/s, 22.05 kHz', 0xf3, 0x80, 208],
  ['MPEG 1 layer II, 160 kbit/s, 44.1 kHz', 0xfd, 0x90, 522],
  ['MPEG 1 layer I, 384 kbit/s, 44.1 kHz, with padding', 0xff, 0xc2, 420],
])('the length of %s', (_name, second, third, length) => {
  expect(parse(second, third)?.length).toBe(length);
});

test('the channels, and whether a checksum follows', () => {
  expect([0, 0x40, 0x80, 0xc0].map((mode) => parse(0xfb, 0x90, mode)?.channels)).toEqual([
    2, 2, 2, 1,
  ]);
  expect([parse(0xfb, 0x90)?.crc, parse(0xfa, 0x90)?.crc]).toEqual([false, true]);
});

test.each([
  ['MPEG 1', 0xfb, 32, 17],
  ['MPEG 2', 0xf3, 17, 9],
  ['MPEG 2.5', 0xe3, 17, 9],
])(
  'the side information of %s, with two channels and one',
  (_name, second: number, two: number, one: number) => {
    expect(sideInformationBytes(parse(second, 0x90)!)).toBe(two);
    expect(sideInformationBytes(parse(second, 0x90, 0xc0)!)).toBe(one);
  },
);

test.each<[string, boolean, second: number, third: number, fourth: number]>([
  ['another bitrate, padding and channel mode', true, 0xfb, 0xa2, 0xc0],
  ['a checksum', true, 0xfa, 0x90, 0],
  ['another version', false, 0xf3, 0x90, 0],
  ['another layer', false, 0xfd, 0x90, 0],
  ['another sample rate', false, 0xfb, 0x94, 0],
  ['the same rate in another version', false, 0xe3, 0x90, 0],
  ['no bitrate', false, 0xfb, 0, 0],
])(
  'whether a header with %s belongs to the same stream: %p',
  (_name, expected, second, third, fourth) => {
    const [first, other] = [parse(0xfb, 0x90)!, parse(second, third, fourth)!];
    expect(consistent(first, other)).toBe(expected);
    expect(consistent(other, first)).toBe(expected);
    expect(consistent(other, other)).toBe(true);
  },
);

describe('parseFrameHeader', () => {
  test('reads MPEG 1 layer III', () => {
    expect(parseFrameHeader(new Uint8Array([0xff, 0xfb, 0x92, 0xc4]), 0)).toEqual({
      version: 1,
      layer: 3,
      sampleRate: 44_100,
      bitrate: 128,
      channels: 1,
      padding: 1,
      crc: false,
      samplesPerFrame: 1152,
      length: 418,
    });
  });

  test.each([
    ['MPEG 2 layer III', [0xff, 0xf3, 0x48, 0xc4], 2, 3, 16_000, 32, 144],
    ['MPEG 2.5 layer III', [0xff, 0xe3, 0x18, 0xc4], 2.5, 3, 8_000, 8, 72],
    ['MPEG 1 layer II', [0xff, 0xfd, 0x84, 0x04], 1, 2, 48_000, 128, 384],
    ['MPEG 1 layer I', [0xff, 0xff, 0xc2, 0x04], 1, 1, 44_100, 384, 420],
  ] as const)('reads %s', (_name, bytes, version, layer, sampleRate, bitrate, length) => {
    const header = parseFrameHeader(new Uint8Array(bytes), 0);
    expect(header).toMatchObject({ version, layer, sampleRate, bitrate, length });
  });

  test('reads the checksum flag and free format', () => {
    expect(parseFrameHeader(new Uint8Array([0xff, 0xfa, 0x00, 0x00]), 0)).toMatchObject({
      crc: true,
      bitrate: 0,
      length: null,
    });
  });

  test.each([
    ['no sync', [0xff, 0x1b, 0x92, 0xc4]],
    ['reserved version', [0xff, 0xeb, 0x92, 0xc4]],
    ['reserved layer', [0xff, 0xf9, 0x92, 0xc4]],
    ['bad bitrate', [0xff, 0xfb, 0xf2, 0xc4]],
    ['reserved sample rate', [0xff, 0xfb, 0x9e, 0xc4]],
    ['three bytes', [0xff, 0xfb, 0x92]],
  ] as const)('refuses: %s', (_name, bytes) => {
    expect(parseFrameHeader(new Uint8Array(bytes), 0)).toBeNull();
  });

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 8 }),
        fc.integer({ min: -4, max: 12 }),
        (bytes, at) => {
          const header = parseFrameHeader(bytes, at);
          expect(header === null || header.sampleRate >= 8_000).toBe(true);
        },
      ),
    );
  });
});
