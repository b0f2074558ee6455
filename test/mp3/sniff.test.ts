import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import * as fc from 'fast-check';
import { parseFrameHeader } from '../../server/mp3/header.ts';
import { FrameScanner } from '../../server/mp3/scanner.ts';
import { Mp3Sniffer } from '../../server/mp3/sniff.ts';
import { ascii, fixture, id3, join, junk } from './support.ts';

setDefaultTimeout(300_000);

/** The final result for bytes pushed in chunks. */
function sniff(bytes: Uint8Array, chunk = bytes.length || 1): 'mp3' | 'not-mp3' {
  const sniffer = new Mp3Sniffer();
  for (let from = 0; from < bytes.length; from += chunk) {
    sniffer.push(bytes.slice(from, from + chunk));
  }
  return sniffer.end();
}

const speech = fixture('mono-16k.mp3');
const frame = 216;
const bare = fixture('mono-8k-no-info.mp3');

const start = (...parts: (string | number[])[]): Uint8Array => {
  const bytes = new Uint8Array(20_000).map((_value, i) => (i * 7919) >> 3);
  let at = 0;
  for (const part of parts) {
    const piece = typeof part === 'string' ? ascii(part) : new Uint8Array(part);
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
};

describe('MP3', () => {
  test.each([
    'mono-16k.mp3',
    'chirp-stereo-44k-vbr.mp3',
    'chirp-stereo-48k.mp3',
    'chirp-mono-22k-id3.mp3',
    'mono-8k-no-info.mp3',
    'free-format.mp3',
  ])('%s', (name) => {
    expect(sniff(fixture(name))).toBe('mp3');
  });

  test('may be split into chunks anywhere', () => {
    const bytes = join(id3(700), id3(10), new Uint8Array(100), speech.slice(0, 3_000));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }), (sizes) => {
        const sniffer = new Mp3Sniffer();
        let from = 0;
        for (let i = 0; from < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          sniffer.push(bytes.slice(from, from + size));
          from += size;
        }
        expect(sniffer.end()).toBe('mp3');
      }),
    );
    expect(sniff(bytes, 1)).toBe('mp3');
  });

  test('is detected before the end', () => {
    const sniffer = new Mp3Sniffer();
    expect(sniffer.push(speech.slice(0, 100))).toBe('unknown');
    expect(sniffer.push(speech.slice(100, 1_000))).toBe('mp3');
    expect(sniffer.push(ascii('whatever'))).toBe('mp3');
  });

  test('may have a tag of 24 MB, in chunks of 64 KiB', () => {
    expect(sniff(join(id3(24_000_000), speech), 65_536)).toBe('mp3');
  });

  test('may have a tag that extends past the end', () => {
    expect(sniff(join(id3(500, 90_000_000), speech), 4096)).toBe('mp3');
    expect(sniff(join(id3(500, 90_000_000), junk(20_000)), 4096)).toBe('not-mp3');
  });

  test('may be cut off in the second frame', () => {
    expect(sniff(speech.slice(0, frame + 20))).toBe('mp3');
  });

  test('may be a single frame up to the end, or up to a tag', () => {
    const one = bare.slice(0, 72);
    expect(sniff(one)).toBe('mp3');
    const tag = new Uint8Array(128);
    tag.set(ascii('TAG'));
    expect(sniff(join(one, tag))).toBe('mp3');
  });

  test('may start in the middle of a frame', () => {
    expect(sniff(join(junk(200), speech.slice(frame)))).toBe('mp3');
    expect(sniff(join(junk(60_000), speech))).toBe('mp3');
  });
});

describe('not MP3', () => {
  test.each([
    ['nothing', new Uint8Array(0)],
    ['zeros', new Uint8Array(3_000_000)],
    ['half a frame', speech.slice(0, 100)],
    ['one frame and something else', join(bare.slice(0, 72), junk(5_000))],
    ['a tag alone', id3(3_000)],
    ['a tag around MP3', join(id3(0, speech.length), speech)],
    ['text', ascii('Dear reader, '.repeat(1_000))],
    ['JSON', ascii(`{"words":[${'1,'.repeat(3_000)}1]}`)],
    ['HTML with MP3 behind it', join(ascii(`<!doctype html>${' '.repeat(200)}`), speech)],
    ['WAV', start('RIFF', [36, 0, 0, 0], 'WAVEfmt ')],
    ['WAV around MP3', join(start('RIFF', [36, 0, 0, 0], 'WAVEfmt ').slice(0, 44), speech)],
    ['MP4', start([0, 0, 0, 32], 'ftypM4A ')],
    ['MP4 around MP3', join(start([0, 0, 0, 32], 'ftypmp42').slice(0, 600), speech)],
    ['ZIP around MP3', join(start('PK', [3, 4]).slice(0, 60), speech)],
    ['PNG', start([0x89], 'PNG', [13, 10, 26, 10])],
    ['Ogg', start('OggS')],
    ['FLAC behind a tag', join(id3(100), start('fLaC'))],
    ['AAC (ADTS)', start([0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc])],
    ['AAC (ADTS) behind a tag', join(id3(100), start([0xff, 0xf1, 0x50, 0x80]))],
    ['Matroska', start([0x1a, 0x45, 0xdf, 0xa3])],
    ['too much junk first', join(junk(70_000), speech)],
  ])('%s', (_name, bytes) => {
    expect(sniff(bytes, 4096)).toBe('not-mp3');
  });

  test.each([1000, 65_536, 1_000_000])('too much junk, in chunks of %d', (chunk) => {
    expect(sniff(join(junk(70_000), speech), chunk)).toBe('not-mp3');
    expect(sniff(join(new Uint8Array(1_100_000), speech), chunk)).toBe('not-mp3');
  });

  test('layer II', () => {
    const layer2 = new Uint8Array(384 * 20);
    for (let at = 0; at < layer2.length; at += 384) layer2.set([0xff, 0xfd, 0x84, 0x04], at);
    expect(sniff(layer2)).toBe('not-mp3');
  });

  /**
   * A single frame without room for another after it counts as MP3, and random bytes sometimes
   * contain one.
   */
  const endsInFrame = (bytes: Uint8Array): boolean =>
    bytes.some((_, at) => {
      const frame = parseFrameHeader(bytes, at);
      const left = bytes.length - at - (frame?.length ?? 0);
      return frame !== null && left >= 0 && left < 4;
    });

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.boolean(), (bytes, synced) => {
        if (synced) bytes.set([0xff, 0xfb].slice(0, bytes.length));
        fc.pre(!endsInFrame(bytes));
        expect(sniff(bytes, 997)).toBe('not-mp3');
      }),
      { numRuns: 500 },
    );
  });
});

test('a large first chunk is read no further than needed', () => {
  const looked = spyOn(FrameScanner.prototype, 'push');
  expect(new Mp3Sniffer().push(new Uint8Array(8 * 2 ** 20).fill(0x62))).toBe('not-mp3');
  const bytes = looked.mock.calls.reduce((sum, [chunk]) => sum + chunk.byteLength, 0);
  looked.mockRestore();
  expect(bytes).toBeLessThan(2 ** 19);
});

test('bytes passed at once are judged as one by one', () => {
  const bytes = fc.constantFrom(0, 0, 0, 0x49, 0x41, 0x54, 0x47, 0xff, 0xfb, 0x90, 0x62);
  const property = fc.property(fc.array(bytes, { maxLength: 3000 }), (values) => {
    const file = join(new Uint8Array(values), speech.subarray(0, 4 * frame));
    const counted = (chunk: number) => {
      const scanner = new FrameScanner({ frame: () => {} });
      for (let at = 0; at < file.length; at += chunk) scanner.push(file.slice(at, at + chunk));
      scanner.end();
      const { junkBefore, zerosBefore, junkBetween, tagsEnd } = scanner;
      return [junkBefore, zerosBefore, junkBetween, tagsEnd];
    };
    expect(counted(file.length)).toEqual(counted(1));
  });
  fc.assert(property, { numRuns: 30 });
});
