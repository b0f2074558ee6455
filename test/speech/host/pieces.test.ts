/** The pieces of a recording, for any bitrate and any pauses. */
import { expect, test, describe, setDefaultTimeout } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { SPEECH_RATE } from '../../../server/mp3/resample.ts';
import {
  planPieces,
  createIndexCache,
  OVERLAP,
  packWindows,
  type FindSpeech,
  everythingAsSpeech,
} from '../../../server/speech/host/pieces.ts';
import type { PieceTranscript } from '../../../server/speech/provider.ts';
import { fixture, join as joinBytes, junk, source } from '../../mp3/support.ts';
import { writeTinySpeakers } from '../../support/doubles/tiny-speakers.ts';
import { rounds } from '../../support/fuzz.ts';
import { transcribed } from '../../support/transcribed.ts';
import {
  encodedMp3,
  hostSpeech,
  never,
  silentMp3,
  tinyModelFolder,
  withFfmpeg,
} from './engine-support.ts';

/** Speech with one pause at a fraction of the examined part, or none. */
const pauseAt =
  (part: () => number | null): FindSpeech =>
  (samples) => {
    const length = samples.length / 16_000;
    const at = part();
    const pause = at === null ? null : 0.5 + at * Math.max(0, length - 1);
    return Promise.resolve(
      pause === null
        ? [{ start: 0, end: length }]
        : [
            { start: 0, end: pause - 0.25 },
            { start: pause + 0.25, end: length },
          ],
    );
  };

test('pieces cover the recording, advance, and overlap only if there is no pause', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        { kilobits: 160 as const, seconds: 70 },
        { kilobits: 64 as const, seconds: 100 },
        { kilobits: 16 as const, seconds: 200 },
      ),
      fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true })), {
        minLength: 24,
        maxLength: 24,
      }),
      async ({ kilobits, seconds }, pauses) => {
        const audio = silentMp3(kilobits, seconds);
        const index = await indexMp3(audio);
        let asked = 0;
        const findSpeech = pauseAt(() => pauses[asked++ % pauses.length] ?? null);
        const { pieces } = await planPieces(audio, index, 131_072, findSpeech, never);
        expect(pieces.length).toBeGreaterThan(1);
        expect(pieces[0]?.start).toBe(0);
        expect(pieces.at(-1)?.end).toBe(index.duration);
        for (const [at, piece] of pieces.entries()) {
          expect(piece.index).toBe(at);
          expect(piece.end).toBeGreaterThan(piece.start);
          const before = pieces[at - 1];
          if (!before) continue;
          expect(piece.start).toBeGreaterThan(before.start);
          expect(piece.end).toBeGreaterThan(before.end);
          const shared = before.end - piece.start;
          expect(shared).toBeGreaterThanOrEqual(0);
          expect(shared).toBeLessThanOrEqual(OVERLAP + 1e-6);
        }
        const longest = 1.6 * ((131_072 * 8) / (kilobits * 1000));
        for (const piece of pieces.slice(0, -1)) {
          expect(piece.end - piece.start).toBeLessThan(longest);
        }
      },
    ),
    { numRuns: rounds(6) },
  );
}, 300_000);

test('a short end belongs to the previous piece, and a short recording is one piece', async () => {
  const findSpeech = pauseAt(() => 0.5);
  const plan = async (seconds: number) => {
    const audio = silentMp3(128, seconds);
    return (await planPieces(audio, await indexMp3(audio), 262_144, findSpeech, never)).pieces;
  };
  // A piece of 262,144 bytes at 128 kbit/s is 16.4 s.
  expect(await plan(5)).toHaveLength(1);
  expect(await plan(19)).toHaveLength(1);
  expect(await plan(24)).toHaveLength(2);
});

test('a plan in portions equals the complete plan; its first piece is short', async () => {
  const audio = silentMp3(16, 600);
  const index = await indexMp3(audio);
  const findSpeech = pauseAt(() => 0.5);
  const whole = await planPieces(audio, index, 131_072, findSpeech, never);
  expect(whole.pieces.length).toBeGreaterThan(5);
  expect(whole.pieces[0]!.end).toBeLessThan(31);
  const pieces: (typeof whole)['pieces'] = [];
  let from: (typeof whole)['next'];
  do {
    const most = Math.max(1, pieces.length);
    const portion = await planPieces(audio, index, 131_072, findSpeech, never, undefined, {
      from,
      most,
    });
    expect(portion.pieces.length).toBeLessThanOrEqual(most);
    pieces.push(...portion.pieces);
    // Like a durable step stores it.
    from = portion.next && JSON.parse(JSON.stringify(portion.next));
  } while (from);
  expect(pieces).toEqual(whole.pieces);
});

describe('the cuts between the pieces of a recording: the chosen pause, and the limits on pieces', async () => {
  const audio = silentMp3(64, 60);
  const index = await indexMp3(audio);

  /**
   * The first cut, if the examined part has pauses at these seconds before (negative) or after the intended end. The
   * part reaches about eight seconds in both directions.
   */
  async function cut(spans: string) {
    const pauses = spans.split(' ').map((span) => span.split(':').map(Number));
    let target = 0;
    const speech = (length: number) => {
      // Later pieces do not matter here.
      if (target > 0) return [{ start: 0, end: length }];
      target = length / 2;
      const bounds = pauses
        .flat()
        .map((at) => (Math.abs(at) > 8 ? target + Math.sign(at) * target : target + at));
      const ends = [0, ...bounds, length];
      return Array.from({ length: ends.length / 2 }, (_, at) => ({
        start: ends[2 * at]!,
        end: ends[2 * at + 1]!,
      })).filter(({ start, end }) => end > start);
    };
    const { pieces } = await planPieces(
      audio,
      index,
      131_072,
      (samples) => Promise.resolve(speech(samples.length / 16_000)),
      never,
    );
    const [first, second] = pieces;
    // The piece begins at 0, so the part begins at half of the intended end.
    return { end: first!.end - 2 * target, next: second!.start - 2 * target };
  }

  test.each([
    ['in the middle of the only pause', '-3:-2', -2.5],
    ['in the nearer of two equal pauses', '-3:-2.5 1:1.5', 1.25],
    ['in the nearer of two equal pauses on the other side', '-2:-1.5 3:3.5', -1.75],
    ['in a longer pause, if it is not much farther away', '-3.6:-2.6 0.75:1.25', -3.1],
    ['in the nearer pause, if the longer one is much farther away', '-4.2:-3.2 0.75:1.25', 1],
    ['in the nearer of two pauses of two seconds and more', '-6:-3 1:3.5', 1.15],
    ['at the intended end, in a long silence around it', '-4:5', 0],
    ['near the end of a long silence before it', '-7:-2', -2.15],
    ['near the start of a long silence after it', '2:7', 2.15],
    ['in the middle of a pause of exactly two seconds', '1:3', 2],
    ['in a pause of 0.31 s', '2:2.31', 2.155],
    ['in the silence before the first speech', '-9:-5', -5.15],
    ['in the silence after the last speech', '5:9', 5.15],
    ['at the intended end, if nobody speaks', '-9:9', 0],
  ])('a piece ends %s', async (_, pauses, expected) => {
    const { end, next } = await cut(pauses);
    expect(end).toBeCloseTo(expected, 2);
    expect(next).toBe(end);
  });

  test('pieces advance, though a damaged stretch is longer than a piece', async () => {
    const bytes = Buffer.concat(await Array.fromAsync(audio.read()));
    const half = index.byteOffset(800);
    const damaged = source(joinBytes(bytes.subarray(0, half), junk(200_000), bytes.subarray(half)));
    const own = await indexMp3(damaged);
    expect(own.duration).toBe(index.duration);
    const everything = (samples: Float32Array) =>
      Promise.resolve([{ start: 0, end: samples.length / 16_000 }]);
    const { pieces } = await planPieces(damaged, own, 60_000, everything, never);
    const ends = pieces.map(({ end }) => end);
    for (const [at, end] of ends.entries()) expect(end).toBeGreaterThan(ends[at - 1] ?? 0);
    expect(ends.at(-1)).toBe(own.duration);
  });

  test('a piece has the wanted bytes, whatever the delay of the encoder', async () => {
    const recording = source(fixture('mono-16k.mp3'));
    const own = await indexMp3(recording);
    const bytes = own.byteOffset(60) - own.byteOffset(own.frameAt(0));
    let examined = 0;
    const { pieces } = await planPieces(
      recording,
      own,
      bytes,
      async (samples) => {
        examined = samples.length / 16_000;
        return [{ start: 0, end: examined }];
      },
      never,
    );
    // The frame with the last of these bytes ends where the next one begins, in the middle of the part.
    const bound = (60 * 576 - own.delaySamples) / 16_000;
    expect(own.delaySamples).toBeGreaterThan(0);
    expect((pieces[0]!.end + pieces[1]!.start) / 2).toBeCloseTo(bound, 6);
  });
});

/** A tone for each even entry and silence for each odd one, in seconds. */
function sound(parts: readonly number[]): Float32Array {
  const samples = new Float32Array(
    parts.reduce((sum, part) => sum + Math.round(part * SPEECH_RATE), 0),
  );
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const count = Math.round(part * SPEECH_RATE);
    if (index % 2 === 0) for (let i = 0; i < count; i += 1) samples[at + i] = Math.sin(i / 5) / 2;
    at += count;
  }
  return samples;
}

test('windows cover everything, and meet in a pause if there is one', async () => {
  const parts = fc.array(fc.double({ min: 0.1, max: 6, noNaN: true }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(parts, async (durations) => {
      const samples = sound(durations);
      const length = samples.length / SPEECH_RATE;
      const windows = packWindows(await everythingAsSpeech(samples, never), length);
      expect(windows[0]!.start).toBe(0);
      expect(windows.at(-1)!.end).toBeCloseTo(length, 6);
      for (const [at, { start }] of windows.slice(1).entries()) {
        const shared = windows[at]!.end - start;
        // No time is left out; only a stretch without a pause is cut with an overlap.
        expect(shared).toBeGreaterThan(-1e-6);
        expect(Math.min(Math.abs(shared), Math.abs(shared - OVERLAP))).toBeLessThan(1e-6);
      }
      for (const { start, end } of windows) expect(end - start).toBeLessThan(28 + 1e-6);
    }),
    { numRuns: rounds(40) },
  );
});

describe('the pieces that the provider on this host plans and transcribes', async () => {
  setDefaultTimeout(120_000);

  const { folder } = await tinyModelFolder();
  await writeTinySpeakers(folder);

  test('as many further pieces are planned at a time as there are', async () => {
    const audio = silentMp3(64, 60);
    const speech = hostSpeech(folder, { vad: false });
    const request = { language: 'en', keyterms: [], chunkBytes: 40_000, includeRawResponse: false };
    const context = { signal: never, progress: () => {} };
    const plan = await speech.plan(audio, request, context);
    const portions = [plan.pieces.length];
    while (plan.next !== undefined) {
      const { pieces, next } = await speech.planMore!(audio, plan, request, context);
      portions.push(pieces.length);
      plan.pieces.push(...pieces);
      plan.next = next;
    }
    expect(portions.slice(0, 4)).toEqual([1, 1, 2, 4]);
  });

  test('words that nobody can have said are counted', async () => {
    const path = process.env['PATH'];
    const line = 'echo "go 0.1 0.2 0.9"; ';
    await writeFile(join(folder, 'pocketsphinx_continuous'), `#!/bin/sh\n${line.repeat(10)}\n`, {
      mode: 0o755,
    });
    process.env['PATH'] = `${folder}:${path}`;
    try {
      const speech = hostSpeech(folder, { engine: 'pocketsphinx', vad: false });
      const { plan, pieces } = await transcribed(speech, silentMp3(16, 5));
      expect(plan.engine).toMatchObject({ engine: 'pocketsphinx', rough: true });
      expect(pieces).toMatchObject([{ dropped: 7, words: [{}, {}, {}] }]);
    } finally {
      process.env['PATH'] = path;
    }
  });

  withFfmpeg(
    'a recording with a speaker in each channel needs no voices to tell them apart',
    async () => {
      // Bursts of hiss that differ, in turn.
      const bursts = (turn: number) => `0.3*(random(${turn})-0.5)*eq(mod(floor(t),2),${turn})`;
      const made = encodedMp3(
        `aevalsrc='${bursts(0)}|${bursts(1)}':s=16000:d=8`,
        '-b:a 64k -joint_stereo 0',
      );
      const speech = hostSpeech(folder, { speakers: 'on', vad: false });
      const progress: number[] = [];
      const preview: object[] = [];
      const { plan, pieces } = await transcribed(speech, source(made), undefined, {
        progress: (fraction) => progress.push(fraction),
        heard: (words) => preview.push(...words),
      });
      speech.close?.();
      expect(plan.engine).toMatchObject({ channels: 2 });
      expect(plan.engine).not.toHaveProperty('speakers');
      const [{ words, ...piece }] = pieces as [PieceTranscript];
      expect(piece).not.toHaveProperty('voices');
      expect(words.length).toBeGreaterThan(4);
      for (const { start, speaker } of words)
        expect(speaker).toBe(String(Math.floor(start + 0.1) % 2));
      // The words are in order only once both channels are recognised.
      expect(preview).toEqual([]);
      expect(progress.slice(-4)).toEqual([0.5, 0.5, 1, 1]);
    },
  );
});

describe('the indexes of recordings between the pieces of their runs', () => {
  const audio = silentMp3(16, 1);

  test('an index is built once per recording; the oldest of more than eight is built again', async () => {
    const indexOf = createIndexCache();
    let built = 0;
    const ask = (recording: string) =>
      indexOf(recording, audio, never, async (work) => {
        built += 1;
        return work();
      });
    const eight = Array.from({ length: 8 }, (_, at) => `recording ${at}`);
    for (const recording of [...eight, ...eight]) await ask(recording);
    expect(built).toBe(8);
    await ask('a ninth');
    await ask(eight[1]!);
    expect(built).toBe(9);
    await ask(eight[0]!);
    expect(built).toBe(10);
  });
});
