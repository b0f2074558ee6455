/** Recordings with one speaker per channel. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { decodeMono16k } from '../../../server/mp3/decode.ts';
import { indexMp3, type AudioSource } from '../../../server/mp3/frames.ts';
import {
  channelsApart,
  hasChannelsApart,
  joinChannels,
} from '../../../server/speech/host/channels.ts';
import { source } from '../../mp3/support.ts';
import { needsShared, shared } from '../../support/requirements.ts';
import { never, silentMp3 } from './engine-support.ts';

describe('recordings with one speaker per channel', () => {
  setDefaultTimeout(60_000);

  const RATE = 16_000;

  /** Hiss that differs by seed, in bursts of a second that start at these times. */
  function bursts(seed: number, at: readonly number[], seconds = 12, gain = 0.2): Float32Array {
    let state = seed;
    const out = new Float32Array(seconds * RATE);
    for (const start of at) {
      for (let sampleAt = start * RATE; sampleAt < (start + 1) * RATE; sampleAt += 1) {
        state = (state * 16_807) % 2_147_483_647;
        out[sampleAt] = gain * (state / 1_073_741_823.5 - 1);
      }
    }
    return out;
  }

  const mixed = (a: Float32Array, b: Float32Array, share: number): Float32Array =>
    a.map((value, at) => value + share * b[at]!);

  describe('channels', () => {
    const one = bursts(7, [0, 2, 4, 5, 8]);
    const other = bursts(99, [1, 3, 5, 6, 9]);

    test('with separate voices are distinguished, even if both sometimes speak at once', () => {
      expect(channelsApart([{ left: one, right: other }])).toBe(true);
      expect(channelsApart([{ left: other, right: one.map((value) => value / 4) }])).toBe(true);
    });

    test.each([
      ['the same in both', one, one],
      ['the same, one weaker and turned', one, one.map((value) => -value / 5)],
      ['one silent', one, new Float32Array(one.length)],
      ['one with faint noise', one, bursts(5, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 12, 0.0005)],
      [
        'each voice heard in both, as by two microphones in a room',
        mixed(one, other, 0.4),
        mixed(other, one, 0.4),
      ],
      ['two instruments that play together', one, bursts(99, [0, 2, 4, 5, 8])],
      ['nothing', new Float32Array(RATE), new Float32Array(RATE)],
      ['no audio', new Float32Array(0), new Float32Array(0)],
    ])('count as one mix: %s', (_, left, right) => {
      expect(channelsApart([{ left, right }])).toBe(false);
    });

    const stereo = needsShared('audio/speech/two-speakers-stereo.mp3');
    stereo('of the recording of two speakers are apart, and each can be decoded', async () => {
      const audio = source(await readFile(shared('audio/speech/two-speakers-stereo.mp3')));
      const index = await indexMp3(audio, never);
      let read = 0;
      const counted = {
        ...audio,
        read: (range?: { start: number; end: number }) => {
          read += 1;
          return audio.read(range);
        },
      };
      expect(await hasChannelsApart(counted, index, never)).toBe(true);
      // Both channels come from one decoding.
      expect(read).toBe(1);
      // After three seconds, only the left speaker is left.
      for (const [channel, least, most] of [
        ['left', 0.01, 1],
        ['right', 0, 0.0001],
      ] as const) {
        let [sum, count] = [0, 0];
        const range = { start: 3, end: 4.5 };
        for await (const block of decodeMono16k(audio, index, range, never, channel)) {
          for (const value of block) sum += value * value;
          count += block.length;
        }
        expect(count).toBe(1.5 * RATE);
        const loudness = Math.sqrt(sum / count);
        expect(loudness).toBeGreaterThanOrEqual(least);
        expect(loudness).toBeLessThanOrEqual(most);
      }
    });
  });

  test('the words of two channels include all words of each channel, in order', () => {
    const some = fc
      .array(fc.tuple(fc.constantFrom('we', 'go.', 'on,', 'now'), fc.integer({ min: 0, max: 9 })), {
        maxLength: 12,
      })
      .map((words) => {
        let at = 0;
        return words.map(([text, wait]): TranscriptWord => {
          const start = (at += wait / 10);
          return { text, start, end: (at += 0.2) };
        });
      });
    fc.assert(
      fc.property(some, some, (left, right) => {
        const joined = joinChannels(left, right);
        expect(joined).toHaveLength(left.length + right.length);
        if (left.length === 0 || right.length === 0) return;
        for (const [speaker, words] of [
          ['0', left],
          ['1', right],
        ] as const) {
          const own = joined.filter((word) => word.speaker === speaker);
          expect(own).toEqual(words.map((word) => ({ ...word, speaker })));
        }
      }),
    );
  });
});

test('of a long recording, six excerpts of twelve seconds are examined, each in the middle of its part', async () => {
  const silent = silentMp3(16, 120);
  const bytes = Buffer.concat(await Array.fromAsync(silent.read()));
  const frame = 72;
  for (let at = 3; at < bytes.length; at += frame) bytes[at] = 0;
  const read: { start: number; end: number }[] = [];
  const stereo: AudioSource = {
    size: bytes.length,
    async *read(range = { start: 0, end: bytes.length }) {
      read.push(range);
      yield bytes.subarray(range.start, range.end);
    },
  };
  const { signal } = new AbortController();
  const index = await indexMp3(stereo, signal);
  read.length = 0;
  expect(await hasChannelsApart(stereo, index, signal)).toBe(false);
  const seconds = (offset: number) => ((offset / frame) * 576) / 16_000;
  // The decoder begins 32 frames before each.
  const before = seconds(32 * frame);
  expect(read.map(({ start }) => Math.round(seconds(start) + before))).toEqual([
    4, 24, 44, 64, 84, 104,
  ]);
  expect(read.map(({ end }) => Math.round(seconds(end)))).toEqual([16, 36, 56, 76, 96, 116]);
  const cancelled = AbortSignal.abort(new Error('cancelled'));
  await expect(hasChannelsApart(stereo, index, cancelled)).rejects.toThrow('cancelled');
});
