/** Recordings for the tests: fixtures as audio sources, cut, joined and damaged. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AudioSource } from '../../server/mp3/frames.ts';

/** The bytes of a file in test/fixtures/mp3. */
export const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(fileURLToPath(new URL(`../fixtures/mp3/${name}`, import.meta.url))));

/** Bytes as a recording that arrives in chunks of this size. */
export const source = (bytes: Uint8Array, chunk = 4096): AudioSource & { reads: number } => ({
  size: bytes.length,
  reads: 0,
  async *read(range) {
    this.reads++;
    const { start, end } = range ?? { start: 0, end: bytes.length };
    for (let from = start; from < end; from += chunk) {
      yield bytes.slice(from, Math.min(end, from + chunk));
    }
  },
});

export const join = (...parts: Uint8Array[]): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
};

export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An ID3v2.4 tag with `size` bytes of content that claims to have `told` (default: the truth). */
export function id3(size: number, told = size, fill = 0x41): Uint8Array {
  const tag = new Uint8Array(10 + size).fill(fill, 10);
  tag.set(ascii('ID3'));
  tag.set([4, 0, 0, (told >> 21) & 127, (told >> 14) & 127, (told >> 7) & 127, told & 127], 3);
  return tag;
}

/** The header of an APE tag, and what it says that the tag holds. */
export function ape(inside: Uint8Array): Uint8Array {
  const head = new Uint8Array(32);
  head.set(ascii('APETAGEX'));
  head.set([0xd0, 7, 0, 0, inside.length, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xa0], 8);
  return join(head, inside);
}

/** An ID3v1 tag, which has 128 bytes, with these at its end. */
export const id3v1 = (inside = new Uint8Array(0)): Uint8Array =>
  join(ascii('TAG'), new Uint8Array(125 - inside.length), inside);

/** Pseudo-random bytes, the same for the same seed, without 0xff, so that they contain no frame. */
export function junk(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = (state >>> 24) % 255;
  }
  // Not text, nor any known format.
  bytes[0] = 1;
  return bytes;
}

/**
 * The chirp of the fixtures with that name, as 16 kHz samples: 300 Hz rising by 1,200 Hz a second.
 */
export function chirp(samples: number, amplitude: number): Float32Array {
  return Float32Array.from({ length: samples }, (_value, i) => {
    const t = i / 16_000;
    return amplitude * Math.sin(2 * Math.PI * (300 * t + 600 * t * t));
  });
}

/** The root mean square of a - b over from..to. */
export function difference(a: Float32Array, b: Float32Array, from = 0, to = a.length): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return Math.sqrt(sum / Math.max(1, to - from));
}

/** The shift (in samples, within ±reach) at which `b` matches `a` best. */
export function bestShift(a: Float32Array, b: Float32Array, reach: number): number {
  let best = 0;
  let most = -Infinity;
  for (let shift = -reach; shift <= reach; shift++) {
    let sum = 0;
    for (let i = reach; i < a.length - reach; i++) sum += (a[i] ?? 0) * (b[i + shift] ?? 0);
    if (sum > most) [most, best] = [sum, shift];
  }
  return best;
}
