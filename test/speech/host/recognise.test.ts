/** Recognition of the windows of a recording: where they are, and what becomes of their words. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { SPEECH_RATE } from '../../../server/mp3/resample.ts';
import { joinChannels } from '../../../server/speech/host/channels.ts';
import type { SpeechSegment } from '../../../server/speech/host/engine-messages.ts';
import { recognise, type RecognizeWindow } from '../../../server/speech/host/recognise.ts';
import {
  packWindows,
  OVERLAP,
  type FindSpeech,
  everythingAsSpeech,
  loudnessVoiceActivity,
} from '../../../server/speech/host/pieces.ts';
import { dropLoops, dropOutsideSpeech, wordsOfTokens } from '../../../server/speech/host/words.ts';
import { never, silentMp3 } from './engine-support.ts';

describe('recognition of the windows of a recording', async () => {
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

  test('the windows of a stretch have their own samples and times, and words in order', async () => {
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

  test('the windows of a stretch that finish out of order are previewed in order', async () => {
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

  test('the windows of a stretch end together if one fails, with its error', async () => {
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

  test('the windows of a stretch are not recognised once the run has ended', async () => {
    const reason = new Error('cancelled');
    const made = recognised(SPEECH, async () => [], { signal: AbortSignal.abort(reason) });
    await expect(made).rejects.toBe(reason);
  });

  /** Words of 0.3 s, 0.1 s apart, from these seconds on: “0 a b, 1.1 c d”. */
  const said = (phrases: string): TranscriptWord[] =>
    phrases.split(', ').flatMap((phrase) => {
      const [start, ...words] = phrase.split(' ');
      return words.map((text, at) => ({
        text,
        start: Number(start) + at * 0.4,
        end: Number(start) + at * 0.4 + 0.3,
      }));
    });

  test.each([
    ['one after the other', '0 a b', '1 c d', 'a0 b0 c1 d1'],
    ['the right one first', '1 a b', '0 c d', 'c1 d1 a0 b0'],
    ['a phrase that begins within another', '0 a b c d', '0.5 x y', 'a0 b0 c0 d0 x1 y1'],
    ['a pause of 0.3 s', '0 a b, 1.1 c d', '0.5 x', 'a0 b0 x1 c0 d0'],
    ['a pause of exactly 0.3 s', '0 a, 0.6 b', '0.5 x', 'a0 x1 b0'],
    ['a shorter pause', '0 a b, 0.9 c d', '0.5 x', 'a0 b0 c0 d0 x1'],
    ['the end of a sentence', '0 a b. c d', '0.5 x', 'a0 b.0 x1 c0 d0'],
    ['only one channel with words', '0 a b', '9', 'a b'],
    ['only the other', '9', '0 a b', 'a b'],
  ])('the words of two channels: %s', (_, left, right, expected) => {
    const joined = joinChannels(said(left), said(right));
    expect(joined.map(({ text, speaker }) => `${text}${speaker ?? ''}`).join(' ')).toBe(expected);
  });
});

describe('the division of a long recording into blocks that do not cut its speech', async () => {
  const audio = silentMp3(16, 320);
  const index = await indexMp3(audio);

  const inBlocks = (
    steps: Parameters<typeof recognise>[0],
    more: Partial<Parameters<typeof recognise>[1]> = {},
  ) => {
    const range = { start: 0, end: 320 };
    return recognise(steps, { audio, index, range, signal: never, progress() {}, ...more });
  };

  /**
   * Where the second block begins, if these are the last seconds of speech in the first one of five minutes. Nothing
   * that begins after that is recognised in the first block.
   */
  async function secondBlock(...speech: [start: number, end: number][]): Promise<number> {
    const lengths: number[] = [];
    const recognised: number[] = [];
    await inBlocks({
      findSpeech: async (samples) => {
        lengths.push(samples.length / 16_000);
        return lengths.length === 1 ? speech.map(([start, end]) => ({ start, end })) : [];
      },
      recognize: async (_samples, stretch) => {
        recognised.push(stretch.start);
        return [];
      },
    });
    const second = 320 - lengths[1]!;
    // A window begins up to a second before its speech.
    expect(recognised.filter((start) => start > second - 1)).toEqual([]);
    return second;
  }

  test.each<[string, [number, number][], number]>([
    ['before the speech that extends beyond its end', [[290, 300]], 289.7],
    ['before speech that pauses at its end for less than a second', [[290, 299.9]], 289.7],
    [
      'before all parts of it, if the detector has cut it',
      [
        [1, 280],
        [285, 290],
        [290.05, 300],
      ],
      284.7,
    ],
    ['near its end, if the speech fills more than half of it', [[140, 300]], 298.6],
  ])('a block ends %s', async (_where, speech, expected) => {
    // A block ends with a whole chunk of the decoder, so it may be a little longer.
    expect(await secondBlock(...speech)).toBeWithin(expected - 0.15, expected + 0.15);
  });

  test('words that the next block may replace are not previewed before', async () => {
    const preview: string[] = [];
    let blocks = 0;
    let previewed: string[] = [];
    await inBlocks(
      {
        findSpeech: async (samples) => {
          blocks += 1;
          if (blocks === 2) previewed = [...preview];
          return [{ start: blocks === 1 ? 100 : 0, end: samples.length / 16_000 }];
        },
        recognize: async (_samples, { start, end }) => [
          { text: `from ${start.toFixed()}`, start: start + 0.2, end: start + 0.4 },
          { text: `to ${end.toFixed()}`, start: end - 0.4, end: end - 0.2 },
        ],
      },
      { heard: (words) => preview.push(...words.map(({ text }) => text)) },
    );
    expect(previewed.at(-1)).toBe('to 276');
    expect(preview.slice(previewed.length)).toEqual(['from 299', 'to 301', 'to 320']);
  });

  test('a recording is closed if the recognition of a block fails', async () => {
    let open = 0;
    const watched = {
      size: audio.size,
      async *read(range?: { start: number; end: number }) {
        open += 1;
        try {
          yield* audio.read(range);
        } finally {
          open -= 1;
        }
      },
    };
    const failing = inBlocks(
      {
        findSpeech: async () => [{ start: 1, end: 2 }],
        recognize: async () => Promise.reject(new Error('lost')),
      },
      { audio: watched, progress: () => expect(open).toBe(1) },
    );
    await expect(failing).rejects.toThrow('lost');
    expect(open).toBe(0);
  });
});

describe('speech found by loudness, cuts in pauses, and the windows made of speech', () => {
  /** The seconds of a sign: four frames of the detector. */
  const SIGN = 0.12;
  const LEVELS: Record<string, number> = { ' ': 0, '.': 0.0015, '-': 0.01, '+': 0.05, '#': 0.5 };

  /** Sound whose level is drawn by signs. */
  function sound(signs: string): Float32Array {
    const each = SIGN * SPEECH_RATE;
    return Float32Array.from(
      { length: signs.length * each },
      (_, at) => LEVELS[signs.charAt(Math.floor(at / each))]! * (at % 2 ? 1 : -1),
    );
  }

  /** The segments in a sound, in signs from its start. */
  const found = async (find: FindSpeech, signs: string): Promise<string> =>
    (await find(sound(signs), never))
      .map(({ start, end }) =>
        [start, end].map((at) => Math.round((at / SIGN) * 100) / 100).join('-'),
      )
      .join(' ');

  test.each([
    ['nothing', '', ''],
    ['silence', '        ', ''],
    ['sound below -54 dB', '  ....  ', ''],
    ['speech', '    ####    ', '4-8'],
    ['quiet speech', '    ----    ', '4-8'],
    ['a pause of less than half a second', '   ###    ###   ', '3-13'],
    ['a pause of more than half a second', '   ###     ###   ', '3-6 11-14'],
    ['a sound of less than a quarter of a second', '   ##       ###   ', '12-15'],
    ['steady noise', '------------', ''],
    ['steady loud noise', '############', ''],
    ['speech over noise', '-----####-----', '5-9'],
    ['speech that is hardly louder than the noise', '+++++####+++++', '5-9'],
    ['noise that is not four times as loud as the floor', '.....  .....', ''],
    ['a floor in a tenth of the recording', '- ###########', '2-13'],
  ])('by loudness: %s', async (_, signs, expected) => {
    expect(await found(loudnessVoiceActivity, signs)).toBe(expected);
  });

  test.each([
    ['no pause', '##########', '0-10'],
    ['a pause of 0.24 s', '######  ####', '0-12'],
    ['a pause of 0.36 s, which stays open', '######   ####', '0-6 9-13'],
    // Of a longer pause, 0.4 s stay open in its middle.
    ['a pause of 0.6 s', '######     ####', '0-6.83 10.17-15'],
    ['silence at both ends', '    ####    ', '0-12'],
    ['noise in the pauses', '--####-----####--', '0-6.83 10.17-17'],
    ['hardly a pause', '#####################   ####', '0-21 24-28'],
    ['a stretch a tenth as loud', '########+++++########', '0-8.83 12.17-21'],
  ])('cut everywhere: %s', async (_, signs, expected) => {
    expect(await found(everythingAsSpeech, signs)).toBe(expected);
  });
});

describe('windows for any speech', () => {
  const segments = fc
    .array(
      fc.tuple(
        fc.double({ min: 0, max: 12, noNaN: true }),
        fc.double({ min: 0.25, max: 70, noNaN: true }),
      ),
      {
        maxLength: 40,
      },
    )
    .map((parts) => {
      let at = 0;
      return parts.map(([pause, length]): SpeechSegment => {
        const start = at + pause;
        at = start + length;
        return { start, end: at };
      });
    });

  test('windows contain all speech, observe their maximum, and overlap only inside long speech', () => {
    fc.assert(
      fc.property(segments, (speech) => {
        const length = (speech.at(-1)?.end ?? 0) + 1;
        const windows = packWindows(speech, length);
        for (const { start, end } of windows) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(length);
          expect(end - start).toBeLessThanOrEqual(28 + 1e-6);
        }
        for (const segment of speech) {
          let at = segment.start;
          for (const window of windows)
            if (window.start <= at + 1e-6) at = Math.max(at, window.end);
          expect(at).toBeGreaterThanOrEqual(segment.end - 1e-6);
        }
        for (const [index, window] of windows.entries()) {
          const shared = (windows[index - 1]?.end ?? 0) - window.start;
          if (shared > 1e-6) expect(shared).toBeCloseTo(OVERLAP, 5);
        }
      }),
    );
  });

  test('short speech fits into one window, no speech into none', () => {
    const inside = [
      { start: 1, end: 5 },
      { start: 2, end: 3 },
    ];
    expect(packWindows(inside, 10)).toEqual([{ start: 0.6, end: 5.4 }]);
    expect(packWindows([], 20)).toEqual([]);
    expect(
      packWindows(
        [
          { start: 1, end: 3 },
          { start: 4, end: 9 },
        ],
        20,
      ),
    ).toEqual([{ start: 0.6, end: 9.4 }]);
  });
});

const words = (text: string, each = 0.4) =>
  text.split(' ').map((word, at) => ({ text: word, start: at * each, end: at * each + each }));
const text = (list: { text: string }[]) => list.map((word) => word.text).join(' ');

test('words of pieces a word does not extend through a silence, or past the end of its window', () => {
  const made = wordsOfTokens(
    { tokens: ['▁a', '▁b'], timestamps: [0.1, 4.9] },
    { start: 0, end: 5 },
  );
  expect(made.map((word) => word.end)).toEqual([0.35, 5]);
  // Nor through a pause between its parts.
  const [apart] = wordsOfTokens(
    { tokens: ['▁a', 'b'], timestamps: [0.1, 4] },
    { start: 0, end: 5 },
  );
  expect(apart).toEqual({ text: 'ab', start: 0.1, end: 2.1 });
});

test('a loop is cut to three repetitions', () => {
  expect(text(dropLoops(words('we go on and on and on and on and on and on')))).toBe(
    'we go on and on and on and on',
  );
  expect(text(dropLoops(words('no no no I said')))).toBe('no no no I said');
  expect(text(dropLoops(words('so so so so so so then')))).toBe('so so so then');
  const phrase = (times: number) => Array.from({ length: times }, () => 'no no no yes').join(' ');
  expect(text(dropLoops(words(phrase(5))))).toBe(phrase(3));
});
test('words in silence are dropped', () => {
  const heard = [{ start: 0, end: 1 }];
  expect(text(dropOutsideSpeech(words('a b c d e f g', 0.5), heard))).toBe('a b c');
  expect(dropOutsideSpeech(words('a b'), [])).toEqual([]);
});

describe('the confidence of a word of several pieces', () => {
  const window = { start: 0, end: 3 };
  const half = Math.log(0.5);
  test('is the geometric mean of the pieces with sound', () => {
    const made = wordsOfTokens(
      {
        tokens: ['▁Auth', 'Kit', '.', '▁is', '<unk>', '▁-'],
        timestamps: [0.2, 0.4, 0.5, 0.8, 0.9, 1],
        logProbabilities: [half, Math.log(0.32), -9, 0.0001, -20, half],
      },
      window,
    );
    expect(made.map(({ text: word, confidence }) => [word, confidence])).toEqual([
      ['AuthKit.', 0.4],
      ['is', 1],
      ['-', undefined],
    ]);
  });
});
