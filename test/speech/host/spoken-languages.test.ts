/** The languages of a recording, from those of its windows. */
import { describe, expect, test } from 'bun:test';
import type { Transcript, TranscriptWord } from '../../../server/contract/transcript.ts';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { recognise } from '../../../server/speech/host/recognise.ts';
import {
  isAuto,
  WINDOW_OF_ONE_LANGUAGE,
  withLanguages,
} from '../../../server/speech/host/spoken-languages.ts';
import { everything } from '../../../server/speech/host/voice-activity.ts';
import { never } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

type Note = [start: number, end: number, language: string, words: number, dropped?: number];

/** What the windows of pieces add to a transcript in a language. */
function told(language: string, pieces: Note[][]): Record<string, unknown> {
  const words: TranscriptWord[] = [];
  const transcript = { language, metadata: { model: 'm' } } as unknown as Transcript;
  const made = withLanguages(
    transcript,
    pieces.map((notes) => ({
      words,
      windows: notes.map(([start, end, language, words, dropped = 0]) => ({
        start,
        end,
        language,
        words,
        dropped,
      })),
    })),
  );
  const { model, ...metadata } = made.metadata as Record<string, unknown>;
  expect(model).toBe('m');
  return { language: made.language, ...metadata };
}

const span = (language: string, start: number, end: number) => ({ language, start, end });

describe('the languages of a recording', () => {
  test('are listed in order of time; neighbours in one language are one', () => {
    const first: Note[] = [
      [0, 10, 'en', 20],
      [8, 19, 'en', 20],
      [18, 30, 'fr', 5],
    ];
    const second: Note[] = [
      [30, 36, 'en', 4],
      [31, 35, 'en', 2],
    ];
    expect(told('auto', [second, first])).toEqual({
      language: 'en',
      languages: [span('en', 0, 19), span('fr', 18, 30), span('en', 30, 36)],
    });
  });

  test('make that of most words the language of the transcript', () => {
    const one: Note[] = [
      [0, 10, 'en', 10],
      [10, 20, 'fr', 8],
    ];
    expect(told('auto', [one])['language']).toBe('en');
    expect(told('auto', [one, [[20, 30, 'fr', 3]]])['language']).toBe('fr');
  });

  test.each([
    ['en-GB', 'en', 'en-GB'],
    ['EN_us', 'en', 'EN_us'],
    ['en', 'en', 'en'],
    ['en-GB', 'fr', 'fr'],
    ['auto', 'fr', 'fr'],
  ])('asked for %s, with %s heard: %s', (asked, heard, language) => {
    expect(told(asked, [[[0, 5, heard, 3]]])['language']).toBe(language);
  });

  test('are not those of windows without words', () => {
    expect(told('en-GB', [[[0, 5, 'fr', 0, 7]]])).toEqual({ language: 'en-GB', droppedWords: 7 });
    expect(told('en', [[[0, 5, 'en', 1, 2]], [[5, 9, 'en', 1, 3]]])).toEqual({
      language: 'en',
      languages: [span('en', 0, 9)],
      droppedWords: 5,
    });
  });
});

test.each([
  ['auto', true],
  [' AUTO ', true],
  ['autolang', false],
  ['en', false],
])('whether the language %j is detected: %p', (language, expected) => {
  expect(isAuto(language)).toBe(expected);
});

test('a window in which the language is detected has at most twelve seconds', async () => {
  const audio = silentMp3(16, 36);
  const index = await indexMp3(audio);
  const lengths: number[] = [];
  await recognise(
    {
      findSpeech: everything,
      recognize: async (_, { start, end }) => {
        lengths.push(end - start);
        return [];
      },
      longestWindow: WINDOW_OF_ONE_LANGUAGE,
    },
    { audio, index, range: { start: 0, end: 36 }, signal: never, progress: () => {} },
  );
  expect(lengths).toHaveLength(4);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(12);
});
