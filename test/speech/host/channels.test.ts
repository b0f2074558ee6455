/** Recordings with one speaker per channel. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { buildCues } from '../../../server/captions/build/build.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { decodeMono16k } from '../../../server/mp3/decode.ts';
import { indexMp3, type AudioSource } from '../../../server/mp3/frames.ts';
import { hasChannelsApart, joinChannels } from '../../../server/speech/host/channels.ts';
import { source } from '../../mp3/support.ts';
import { needsShared, shared } from '../../support/requirements.ts';
import { encodedMp3, never, silentMp3, withFfmpeg } from './engine-support.ts';

setDefaultTimeout(60_000);

/** Hiss in bursts of a second, as expressions of ffmpeg; each voice differs by its random numbers. */
const between = (...seconds: number[]) =>
  `(${seconds.map((at) => `gte(t,${at})*lt(t,${at + 1})`).join('+')})`;
const hiss = (voice: number, turns: string) =>
  `(if(eq(n,0),st(0,${voice * 7919}),0)*0+0.4*(random(0)-0.5)*${turns})`;
const one = hiss(0, between(0, 2, 4, 5, 8));
const other = hiss(1, between(1, 3, 5, 6, 9));
withFfmpeg.each([
  ['two voices that sometimes speak at once', one, other, true],
  ['the same, one weaker', other, `(${one})/4`, true],
  ['the same in both', one, one, false],
  ['the same, one weaker and turned', one, `-(${one})/5`, false],
  ['one silent', one, '0', false],
  ['one with faint noise', one, '0.001*(random(0)-0.5)', false],
  ['each voice in both, as in a room', `${one}+0.4*${other}`, `${other}+0.4*${one}`, false],
  ['two instruments that play together', hiss(0, '1'), hiss(1, '1'), false],
  ['nothing', '0', '0', false],
])('channels with %s', async (_, left, right, apart) => {
  const filter = `aevalsrc='${left}|${right}':s=16000:d=12`;
  const audio = source(encodedMp3(filter, '-b:a 64k -joint_stereo 0'));
  expect(await hasChannelsApart(audio, await indexMp3(audio), never)).toBe(apart);
});

const stereo = needsShared('audio/speech/two-speakers-stereo.mp3');
stereo(
  'the channels of a recording of two speakers are apart, and each can be decoded',
  async () => {
    const audio = source(await readFile(shared('audio/speech/two-speakers-stereo.mp3')));
    const index = await indexMp3(audio, never);
    const { reads } = audio;
    expect(await hasChannelsApart(audio, index, never)).toBe(true);
    // Both channels come from one decoding.
    expect(audio.reads).toBe(reads + 1);
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
      expect(count).toBe(24_000);
      const loudness = Math.sqrt(sum / count);
      expect(loudness).toBeGreaterThanOrEqual(least);
      expect(loudness).toBeLessThanOrEqual(most);
    }
  },
);

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

/** What somebody says in a channel: phrases at a usual pace, with pauses between them. */
const spokenPhrases = fc
  .array(
    fc.record({
      wait: fc.integer({ min: 3, max: 60 }),
      words: fc.array(fc.constantFrom('we', 'said', 'that', 'nobody', 'could,', 'yes.', 'never'), {
        minLength: 1,
        maxLength: 14,
      }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((phrases) => {
    let at = 0;
    return phrases.flatMap(({ wait, words }) => {
      at += wait / 10;
      return words.map((text): TranscriptWord => {
        const start = at;
        at += 0.065 * (text.length + 1);
        return { text, start, end: at };
      });
    });
  });

test('where two people speak at once, each caption can be seen and is near its words', () => {
  fc.assert(
    fc.property(spokenPhrases, spokenPhrases, (left, right) => {
      const words = joinChannels(left, right);
      const cues = buildCues(words, DEFAULT_CAPTION_SETTINGS);
      expect(
        cues.flatMap(({ lines }) => lines.join(' ').replaceAll(/(^| )-/g, '$1')).join(' '),
      ).toBe(words.map(({ text }) => text).join(' '));
      let at = 0;
      for (const { start, end, lines } of cues) {
        const text = lines.join(' ');
        const own = words.slice(at, (at += text.split(' ').length));
        expect(end - start).toBeGreaterThan(0.1);
        expect(text.length / (end - start)).toBeLessThan(60);
        expect(start).toBeLessThan(own[0]!.start + 5);
        expect(end).toBeGreaterThan(own[0]!.start - 5);
      }
    }),
    { numRuns: 300 },
  );
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

test('of two people who speak at once, a short answer is beside what it answers, and a long one after it', () => {
  const spoken = (text: string, start: number): TranscriptWord[] => {
    let at = start;
    return text.split(' ').map((word) => {
      const from = at;
      at += 0.06 * (word.length + 1);
      return { text: word, start: from, end: at };
    });
  };
  const shown = (left: TranscriptWord[], right: TranscriptWord[]) =>
    buildCues(joinChannels(left, right), DEFAULT_CAPTION_SETTINGS).map(({ start, end, lines }) => {
      expect(end - start).toBeGreaterThan(1);
      return lines.join('|');
    });
  expect(shown(spoken('How are you today?', 1), spoken('Fine, thanks.', 1.4))).toEqual([
    '-How are you today?|-Fine, thanks.',
  ]);
  const complaint = spoken('He began a confused complaint against the wizard who had gone', 0.3);
  const answer = 'The horizon seems extremely distant.';
  const captions = shown(complaint, spoken(answer, 0.36));
  expect(captions).toHaveLength(3);
  expect(captions[1]).toBe(answer);
});
