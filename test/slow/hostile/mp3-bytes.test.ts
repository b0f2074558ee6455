/**
 * MP3 files designed to break the reader: it returns a consistent index or a defined failure, and
 * its time and memory grow in proportion to the bytes.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { StageFailure } from '../../../server/contract/failure.ts';
import { planFramePieces } from '../../../server/speech/remote/frame-pieces.ts';
import { decodeMono16k } from '../../../server/mp3/decode.ts';
import { indexMp3, type Mp3Index } from '../../../server/mp3/frames.ts';
import { Mp3Sniffer } from '../../../server/mp3/sniff.ts';
import { planPieces } from '../../../server/speech/host/pieces.ts';
import { join, junk, source } from '../../mp3/support.ts';
import { rounds } from '../../support/fuzz.ts';
import { HOSTILE } from './support/mp3-hostile.ts';
import { clip, CLIPS } from './support/mp3-parts.ts';
import { prove, randomFrames, spoilt } from './support/mp3-spoilt.ts';

// A quadratic reader would take hours for the ten megabytes below.
setDefaultTimeout(300_000);

/**
 * The most seconds per byte: 8 kbit/s, or in free format 23 bytes of 72 ms; doubled, because out of
 * sync a frame may be found inside the previous one.
 */
const SECONDS_A_BYTE = { tabled: 2 * 0.001, free: (2 * 0.072) / 23 };

function sniff(bytes: Uint8Array, chunk: number): 'mp3' | 'not-mp3' {
  const sniffer = new Mp3Sniffer();
  for (let from = 0; from < bytes.length; from += chunk) {
    sniffer.push(bytes.subarray(from, from + chunk));
  }
  return sniffer.end();
}

/** The index, checked for consistency; null if the recording is refused as unreadable. */
async function checkedIndex(bytes: Uint8Array, chunk: number): Promise<Mp3Index | null> {
  const audio = source(bytes, chunk);
  const index = await indexMp3(audio).catch((error: unknown) => {
    if (!(error instanceof StageFailure)) throw error;
    expect(error.failure.code).toBe('audio_unreadable');
    return null;
  });
  expect(audio.reads).toBeLessThanOrEqual(2);
  if (!index) return null;
  const { duration, frameCount, freeFormatLength, samplesPerFrame, sampleRate } = index;
  const most = bytes.length * SECONDS_A_BYTE[freeFormatLength === null ? 'tabled' : 'free'];
  expect(Number.isFinite(duration) && duration >= 0 && duration <= most).toBe(true);
  expect(frameCount).toBeGreaterThan(0);
  expect(duration).toBeLessThanOrEqual((frameCount * samplesPerFrame) / sampleRate);
  expect(index.audioEnd).toBeLessThanOrEqual(bytes.length);
  let falls = 0;
  for (let frame = 0; frame < frameCount; frame++) {
    if (index.byteOffset(frame + 1) <= index.byteOffset(frame)) falls++;
  }
  expect(falls).toBe(0);
  return index;
}

/** Checks pieces sent as bytes: together they contain all sound bytes, in order. */
function checkFramePieces(index: Mp3Index, size: number, chunkBytes: number): void {
  const pieces = planFramePieces(index, size, chunkBytes);
  if (size <= chunkBytes) return expect(pieces).toHaveLength(1);
  expect(pieces[0]?.byteStart).toBe(index.audioStart);
  expect(pieces.at(-1)).toMatchObject({ byteEnd: index.audioEnd, end: index.duration });
  for (const [at, { byteStart, byteEnd, start }] of pieces.entries()) {
    expect(byteEnd).toBeGreaterThan(byteStart);
    const before = pieces[at - 1];
    expect(byteEnd - byteStart).toBeLessThanOrEqual(chunkBytes);
    if (!before) continue;
    expect(byteStart).toBeGreaterThan(before.byteStart);
    expect(byteEnd).toBeGreaterThan(before.byteEnd);
    // Only damaged bytes are left out: a piece begins within the previous one, or with the next
    // frame.
    expect(start).toBeLessThanOrEqual(before.end);
  }
}

const chunkSize = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }) },
  { weight: 5, arbitrary: fc.integer({ min: 41, max: 20_000 }) },
);
/** Checks pieces that are decoded: each follows the previous one without a gap. */
async function checkPieces(
  bytes: Uint8Array,
  index: Mp3Index,
  chunkBytes: number,
  pauses: boolean,
): Promise<void> {
  const findSpeech = async (samples: Float32Array) =>
    pauses ? [] : [{ start: 0, end: samples.length / 16_000 }];
  const { signal } = new AbortController();
  const { pieces } = await planPieces(source(bytes), index, chunkBytes, findSpeech, signal);
  expect([pieces[0]?.start, pieces.at(-1)?.end]).toEqual([0, index.duration]);
  for (const [at, piece] of pieces.entries()) {
    const before = pieces[at - 1];
    if (!before) continue;
    expect(piece.start).toBeGreaterThan(before.start);
    expect(piece.start).toBeLessThanOrEqual(before.end);
    expect(piece.end).toBeGreaterThan(before.end);
  }
}

/** Small, for small clips, but larger than the largest frame: 5,761 bytes, in free format. */
const pieceSize = fc.integer({ min: 6_000, max: 9_000 });

describe('handmade files', () => {
  test.each(HOSTILE)('%s', async (_name, bytes) => {
    const index = await checkedIndex(bytes, 65_536);
    if (sniff(bytes, 65_536) === 'not-mp3' || !index) return;
    // Every accepted, readable file can be divided.
    for (const chunkBytes of [6_000, 262_144]) {
      checkFramePieces(index, bytes.length, chunkBytes);
    }
  });
});

test('damage longer than a piece', async () => {
  for (const length of [5_000, 12_000, 20_000]) {
    const bytes = join(clip(6), junk(length), clip(6, 9), junk(9_000), clip(1));
    const index = await checkedIndex(bytes, 4096);
    if (!index) throw new Error('the recording was refused');
    for (let chunkBytes = 6_000; chunkBytes < 30_000; chunkBytes += 1_500) {
      checkFramePieces(index, bytes.length, chunkBytes);
      await checkPieces(bytes, index, chunkBytes, chunkBytes % 2_000 === 0);
    }
  }
});

describe('random files', () => {
  const check = async (bytes: Uint8Array, chunk: number, chunkBytes: number): Promise<void> => {
    expect(sniff(bytes, chunk)).toBe(sniff(bytes, 4096));
    const index = await checkedIndex(bytes, chunk);
    if (index) checkFramePieces(index, bytes.length, chunkBytes);
  };

  test('damaged recordings', async () => {
    await prove(fc.asyncProperty(spoilt(CLIPS), chunkSize, pieceSize, check), rounds(1_000));
  });

  test('headers of random bits', async () => {
    await prove(fc.asyncProperty(randomFrames, chunkSize, pieceSize, check), rounds(500));
  });

  test('indexed recordings are decoded to their length, with valid samples, in pieces that cover them', async () => {
    await prove(
      fc.asyncProperty(
        spoilt([...CLIPS, clip(4)]),
        pieceSize,
        fc.boolean(),
        async (bytes, chunkBytes, pauses) => {
          const audio = source(bytes);
          const index = await checkedIndex(bytes, 4096);
          if (!index || index.freeFormatLength !== null) return;
          let count = 0;
          let sum = 0;
          for await (const block of decodeMono16k(audio, index, { start: 0, end: Infinity })) {
            count += block.length;
            for (const sample of block) sum += sample;
          }
          expect(count).toBe(Math.round(index.duration * 16_000));
          expect(sum).toBeFinite();
          await checkPieces(bytes, index, chunkBytes, pauses);
        },
      ),
      400,
    );
  });
});
