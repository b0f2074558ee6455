/** Recognition of the windows of a recording: samples, times, progress and preview, and joined channels. */
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/transcript.ts';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { joinChannels } from '../../../server/speech/host/channels.ts';
import { recognise, type RecognizeWindow } from '../../../server/speech/host/recognise.ts';
import { never } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

const audio = silentMp3(16, 60);
const index = await indexMp3(audio);

type Span = [start: number, end: number];

/** Recognises 40 s from second 10 on, with speech at these seconds of that stretch. */
async function recognised(
  speech: Span[],
  recognize: RecognizeWindow,
  more: { signal?: AbortSignal; longestWindow?: number } = {},
) {
  const progress: number[] = [];
  const preview: string[][] = [];
  let dropped: number | undefined;
  const words = await recognise(
    {
      findSpeech: async () => speech.map(([start, end]) => ({ start, end })),
      recognize,
      longestWindow: more.longestWindow,
    },
    {
      audio,
      index,
      range: { start: 10, end: 50 },
      signal: more.signal ?? never,
      progress: (fraction) => progress.push(Math.round(fraction * 1000) / 1000),
      heard: (found) => preview.push(found.map(({ text }) => text)),
      concluded: (count) => (dropped = count),
    },
  );
  return { words: words.map(({ text }) => text), progress, preview, dropped };
}

const word = (text: string, start: number): TranscriptWord => ({ text, start, end: start + 0.5 });
const SPEECH: Span[] = [
  [1, 11],
  [14, 24],
  [27, 37],
];

describe('the windows of a stretch', () => {
  test('have their own samples and times, and words in order', async () => {
    const windows: number[][] = [];
    const made = await recognised(
      SPEECH,
      async (samples, { start, end }) => {
        windows.push([start, end, samples.length / 16_000].map((at) => Math.round(at * 10) / 10));
        return [word(`at ${Math.round(start)}`, start + 1)];
      },
      { longestWindow: 12 },
    );
    expect(windows).toEqual([
      [10.6, 21.4, 10.8],
      [23.6, 34.4, 10.8],
      [36.6, 47.4, 10.8],
    ]);
    expect(made).toEqual({
      words: ['at 11', 'at 24', 'at 37'],
      progress: [0.27, 0.54, 0.81, 1],
      preview: [['at 11'], ['at 24'], ['at 37']],
      dropped: 0,
    });
  });

  test('that finish out of order are previewed in order', async () => {
    const waiting: (() => void)[] = [];
    const made = await recognised(
      SPEECH,
      async (_, { start }) => {
        // The last window finishes first.
        const turn = new Promise<void>((resolve) => void waiting.unshift(resolve));
        if (waiting.length === 3) for (const resolve of waiting) resolve();
        await turn;
        return [word(`at ${Math.round(start)}`, start + 1)];
      },
      { longestWindow: 12 },
    );
    expect(made.words).toEqual(['at 11', 'at 24', 'at 37']);
    expect(made.preview.flat()).toEqual(made.words);
  });

  test('without words give no preview, and impossibly fast words are counted', async () => {
    const silent = await recognised(SPEECH, async () => []);
    expect(silent).toMatchObject({ words: [], preview: [], dropped: 0 });
    const loop = await recognised([[1, 11]], async (_, { start }) =>
      Array.from({ length: 20 }, (_, at) => word('go', start + at / 2)),
    );
    expect(loop).toMatchObject({ words: ['go', 'go', 'go'], dropped: 17 });
  });

  test('that overlap do not count twice in the progress', async () => {
    const { progress } = await recognised([[0, 40]], async () => [], { longestWindow: 12 });
    expect(progress).toEqual([0.288, 0.525, 0.763, 1, 1]);
  });

  test('whose words are all impossible are not previewed', async () => {
    const { words, preview } = await recognised([[1, 5]], async (_, { start }) => [
      word('invented', start + 20),
    ]);
    expect([words, preview]).toEqual([[], []]);
  });

  test('end together if one fails, with its error', async () => {
    const ended: unknown[] = [];
    const failing = recognised(
      SPEECH,
      (_, { start }, signal) =>
        start > 30
          ? Promise.reject(new Error('lost'))
          : new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                ended.push((signal.reason as Error).message);
                reject(signal.reason as Error);
              });
            }),
      { longestWindow: 12 },
    );
    await expect(failing).rejects.toThrow('lost');
    expect(ended).toEqual(['lost', 'lost']);
  });

  test('are not recognised once the run has ended', async () => {
    const reason = new Error('cancelled');
    const made = recognised(SPEECH, async () => [], { signal: AbortSignal.abort(reason) });
    await expect(made).rejects.toBe(reason);
  });
});

describe('the words of two channels', () => {
  const said = (text: string, start: number, each = 0.4): TranscriptWord[] =>
    text.split(' ').map((part, at) => ({
      text: part,
      start: start + at * each,
      end: start + at * each + 0.3,
    }));
  const joined = (left: TranscriptWord[], right: TranscriptWord[]) =>
    joinChannels(left, right)
      .map(({ text, speaker }) => `${text}${speaker ?? ''}`)
      .join(' ');

  test.each<[string, TranscriptWord[], TranscriptWord[], string]>([
    ['one after the other', said('a b', 0), said('c d', 1), 'a0 b0 c1 d1'],
    ['the right one first', said('a b', 1), said('c d', 0), 'c1 d1 a0 b0'],
    [
      'a phrase that begins within another',
      said('a b c d', 0),
      said('x y', 0.5),
      'a0 b0 c0 d0 x1 y1',
    ],
    [
      'a pause of 0.3 s',
      [...said('a b', 0), ...said('c d', 1.1)],
      said('x', 0.5),
      'a0 b0 x1 c0 d0',
    ],
    ['a pause of exactly 0.3 s', [...said('a', 0), ...said('b', 0.6)], said('x', 0.5), 'a0 x1 b0'],
    ['a shorter pause', [...said('a b', 0), ...said('c d', 0.9)], said('x', 0.5), 'a0 b0 c0 d0 x1'],
    ['the end of a sentence', said('a b. c d', 0), said('x', 0.5), 'a0 b.0 x1 c0 d0'],
    ['a comma', said('a b, c d', 0), said('x', 0.5), 'a0 b,0 x1 c0 d0'],
    ['only one channel with words', said('a b', 0), [], 'a b'],
    ['only the other', [], said('a b', 0), 'a b'],
  ])('%s', (_, left, right, expected) => {
    expect(joined(left, right)).toBe(expected);
  });

  test('a phrase of more than three seconds is divided at its longest pause', () => {
    const long = [...said('a b c', 0, 0.5), ...said('d e f', 1.55, 0.5)];
    expect(joined(long, said('x', 1))).toBe('a0 b0 c0 d0 e0 f0 x1');
    const longer = [...said('a b c', 0, 0.5), ...said('d e f g', 1.55, 0.5)];
    expect(joined(longer, said('x', 1))).toBe('a0 b0 c0 x1 d0 e0 f0 g0');
  });
});
