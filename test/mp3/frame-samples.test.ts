/** Frames decoded in the decoder's memory, against the library's own method. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { MPEGDecoder } from 'mpg123-decoder';
import { createFrameDecoder, decoderInternals } from '../../server/mp3/decoder.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { sample } from '../support/sample.ts';
import { rounds } from '../support/fuzz.ts';
import { source } from './support.ts';

const bytes = await readFile(sample);
const index = await indexMp3(source(bytes));
const frames = Array.from({ length: 60 }, (_, number) =>
  bytes.subarray(index.byteOffset(number), index.byteOffset(number + 1)),
);

async function decoder(): Promise<MPEGDecoder> {
  const made = new MPEGDecoder({ enableGapless: false });
  await made.ready;
  return made;
}

test('the installed version of the library has the expected internals', async () => {
  const made = await decoder();
  expect(decoderInternals.of(made)).not.toBeNull();
  expect(decoderInternals.of({ ready: made.ready } as MPEGDecoder)).toBeNull();
  made.free();
});

test('both ways yield the same samples, also of damaged frames', async () => {
  const { error } = console;
  // The library prints what it cannot decode.
  console.error = () => {};
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            frame: fc.nat(59),
            at: fc.integer({ min: 4, max: 100 }),
            value: fc.nat(255),
          }),
          { maxLength: 5 },
        ),
        async (damages) => {
          const [ours, theirs] = [await decoder(), await decoder()];
          for (const [number, whole] of frames.entries()) {
            const frame = Uint8Array.from(whole);
            for (const { frame: where, at, value } of damages)
              if (where === number) frame[at] = value;
            const left = decoderInternals.samplesOfFrame(ours, frame, index.samplesPerFrame);
            const right = decoderInternals.copied(theirs, frame, index.samplesPerFrame);
            expect(left === null).toBe(right === null);
            if (!left || !right) break;
            expect(left.left).toEqual(right.left);
            expect(left.right).toEqual(right.right);
          }
          ours.free();
          theirs.free();
        },
      ),
      { numRuns: rounds(10) },
    );
  } finally {
    console.error = error;
  }
});

test("with other internals, or a frame longer than the buffer, the library's own method is used", async () => {
  const made = await decoder();
  const inside = decoderInternals.of(made)!;
  const decode = (frame: Uint8Array) => made.decode(frame);
  const small = { ...inside._input, len: frames[0]!.length - 1, buf: new Uint8Array(1) };
  const plain = await decoder();
  for (const [number, other] of [{ decode }, { ...inside, _input: small, decode }].entries()) {
    const samples = decoderInternals.samplesOfFrame(
      other as never,
      frames[number]!,
      index.samplesPerFrame,
    );
    expect(samples).toEqual(decoderInternals.copied(plain, frames[number]!, index.samplesPerFrame));
    expect(samples?.left.length).toBe(index.samplesPerFrame);
  }
  made.free();
  plain.free();
});

test('a frame is decoded from its first sample to its last, into the place of its samples alone', async () => {
  const made = await createFrameDecoder(index, ['both', 'left']);
  const tracks = [0, 1].map(() => new Float32Array(3 * index.samplesPerFrame + 1).fill(9));
  await made.decode(frames.slice(0, 3), tracks);
  made.free();
  for (const track of tracks) expect(track.indexOf(9)).toBe(3 * index.samplesPerFrame);
  // The sample's channels are equal.
  expect(tracks[0]).toEqual(tracks[1]);
});

test('after a frame that cannot be decoded, the decoder knows nothing of those before', async () => {
  const { samplesPerFrame } = index;
  const decoded = async (given: readonly Uint8Array[]) => {
    const made = await createFrameDecoder(index, ['both']);
    const track = new Float32Array(given.length * samplesPerFrame);
    await made.decode(given, [track]);
    made.free();
    return track;
  };
  const all = await decoded([
    ...frames.slice(0, 9),
    frames[9]!.subarray(0, 40),
    ...frames.slice(10, 20),
  ]);
  expect(
    all.subarray(9 * samplesPerFrame, 10 * samplesPerFrame).every((level) => level === 0),
  ).toBe(true);
  expect(all.subarray(10 * samplesPerFrame)).toEqual(await decoded(frames.slice(10, 20)));
});
