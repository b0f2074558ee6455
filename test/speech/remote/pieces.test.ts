/** Pieces at frame boundaries, and the words at their seams. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { indexMp3, type Mp3Index } from '../../../server/mp3/frames.ts';
import { parseFrameHeader } from '../../../server/mp3/header.ts';
import type { PieceTranscript, TranscriptionPlan } from '../../../server/speech/provider.ts';
import { planFramePieces } from '../../../server/speech/remote/whisper.ts';
import { readAssemblyAi } from '../../../server/speech/remote/assemblyai.ts';
import { joinStretches } from '../../../server/speech/seams.ts';
import { sample as samplePath } from '../../support/sample.ts';
import { remoteSpeech } from '../../../server/speech/remote/remote-provider.ts';

const sample = readFileSync(samplePath);
const source = (bytes: Uint8Array) => ({
  size: bytes.length,
  async *read({ start, end } = { start: 0, end: bytes.length }) {
    yield bytes.subarray(start, end);
  },
});

/** The sample repeated several times. */
const long = Buffer.concat(Array.from({ length: 8 }, () => sample));
const index = await indexMp3(source(long));

test('a recording that fits is sent unchanged', () => {
  expect(planFramePieces(index, long.length, long.length)).toEqual([
    { index: 0, start: 0, end: index.duration, byteStart: 0, byteEnd: long.length },
  ]);
});

test('pieces begin with a frame, observe the limit, overlap, and cover everything', () => {
  for (const chunkBytes of [262_144, 300_000, 500_000, long.length - 1]) {
    const pieces = planFramePieces(index, long.length, chunkBytes);
    expect(pieces[0]!.byteStart).toBe(index.audioStart);
    expect(pieces.at(-1)).toMatchObject({ byteEnd: index.audioEnd, end: index.duration });
    for (const [at, piece] of pieces.entries()) {
      expect(piece.index).toBe(at);
      expect(piece.byteEnd - piece.byteStart).toBeLessThanOrEqual(chunkBytes);
      expect(parseFrameHeader(long, piece.byteStart)).not.toBeNull();
      const before = pieces[at - 1];
      if (!before) continue;
      expect(before.end - piece.start).toBeGreaterThan(4.8);
      expect(before.end - piece.start).toBeLessThan(5.2);
    }
    const sizes = pieces.map((piece) => piece.byteEnd - piece.byteStart);
    expect(Math.min(...sizes)).toBeGreaterThan(Math.max(...sizes) * 0.6);
  }
});

/** An index of an imaginary recording with frames of different sizes. */
function imagined(frameBytes: readonly number[], delaySamples: number): Mp3Index {
  const offsets = [128];
  for (const bytes of frameBytes) offsets.push((offsets.at(-1) ?? 0) + bytes);
  const frameCount = frameBytes.length;
  return {
    sampleRate: 44_100,
    channels: 2,
    samplesPerFrame: 1152,
    frameCount,
    duration: (frameCount * 1152 - delaySamples) / 44_100,
    delaySamples,
    paddingSamples: 0,
    freeFormatLength: null,
    audioStart: 128,
    audioEnd: offsets.at(-1) ?? 128,
    byteOffset: (frame) => offsets[frame] ?? 0,
    frameAt: () => 0,
  };
}

test('pieces are as long as possible if equal ones would be one more', () => {
  // Twelve frames of 1,000 bytes in pieces of five with an overlap of one: the last has four.
  const made = imagined(
    Array.from({ length: 12 }, () => 1000),
    0,
  );
  const frames = planFramePieces(made, 12_128, 5000).map(({ byteStart, byteEnd }) => [
    (byteStart - 128) / 1000,
    (byteEnd - 128) / 1000,
  ]);
  expect(frames).toEqual([
    [0, 5],
    [4, 9],
    [8, 12],
  ]);
});

test('a damaged stretch longer than a piece is skipped, and nothing is sent twice for it', () => {
  for (let before = 8; before < 20; before += 1) {
    const frames = [...Array.from({ length: before }, () => 1000), 90_000, 1000, 1000, 1000];
    const made = imagined(frames, 0);
    const pieces = planFramePieces(made, made.audioEnd, 5000);
    for (const [at, { byteStart, byteEnd, end }] of pieces.entries()) {
      expect(byteEnd - byteStart).toBeLessThanOrEqual(5000);
      expect(end).toBeGreaterThan(pieces[at - 1]?.end ?? 0);
    }
    expect(pieces.length).toBeLessThanOrEqual(before / 2 + 1);
  }
});

test('property: whatever the bitrate, no word is lost or doubled, and times are those of the recording', () => {
  const frames = fc
    .tuple(fc.integer({ min: 2000, max: 12_000 }), fc.integer({ min: 200, max: 1400 }), fc.nat())
    .map(([count, most, seed]) =>
      Array.from({ length: count }, (_, at) => 96 + ((at * 7919 + seed) % most)),
    );
  fc.assert(
    fc.property(
      frames,
      fc.integer({ min: 262_144, max: 1_048_576 }),
      fc.integer({ min: 1, max: 2 ** 31 }),
      (frameBytes, chunkBytes, seed) => {
        const made = imagined(frameBytes, 1105);
        const random = fromSeed(seed);
        const words = talk(made.duration, random);
        const pieces = planFramePieces(made, made.audioEnd, chunkBytes);
        const heard = pieces.map(({ start, end }) => ({
          start,
          end,
          // Words cut at an end are recognised wrongly or not at all; the others with jitter.
          words: words.flatMap((word) => {
            if (word.end <= start || word.start >= end) return [];
            const cut = word.start < start + 0.1 || word.end > end;
            if (cut && random() < 0.5) return [];
            const shift = (random() - 0.5) * 0.12;
            const text = cut ? 'mumble' : word.text;
            return [{ text, start: word.start + shift, end: word.end + shift }];
          }),
        }));
        const joined = joinStretches(heard);
        expect(joined.map((word) => word.text)).toEqual(words.map((word) => word.text));
        for (const [at, word] of joined.entries()) {
          expect(Math.abs(word.start - words[at]!.start)).toBeLessThan(0.1);
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** Even words with pauses, some of them repeated, as in real speech. */
function talk(duration: number, random: () => number) {
  const words = [];
  for (let at = 0.3; at < duration - 1;) {
    const length = 0.12 + random() * 0.4;
    const text = random() < 0.3 ? 'the' : `word${Math.floor(random() * 500)}`;
    words.push({ text, start: at, end: at + length });
    at += length + (random() < 0.15 ? random() * 1.2 : random() * 0.05);
  }
  return words;
}

function fromSeed(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('recordings that are sent as a whole', () => {
  const plan = { duration: 5, pieces: [] } as unknown as TranscriptionPlan;
  const word = { text: 'one', start: 6, end: 6.5 };

  test.each<[string, PieceTranscript | undefined, number]>([
    ['nothing heard', undefined, 5],
    ['no length', { words: [] }, 5],
    ['a length', { words: [], duration: 4 }, 4],
    ['a word after the length', { words: [word], duration: 4 }, 6.5],
    ['a word before the end', { words: [{ ...word, start: 1, end: 2 }] }, 5],
  ])('a transcript with %s', async (_, heard, duration) => {
    const pieces = heard ? [heard] : [];
    const request = { language: 'en' } as never;
    const transcript = await remoteSpeech.mergeWhole(plan, pieces, request);
    expect(transcript.duration).toBe(duration);
  });

  test('AssemblyAI: text without its words is invalid', () => {
    const answer = { id: 'tr_1', status: 'completed', words: [] };
    expect(readAssemblyAi({ ...answer, text: 'one two' })).toBeNull();
    expect(readAssemblyAi({ ...answer, text: 'one two', words: null })).toBeNull();
    for (const text of ['', ' ', null]) {
      expect(readAssemblyAi({ ...answer, text })?.words).toEqual([]);
    }
  });
});
