/** The pieces of a recording, for any bitrate and any pauses. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { planPieces } from '../../../server/speech/host/pieces.ts';
import type { FindSpeech } from '../../../server/speech/host/voice-activity.ts';
import { OVERLAP } from '../../../server/speech/host/windows.ts';
import { rounds } from '../../support/fuzz.ts';
import { silentMp3 } from './silent-mp3.ts';

const never = new AbortController().signal;

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
