/** Finding and counting the frames of MP3 files. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fc from 'fast-check';
import { type FrameHeader, parseFrameHeader, parseInfoFrame } from '../../server/mp3/header.ts';
import { ape, ascii, fixture, id3, id3v1, join, junk, source } from './support.ts';
import { FrameScanner, tagLength } from '../../server/mp3/scanner.ts';
import { Mp3Sniffer } from '../../server/mp3/sniff.ts';
import { indexMp3, longerThan } from '../../server/mp3/frames.ts';
import { failureOf } from '../support/failure-of.ts';
import { rounds } from '../support/fuzz.ts';
import { StageFailure } from '../../server/contract/failure.ts';

setDefaultTimeout(300_000);

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
  ['no sync', [0xff, 0x1b, 0x92, 0xc4]],
  ['reserved version', [0xff, 0xeb, 0x92, 0xc4]],
  ['reserved layer', [0xff, 0xf9, 0x92, 0xc4]],
  ['bad bitrate', [0xff, 0xfb, 0xf2, 0xc4]],
  ['reserved sample rate', [0xff, 0xfb, 0x9e, 0xc4]],
  ['three bytes', [0xff, 0xfb, 0x92]],
] as const)('refuses: %s', (_name, bytes) => {
  expect(parseFrameHeader(new Uint8Array(bytes), 0)).toBeNull();
});

describe('handmade information frames', () => {
  /** MPEG 1 layer III, mono, 44.1 kHz, 128 kbit/s: 17 bytes of side information. */
  const headerOf = (crc: boolean): FrameHeader =>
    parseFrameHeader(new Uint8Array([0xff, crc ? 0xfa : 0xfb, 0x90, 0xc0]), 0)!;

  /** A frame with bytes at offsets. */
  function frame(...parts: readonly (readonly [number, readonly number[] | string])[]): Uint8Array {
    const bytes = new Uint8Array(417);
    for (const [at, part] of parts) bytes.set(typeof part === 'string' ? ascii(part) : part, at);
    return bytes;
  }

  test.each([
    ['after the side information', false, 21, true],
    ['there too if a checksum is not counted', true, 21, true],
    ['two bytes later if it is', true, 23, true],
    ['not two bytes later without a checksum', false, 23, false],
    ['nowhere else', true, 25, false],
  ])('the marker is found: %s', (_, crc, at, found) => {
    expect(parseInfoFrame(headerOf(crc), frame([at, 'Info'])) !== null).toBe(found);
  });

  const counts = [0x24, 0x04, 0x5e] as const; // 0x240 = 576 before, 0x45e = 1118 after.

  test.each([
    ['LAME', 576, 1118],
    ['L3.9', 576, 1118],
    ['Lavc', 576, 1118],
    ['GOGO', 576, 1118],
    ['Fraunhofer', null, null],
    ['xLAME', null, null],
  ])('an information frame of %s', (encoder, encoderDelay, encoderPadding) => {
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
});

/** A free-format header of MPEG 1 layer III, and a frame of so many bytes. */
const FREE = [0xff, 0xfb, 0x00, 0xc0];
const freeFrame = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length).fill(0x55);
  bytes.set(FREE);
  return bytes;
};

test.each([24, 1000, 5760])(
  'free format frames of %d bytes are found, however they arrive',
  (length) => {
    const bytes = join(...[1, 2, 3, 4].map(() => freeFrame(length)));
    for (const chunk of [64, 4096, bytes.length]) {
      const found: number[] = [];
      const scan = new FrameScanner({ frame: (offset) => found.push(offset) });
      for (let at = 0; at < bytes.length; at += chunk) scan.push(bytes.slice(at, at + chunk));
      scan.end();
      expect(scan.freeLength).toBe(length);
      expect(found).toEqual([0, length, 2 * length, 3 * length]);
    }
  },
);

describe('sniff', () => {
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

  test.each([
    'mono-16k.mp3',
    'chirp-stereo-44k-vbr.mp3',
    'chirp-stereo-48k.mp3',
    'chirp-mono-22k-id3.mp3',
    'mono-8k-no-info.mp3',
    'free-format.mp3',
  ])('MP3: %s', (name) => {
    expect(sniff(fixture(name))).toBe('mp3');
  });

  test('an MP3 may be split into chunks anywhere', () => {
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
    ['WAV around MP3', join(start('RIFF', [36, 0, 0, 0], 'WAVEfmt ').slice(0, 44), speech)],
    ['MP4 around MP3', join(start([0, 0, 0, 32], 'ftypmp42').slice(0, 600), speech)],
    ['ZIP around MP3', join(start('PK', [3, 4]).slice(0, 60), speech)],
    ['FLAC behind a tag', join(id3(100), start('fLaC'))],
    ['AAC (ADTS)', start([0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc])],
    ['AAC (ADTS) behind a tag', join(id3(100), start([0xff, 0xf1, 0x50, 0x80]))],
    ['too much junk first', join(junk(70_000), speech)],
    ['too many zeros first', join(new Uint8Array(1_100_000), speech)],
  ])('not MP3: %s', (_name, bytes) => {
    for (const chunk of [4096, 1_000_000]) expect(sniff(bytes, chunk)).toBe('not-mp3');
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

  test('random bytes are not MP3', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.boolean(), (bytes, synced) => {
        if (synced) bytes.set([0xff, 0xfb].slice(0, bytes.length));
        fc.pre(!endsInFrame(bytes));
        expect(sniff(bytes, 997)).toBe('not-mp3');
      }),
      { numRuns: 500 },
    );
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
});

describe('the lengths of tags around the audio', () => {
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
});

describe('junk and tags in the middle of a recording', () => {
  const indexOf = (bytes: Uint8Array) => indexMp3(source(bytes));

  const speech = fixture('mono-16k.mp3');

  test.each([
    ['as many bytes of junk as of sound, less a few', -8, true],
    ['more junk than sound', 8, false],
  ])('%s', async (_name, more, isRead) => {
    const { byteOffset, audioEnd, frameCount } = await indexOf(speech);
    const cut = byteOffset(20);
    const damaged = join(speech.slice(0, cut), junk(audioEnd + more), speech.slice(cut, audioEnd));
    if (isRead) expect((await indexOf(damaged)).frameCount).toBe(frameCount);
    else expect((await failureOf(indexOf(damaged))).message).toContain('More than half');
  });

  test.each([
    ['an ID3 tag', (inside: Uint8Array) => join(id3(0, inside.length).slice(0, 10), inside)],
    ['an APE tag', ape],
    ['an ID3v1 tag', id3v1],
  ])('frames inside %s within junk do not belong to the sound', async (_name, tagged) => {
    const plain = await indexOf(speech);
    const cut = plain.byteOffset(20);
    // Three frames of 36 bytes, 8 kbit/s at 16 kHz; the next frame of the sound follows them.
    const inside = new Uint8Array(108);
    for (const at of [0, 36, 72]) inside.set([0xff, 0xf3, 0x18, 0xc4], at);
    const damaged = join(speech.slice(0, cut), junk(700), tagged(inside), speech.slice(cut));
    expect((await indexOf(damaged)).frameCount).toBe(plain.frameCount);
    const untagged = join(speech.slice(0, cut), junk(700), inside, speech.slice(cut));
    expect((await indexOf(untagged)).frameCount).toBe(plain.frameCount + 3);
  });
});

describe('files put together from parts whose places are known', () => {
  /** Frames of 216 bytes (MPEG 2, 16 kHz, 24 kbit/s: 108), without a byte that begins a frame or a tag. */
  const FRAME = 108;
  function frames(count: number): Uint8Array {
    const bytes = new Uint8Array(count * FRAME).fill(0x55);
    for (let at = 0; at < bytes.length; at += FRAME) bytes.set([0xff, 0xf3, 0x38, 0xc0], at);
    return bytes;
  }

  const some = (most: number) => fc.integer({ min: 1, max: most });
  type Part = { kind: 'tag' | 'zeros' | 'junk' | 'frames'; bytes: Uint8Array };
  const part = (kind: Part['kind'], bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Part> =>
    bytes.map((made) => ({ kind, bytes: made }));
  const tag = part(
    'tag',
    fc.oneof(
      some(300).map((size) => id3(size)),
      some(255).map((size) => ape(new Uint8Array(size).fill(0x41))),
      fc.constant(id3v1()),
    ),
  );
  /** Bytes that begin neither a frame nor a tag, and are not zeros. */
  const noise = part(
    'junk',
    some(900).map((size) => new Uint8Array(size).fill(0x62)),
  );
  const sound = part('frames', fc.integer({ min: 3, max: 6 }).map(frames));

  /** Scans in chunks of the given sizes, in turns. */
  function scanned(bytes: Uint8Array, sizes: readonly number[]) {
    const found: number[] = [];
    const scan = new FrameScanner({ frame: (offset) => found.push(offset) });
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length]!;
      scan.push(bytes.slice(at, at + size));
      at += size;
    }
    scan.end();
    const { junkBefore, zerosBefore, junkBetween, tagsEnd, insideTag } = scan;
    return { found, junkBefore, zerosBefore, junkBetween, tagsEnd, insideTag };
  }

  test('every frame is found, and all other bytes are counted, however they arrive', () => {
    const sizes = fc.array(fc.oneof(some(40), some(2000)), { minLength: 1, maxLength: 5 });
    const lead = fc.tuple(
      fc.array(tag, { maxLength: 3 }),
      fc.option(
        part(
          'zeros',
          some(500).map((size) => new Uint8Array(size)),
        ),
      ),
      fc.option(noise),
    );
    fc.assert(
      fc.property(
        lead,
        fc.array(fc.oneof(sound, sound, noise, tag), { maxLength: 6 }),
        sizes,
        (first, rest, chunks) => {
          const [tags, zeros, before] = first;
          const leading = [...tags, ...(zeros ? [zeros] : []), ...(before ? [before] : [])];
          const parts = [...leading, { kind: 'frames' as const, bytes: frames(4) }, ...rest];
          const expected: number[] = [];
          let [at, between] = [0, 0];
          for (const [index, { kind, bytes }] of parts.entries()) {
            if (kind === 'frames') {
              for (let inside = 0; inside < bytes.length; inside += FRAME)
                expected.push(at + inside);
            } else if (kind === 'junk' && index >= leading.length) between += bytes.length;
            at += bytes.length;
          }
          const sizeOf = (given: readonly Part[]) =>
            given.reduce((sum, { bytes }) => sum + bytes.length, 0);
          expect(scanned(join(...parts.map(({ bytes }) => bytes)), chunks)).toEqual({
            found: expected,
            zerosBefore: zeros?.bytes.length ?? 0,
            junkBefore: before?.bytes.length ?? 0,
            junkBetween: between,
            tagsEnd: sizeOf(tags) + (zeros?.bytes.length ?? 0),
            insideTag: false,
          });
        },
      ),
      { numRuns: rounds(200) },
    );
  });

  describe('the beginning of another format', () => {
    const speech = fixture('mono-16k.mp3');
    /** What a file of another format begins with, in Latin-1; or has at an offset. */
    const BEGINNINGS =
      'RIFF RF64 FORM caff OggS fLaC #!AMR .snd MThd ADIF Rar! BZh GIF8 BM %PDF MZ FLV\u0001 PK\u0003\u0004 ' +
      '\u000bw \u001aE\u00df\u00a3 0&\u00b2u \0\0\u0001\u00ba \0\0\u0001\u00b3 7z\u00bc\u00af \u001f\u008b \u00fd7zXZ ' +
      '(\u00b5/\u00fd \u0089PNG \u00ff\u00d8\u00ff \u00d0\u00cf\u0011\u00e0 \u007fELF';
    const FORMATS: [mark: string, offset: number][] = [
      ...[...BEGINNINGS.split(' '), 'SQLite format 3'].map((mark): [string, number] => [mark, 0]),
      ...['ftyp', 'moov', 'mdat', 'wide'].map((mark): [string, number] => [mark, 4]),
      ['ustar', 257],
    ];
    const file = (mark: string, offset: number): Uint8Array => {
      const head = junk(600);
      // Not text, whatever the mark leaves of it.
      head.fill(0x80, 0, 4);
      for (const [at, letter] of [...mark].entries()) head[offset + at] = letter.charCodeAt(0);
      return join(head, speech);
    };
    const verdict = (bytes: Uint8Array) => {
      const sniffer = new Mp3Sniffer();
      return [sniffer.push(bytes.subarray(0, 700)), sniffer.push(bytes.subarray(700))];
    };
    test.each(FORMATS)('%j at %d is not MP3, though MP3 follows', (mark, offset) => {
      expect(verdict(file(mark, offset))).toEqual(['not-mp3', 'not-mp3']);
      // A byte later, or with its last byte changed, it is only junk.
      expect(verdict(file(mark, offset + 7))).toEqual(['unknown', 'mp3']);
      const last = String.fromCharCode(mark.charCodeAt(mark.length - 1) ^ 0x80);
      expect(verdict(file(mark.slice(0, -1) + last, offset))).toEqual(['unknown', 'mp3']);
    });

    test.each([
      ['', true],
      ['\u00ef\u00bb\u00bf', true],
      ['\u00ef\u00bb\u00be', false],
      ['\u00ef\u00ba\u00bf', false],
      ['\u00ee\u00bb\u00bf', false],
      ['\u0080\u0080\u0080', false],
    ])('text after %j', (mark, isText) => {
      const bytes = join(
        Uint8Array.from(mark, (letter) => letter.charCodeAt(0)),
        ascii('~ \t\n\v\f\r!'.repeat(80)),
        speech,
      );
      expect(verdict(bytes)).toEqual(isText ? ['not-mp3', 'not-mp3'] : ['unknown', 'mp3']);
    });
  });
});

describe('frames', () => {
  const indexOf = (bytes: Uint8Array, chunk?: number) => indexMp3(source(bytes, chunk));

  const speech = fixture('mono-16k.mp3');

  /** The fixtures: their frames without the information frame, and their true seconds. */
  const FIXTURES = [
    ['mono-16k.mp3', 16_000, 1, 576, 4.447],
    ['chirp-stereo-44k-vbr.mp3', 44_100, 2, 1152, 2.5],
    ['chirp-stereo-48k.mp3', 48_000, 2, 1152, 2.5],
    ['chirp-mono-22k-id3.mp3', 22_050, 1, 576, 2.5],
  ] as const;

  test.each(FIXTURES)('%s', async (name, sampleRate, channels, samplesPerFrame, seconds) => {
    const bytes = fixture(name);
    const index = await indexOf(bytes);
    expect(index).toMatchObject({ sampleRate, channels, samplesPerFrame });
    expect(Math.abs(index.duration - seconds)).toBeLessThan(0.001);
    expect(index.delaySamples).toBe(576 + 529);
    for (let frame = 0; frame < index.frameCount; frame++) {
      const offset = index.byteOffset(frame);
      const length = parseFrameHeader(bytes, offset)?.length ?? 0;
      expect(offset + length).toBe(index.byteOffset(frame + 1));
      const time = (frame * samplesPerFrame - index.delaySamples) / sampleRate;
      if (frame > 1) expect(index.frameAt(time)).toBe(frame);
    }
    expect(index.byteOffset(index.frameCount)).toBe(index.audioEnd);
    expect(() => index.byteOffset(index.frameCount + 1)).toThrow(RangeError);
  });

  test('free format: the size of a frame is the distance to the next', async () => {
    const index = await indexOf(fixture('free-format.mp3'));
    expect(index.freeFormatLength).not.toBeNull();
    expect(index.frameCount * 576).toBeGreaterThan(16_000);
    expect(index.audioEnd).toBe(fixture('free-format.mp3').length);
  });

  test.each([
    ['far too large', 1_000, 50_000_000],
    ['into the audio', 1_000, 9_000],
    ['too small', 1_000, 20],
    ['of an empty tag', 0, 9_000],
  ])('a tag with a false size: %s', async (_name, size, told) => {
    const plain = await indexOf(speech);
    const index = await indexOf(join(id3(size, told), speech));
    expect(index.frameCount).toBe(plain.frameCount);
    expect(index.audioStart).toBe(plain.audioStart + size + 10);
    expect(index.duration).toBe(plain.duration);
  });

  test('junk between frames is skipped, and frames after missing bytes are found', async () => {
    const plain = await indexOf(speech);
    const cut = plain.byteOffset(20);
    const withJunk = await indexOf(join(speech.slice(0, cut), junk(10_000), speech.slice(cut)));
    expect(withJunk.frameCount).toBe(plain.frameCount);
    expect(withJunk.byteOffset(20)).toBe(cut + 10_000);
    const missing = await indexOf(join(speech.slice(0, cut - 50), speech.slice(cut)));
    expect(missing.frameCount).toBe(plain.frameCount);
    expect(missing.byteOffset(20)).toBe(cut - 50);
  });

  test.each([
    ['nothing', new Uint8Array(0)],
    ['text', ascii('not a recording '.repeat(500))],
    ['zeros', new Uint8Array(5_000)],
    ['a tag alone', id3(5_000)],
    ['half a frame', speech.slice(0, 100)],
  ])('no audio: %s', async (_name, bytes) => {
    const failure = await failureOf(indexOf(bytes));
    expect(failure).toMatchObject({ code: 'audio_unreadable', retryable: false });
    expect(failure.suggestions[0]?.description).toContain('ffmpeg');
  });

  test('any bytes yield an index or a failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.nat(speech.length),
        fc.nat(3_000),
        async (noise, at, length) => {
          const spoilt = join(speech.slice(0, at), noise, speech.slice(at + length));
          const index = await indexOf(spoilt, 1 + (noise[0] ?? 0) * 20).catch((error: unknown) => {
            expect(error).toBeInstanceOf(StageFailure);
            return null;
          });
          if (!index) return;
          for (let frame = 0; frame < index.frameCount; frame++) {
            expect(index.byteOffset(frame + 1)).toBeGreaterThan(index.byteOffset(frame));
          }
          expect(index.audioEnd).toBeLessThanOrEqual(spoilt.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('refusing recordings that are too long by their frames, without reading them completely', () => {
  /** A recording that counts the bytes read. */
  function counted(bytes: Uint8Array) {
    const audio = source(bytes);
    let read = 0;
    return {
      size: audio.size,
      async *read() {
        for await (const chunk of audio.read()) {
          read += chunk.length;
          yield chunk;
        }
      },
      bytesRead: () => read,
    };
  }

  test.each([
    ['chirp-stereo-48k.mp3', 96, 1152 / 48_000],
    ['chirp-stereo-44k-vbr.mp3', 104, 1152 / 44_100],
    ['chirp-mono-22k-id3.mp3', 26, 576 / 22_050],
    ['mono-16k.mp3', 36, 576 / 16_000],
    ['mono-8k-no-info.mp3', 72, 576 / 8000],
    ['free-format.mp3', 24, 576 / 16_000],
  ])(
    '%s exceeds half of its length, but not its length, nor what frames of %p bytes allow',
    async (name, shortest, seconds) => {
      const bytes = fixture(name);
      const recording = join(bytes, junk(60_000));
      const most = ((recording.length - tagLength(bytes, 0)) / shortest) * seconds;
      const [sure, unsure] = [counted(recording), counted(recording)];
      expect(await longerThan(sure, most + 0.01)).toBeNull();
      expect(sure.bytesRead()).toBeLessThanOrEqual(16_384);
      expect(await longerThan(unsure, most - 0.01)).toBeNull();
      expect(unsure.bytesRead()).toBe(recording.length);
      // The encoder's delay and the information frame count too: a tenth of a second.
      const { duration } = await indexMp3(source(bytes));
      expect(await longerThan(source(bytes), duration / 2)).toBeGreaterThan(duration / 2);
      expect(await longerThan(source(bytes), duration + 0.2)).toBeNull();
    },
  );

  test('an information frame that claims one second has no effect', async () => {
    const liar = fixture('mono-16k.mp3').slice();
    const text = Buffer.from(liar.buffer).indexOf(Buffer.from('Info'));
    const mark = text === -1 ? Buffer.from(liar.buffer).indexOf(Buffer.from('Xing')) : text;
    expect(mark).toBeGreaterThan(0);
    new DataView(liar.buffer).setUint32(mark + 8, 1);
    const { duration } = await indexMp3(source(liar));
    expect(await longerThan(source(liar), duration / 2)).not.toBeNull();
  });
});
