/** MP3 files damaged at random, reproducible by a seed. */
import fc from 'fast-check';
import { id3, join, junk } from '../../../mp3/support.ts';
import { apeTag, framesOf, id3v1, madeFrame } from './mp3-parts.ts';

/** One change to the bytes of a recording. */
type Spoil = (bytes: Uint8Array) => Uint8Array;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Uint8Array, where: number): number => Math.floor(where * bytes.length);

/** A frame header of random bits, with roughly the number of bytes that it gives. */
const randomFrame: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.nat(31), fc.nat(255), fc.nat(255), fc.nat(255), fc.integer({ min: -50, max: 50 }))
  .map(([second, third, fourth, fill, more]) => {
    const frame = madeFrame([0xff, 0xe0 | second, third, fourth], fill);
    return join(
      frame.slice(0, Math.max(4, frame.length + Math.min(0, more))),
      junk(Math.max(0, more)),
    );
  });

const spoil: fc.Arbitrary<Spoil> = fc.oneof(
  fc
    .array(fc.tuple(place, fc.nat(7)), { minLength: 1, maxLength: 40 })
    .map((flips): Spoil => (bytes) => {
      const flipped = bytes.slice();
      for (const [where, bit] of flips) flipped[at(bytes, where)]! ^= 1 << bit;
      return flipped;
    }),
  place.map(
    (where): Spoil =>
      (bytes) =>
        bytes.slice(0, at(bytes, where)),
  ),
  place.map(
    (where): Spoil =>
      (bytes) =>
        bytes.slice(at(bytes, where)),
  ),
  fc.tuple(place, fc.nat(600)).map(
    ([where, length]): Spoil =>
      (bytes) =>
        join(bytes.slice(0, at(bytes, where)), bytes.slice(at(bytes, where) + length)),
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 700 })).map(
    ([where, noise]): Spoil =>
      (bytes) =>
        join(bytes.slice(0, at(bytes, where)), noise, bytes.slice(at(bytes, where))),
  ),
  // Damage longer than a piece.
  fc.tuple(place, fc.integer({ min: 6_000, max: 12_000 })).map(
    ([where, length]): Spoil =>
      (bytes) =>
        join(bytes.slice(0, at(bytes, where)), junk(length), bytes.slice(at(bytes, where))),
  ),
  fc.tuple(place, fc.array(randomFrame, { minLength: 1, maxLength: 6 })).map(
    ([where, frames]): Spoil =>
      (bytes) =>
        join(bytes.slice(0, at(bytes, where)), ...frames, bytes.slice(at(bytes, where))),
  ),
  // Frames in a different order, some of them repeated.
  fc.array(fc.nat(1000), { minLength: 2, maxLength: 25 }).map((order): Spoil => (bytes) => {
    const frames = framesOf(bytes);
    return join(...order.map((number) => frames[number % frames.length] ?? bytes));
  }),
  fc
    .tuple(
      place,
      fc.constantFrom(
        id3(0),
        id3(30),
        id3(9, 2_000),
        id3(9, 2 ** 27),
        apeTag(64),
        apeTag(2 ** 31),
        id3v1,
      ),
    )
    .map(
      ([where, tag]): Spoil =>
        (bytes) =>
          join(bytes.slice(0, at(bytes, where)), tag, bytes.slice(at(bytes, where))),
    ),
);

/** A clip of `clips` after up to four changes, at most 40 KB. */
export const spoilt = (clips: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.constantFrom(...clips), fc.array(spoil, { minLength: 1, maxLength: 4 }))
    .map(([bytes, steps]) =>
      steps.reduce((spoiltSoFar, step) => step(spoiltSoFar).slice(0, 40_000), bytes),
    );

/** A file made only of frames with random header bits. */
export const randomFrames: fc.Arbitrary<Uint8Array> = fc
  .array(randomFrame, { minLength: 1, maxLength: 20 })
  .map((frames) => join(...frames));

/** Checks a property; reports a failure without the thousands of bytes. */
export async function prove<T extends unknown[]>(
  property: fc.IAsyncProperty<T>,
  numRuns: number,
): Promise<void> {
  const { failed, seed, counterexamplePath, errorInstance } = await fc.check(property, { numRuns });
  if (!failed) return;
  throw new Error(`seed ${seed}, path ${counterexamplePath}`, { cause: errorInstance });
}
