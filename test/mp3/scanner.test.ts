/** The search for frames while bytes arrive: each decision, and how long it waits. */
import { describe, expect, test } from 'bun:test';
import { FrameScanner } from '../../server/mp3/scanner.ts';
import { id3, join } from './support.ts';

/** A free-format header of MPEG 1 layer III, and a frame of so many bytes. */
const FREE = [0xff, 0xfb, 0x00, 0xc0];
const freeFrame = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length).fill(0x55);
  bytes.set(FREE);
  return bytes;
};

/** A scanner, and the offsets of the frames that it has found. */
function scanner(): { scan: FrameScanner; found: number[]; junk: number } {
  const found: number[] = [];
  const state = { found, junk: 0 } as { scan: FrameScanner; found: number[]; junk: number };
  state.scan = new FrameScanner({
    frame: (offset) => found.push(offset),
    junk: (bytes) => (state.junk += bytes.length),
  });
  return state;
}

describe('free format', () => {
  test.each([24, 1000, 5760])('frames of %d bytes are found, however they arrive', (length) => {
    const bytes = join(...[1, 2, 3, 4].map(() => freeFrame(length)));
    for (const chunk of [64, 4096, bytes.length]) {
      const { scan, found } = scanner();
      for (let at = 0; at < bytes.length; at += chunk) scan.push(bytes.slice(at, at + chunk));
      scan.end();
      expect(scan.freeLength).toBe(length);
      expect(found).toEqual([0, length, 2 * length, 3 * length]);
    }
  });

  test('longer frames than any encoder writes are ignored', () => {
    const { scan, found } = scanner();
    scan.push(join(...[1, 2, 3, 4].map(() => freeFrame(5761))));
    scan.end();
    expect([scan.freeLength, found]).toEqual([null, []]);
  });

  test('a single header is dropped after two maximal frames, not before', () => {
    const whole = freeFrame(20_000);
    const { scan } = scanner();
    scan.push(whole.slice(0, 11_527));
    expect(scan.junkBefore).toBe(0);
    scan.push(whole.slice(11_527, 11_528));
    expect(scan.junkBefore).toBeGreaterThan(0);
  });

  test('a single header is dropped at the end of the file', () => {
    const { scan } = scanner();
    scan.push(freeFrame(500));
    expect(scan.junkBefore).toBe(0);
    scan.end();
    expect(scan.junkBefore).toBeGreaterThan(0);
  });

  test('padded frames are a byte longer than the others', () => {
    const padded = freeFrame(501);
    padded[2] = 0x02;
    const { scan, found } = scanner();
    scan.push(join(padded, freeFrame(500), padded, freeFrame(500), freeFrame(500)));
    scan.end();
    expect([scan.freeLength, found]).toEqual([500, [0, 501, 1001, 1502, 2002]]);
  });

  test('two frames are enough at the end, once the length is known', () => {
    const { scan, found } = scanner();
    const frames = [1, 2, 3, 4].map(() => freeFrame(500));
    scan.push(join(...frames, new Uint8Array(30).fill(0x55), freeFrame(500), freeFrame(500)));
    scan.end();
    expect(found).toEqual([0, 500, 1000, 1500, 2030, 2530]);
    expect(scan.junkBetween).toBe(30);
  });

  test('two frames are not enough', () => {
    const { scan, found } = scanner();
    scan.push(join(freeFrame(500), freeFrame(500)));
    scan.push(new Uint8Array(12_000).fill(0x55));
    scan.end();
    expect([scan.freeLength, found]).toEqual([null, []]);
  });

  test('it is not searched for after junk', () => {
    const { scan, found } = scanner();
    scan.push(join(new Uint8Array(50).fill(7), ...[1, 2, 3, 4].map(() => freeFrame(500))));
    scan.end();
    expect([scan.freeLength, found]).toEqual([null, []]);
  });
});

test.each([
  [1, []],
  [2, [50, 467]],
])('after junk, a file that ends with %i frames: %j are found', (count, offsets) => {
  // 128 kbit/s at 44.1 kHz.
  const frame = new Uint8Array(417).fill(0x55);
  frame.set([0xff, 0xfb, 0x90, 0xc0]);
  const { scan, found } = scanner();
  scan.push(join(new Uint8Array(50).fill(7), ...Array.from({ length: count }, () => frame)));
  scan.end();
  expect(found).toEqual(offsets);
});

test('a header whose frame the file has no room for hides no frames', () => {
  // 320 kbit/s, a frame of 1,044 bytes, and two frames of 32 kbit/s.
  const header = Uint8Array.of(0xff, 0xfb, 0xe0, 0xc0);
  const frame = new Uint8Array(104).fill(0x55);
  frame.set([0xff, 0xfb, 0x10, 0xc0]);
  const { scan, found } = scanner();
  scan.push(join(header, new Uint8Array(46).fill(7), frame, frame));
  scan.end();
  expect(found).toEqual([50, 154]);
});

describe('the size of a tag', () => {
  test('counts as wrong while it exceeds the received bytes', () => {
    const { scan } = scanner();
    scan.push(id3(100));
    scan.push(new Uint8Array(20));
    expect(scan.insideTag).toBe(false);
    const other = scanner();
    other.scan.push(id3(100, 5000));
    expect(other.scan.insideTag).toBe(true);
  });
});

test('the bytes after zeros and a tag are shown again, since another format may begin there', () => {
  const shown: number[] = [];
  const scan = new FrameScanner({
    frame: () => {},
    junk: (bytes) => shown.push(bytes.indexOf(0xba)),
  });
  const stream = new Uint8Array(3000).fill(0x55);
  stream.set([0, 0, 1, 0xba]);
  scan.push(join(new Uint8Array(500), id3(100), stream));
  scan.end();
  expect(shown).toContain(3);
});
