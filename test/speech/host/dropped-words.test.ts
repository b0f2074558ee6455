/** Words that nobody can have said are removed and counted. */
import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Transcript, TranscriptWord } from '../../../server/contract/transcript.ts';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { recognise } from '../../../server/speech/host/recognise.ts';
import { withLanguages } from '../../../server/speech/host/spoken-languages.ts';
import { everything } from '../../../server/speech/host/voice-activity.ts';
import { source } from '../../mp3/support.ts';
import { sample } from '../../support/sample.ts';
import { never } from './engine-support.ts';

/** The result for five seconds of the sample with a recogniser that returns these words, and the reported number. */
async function heardAs(words: (window: { start: number }) => TranscriptWord[]) {
  const audio = source(await readFile(sample));
  let dropped = 0;
  const heard = await recognise(
    { findSpeech: everything, recognize: (_, window) => Promise.resolve(words(window)) },
    {
      audio,
      index: await indexMp3(audio),
      range: { start: 0, end: 5 },
      signal: never,
      progress: () => {},
      concluded: (count) => (dropped += count),
    },
  );
  return { heard: heard.length, dropped };
}

test('a loop and a flood of words are cut, fast speech is not', async () => {
  const each = (count: number, seconds: number, text: (at: number) => string) =>
    heardAs(() =>
      Array.from({ length: count }, (_, at) => ({
        text: text(at),
        start: at * seconds,
        end: (at + 1) * seconds,
      })),
    );
  expect(await each(30, 1 / 7, String)).toEqual({ heard: 30, dropped: 0 });
  expect(await each(30, 1 / 7, () => 'the')).toEqual({ heard: 3, dropped: 27 });
  expect(await each(50, 0.001, String)).toEqual({ heard: 20, dropped: 30 });
});

test('the number is in the metadata, including words that Whisper dropped itself', () => {
  const transcript = { language: 'en', metadata: {} } as Transcript;
  const words: TranscriptWord[] = [];
  expect(withLanguages(transcript, [{ words }])).toBe(transcript);
  expect(withLanguages(transcript, [{ words, dropped: 27 }, { words }]).metadata).toEqual({
    droppedWords: 27,
  });
  const windows = [{ start: 0, end: 5, language: 'en', words: 2, dropped: 3 }];
  const both = withLanguages(transcript, [{ words, dropped: 27, windows }]);
  expect(both.metadata).toEqual({
    languages: [{ language: 'en', start: 0, end: 5 }],
    droppedWords: 30,
  });
});
