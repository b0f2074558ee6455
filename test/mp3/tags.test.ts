/** The lengths of tags around the audio. */
import { expect, test } from 'bun:test';
import { tagLength } from '../../server/mp3/tags.ts';
import { ascii, id3 } from './support.ts';

/** Bytes of a certain length that begin like this. */
const tag = (name: string, fields: number[] = [], at = name.length): Uint8Array => {
  const bytes = new Uint8Array(300);
  bytes.set(ascii(name));
  bytes.set(fields, at);
  return bytes;
};
const flagged = (size: number, flags: number): Uint8Array => {
  const bytes = id3(size);
  bytes[5] = flags;
  return bytes;
};

test.each([
  ['ID3v2', id3(100), 110],
  ['ID3v2 with a footer', flagged(100, 0x10), 120],
  ['ID3v2 with other flags', flagged(100, 0xe0), 110],
  ['ID3v2 of a size beyond seven bits', id3(40_000), 40_010],
  ['ID3v2 whose size ignores the seven-bit rule', tag('ID3', [4, 0, 0, 0, 0, 1, 0x90]), 410],
  ['ID3v2 of an impossible version', tag('ID3', [0xff, 0, 0, 0, 0, 0, 9]), 0],
  ['ID3v2 of an impossible revision', tag('ID3', [4, 0xff, 0, 0, 0, 0, 9]), 0],
  ['ID3v2 that breaks off', ascii('ID3\u0004\0\0\0'), 0],
  ['ID3v1', tag('TAG'), 128],
  ['ID3v1 enhanced', tag('TAG+'), 227],
  [
    'APE, its header',
    tag('APETAGEX', [0xd0, 7, 0, 0, 200, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x20]),
    232,
  ],
  ['APE, its footer', tag('APETAGEX', [0xd0, 7, 0, 0, 200, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]), 32],
  [
    'APE, its footer at the end of the file',
    tag('APETAGEX', [0xd0, 7, 0, 0, 200, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).slice(0, 32),
    32,
  ],
  ['APE that breaks off', ascii('APETAGEX'), 0],
  ['no tag', tag('TAX'), 0],
])('%s', (_name, bytes, length) => {
  expect(tagLength(bytes, 0)).toBe(length);
});
