/** Files put together from parts whose places are known: tags, zeros, junk and frames. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { FrameScanner } from '../../server/mp3/scanner.ts';
import { Mp3Sniffer } from '../../server/mp3/sniff.ts';
import { rounds } from '../support/fuzz.ts';
import { ape, ascii, fixture, id3, id3v1, join, junk } from './support.ts';

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
            for (let inside = 0; inside < bytes.length; inside += FRAME) expected.push(at + inside);
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
  /** What a file begins with: Latin-1, at an offset. */
  const FORMATS: [format: string, mark: string, offset?: number][] = [
    ['WAV', 'RIFF'],
    ['WAV over 4 GiB', 'RF64'],
    ['AIFF', 'FORM'],
    ['Core Audio', 'caff'],
    ['Ogg', 'OggS'],
    ['FLAC', 'fLaC'],
    ['AMR', '#!AMR'],
    ['Sun audio', '.snd'],
    ['MIDI', 'MThd'],
    ['AAC', 'ADIF'],
    ['AC-3', '\u000b\u0077'],
    ['MP4', 'ftyp', 4],
    ['QuickTime, index first', 'moov', 4],
    ['QuickTime, data first', 'mdat', 4],
    ['QuickTime, wide', 'wide', 4],
    ['Matroska', '\u001a\u0045\u00df\u00a3'],
    ['Windows Media', '\u0030\u0026\u00b2\u0075'],
    ['Flash', 'FLV\u0001'],
    ['MPEG programme stream', '\u0000\u0000\u0001\u00ba'],
    ['MPEG video', '\u0000\u0000\u0001\u00b3'],
    ['ZIP', 'PK\u0003\u0004'],
    ['RAR', 'Rar!'],
    ['7z', '7z\u00bc\u00af'],
    ['gzip', '\u001f\u008b'],
    ['bzip2', 'BZh'],
    ['XZ', '\u00fd7zXZ'],
    ['Zstandard', '\u0028\u00b5\u002f\u00fd'],
    ['tar', 'ustar', 257],
    ['PNG', '\u0089PNG'],
    ['GIF', 'GIF8'],
    ['JPEG', '\u00ff\u00d8\u00ff'],
    ['BMP', 'BM'],
    ['PDF', '%PDF'],
    ['old Office', '\u00d0\u00cf\u0011\u00e0'],
    ['ELF', '\u007fELF'],
    ['Windows program', 'MZ'],
    ['SQLite', 'SQLite format 3'],
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
  test.each(FORMATS)('%s is not MP3, though MP3 follows', (_format, mark, offset = 0) => {
    expect(verdict(file(mark, offset))).toEqual(['not-mp3', 'not-mp3']);
    // A byte later, or with its last byte changed, it is only junk.
    expect(verdict(file(mark, offset + 7))).toEqual(['unknown', 'mp3']);
    const last = String.fromCharCode(mark.charCodeAt(mark.length - 1) ^ 0x80);
    expect(verdict(file(mark.slice(0, -1) + last, offset))).toEqual(['unknown', 'mp3']);
  });

  test('a transport stream has a mark every 188 bytes', () => {
    const bytes = file('', 0);
    bytes[0] = 0x47;
    expect(verdict(bytes)[1]).toBe('mp3');
    bytes[188] = 0x47;
    expect(verdict(bytes)[0]).toBe('not-mp3');
    bytes[0] = 0x48;
    expect(verdict(bytes)[1]).toBe('mp3');
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

  test.each([0x08, 0x0e, 0x1f, 0x7f, 0xc3])(
    'a byte of %d among the first 64 is no text',
    (byte) => {
      for (const [at, isText] of [
        [63, false],
        [64, true],
      ] as const) {
        const bytes = join(ascii('x'.repeat(600)), speech);
        bytes[at] = byte;
        expect(verdict(bytes)[1]).toBe(isText ? 'not-mp3' : 'mp3');
      }
    },
  );

  test.each([
    ['junk', 65_536, 'mp3'],
    ['junk', 65_537, 'not-mp3'],
    ['zeros', 1_048_576, 'mp3'],
    ['zeros', 1_048_577, 'not-mp3'],
  ])('after %s, %d bytes: %s', (kind, size, answer) => {
    const before = new Uint8Array(size).fill(kind === 'junk' ? 0x80 : 0);
    const sniffer = new Mp3Sniffer();
    sniffer.push(join(before, frames(8)));
    expect(sniffer.end()).toBe(answer as never);
  });
});
