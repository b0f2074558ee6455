/** Opening a review with what this browser stored of it. */
import './support/page.ts';
import { expect, test } from 'bun:test';
import { openReviewOf } from '../../../web/review/save/open-review.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import { text } from '../../../web/texts/review.ts';
import { srtOf } from './support/talks.ts';

const bytes = new TextEncoder().encode(srtOf('Bonjour.', 'Salut.'));

test('a review has the language of its run, and the speakers that were recognised', async () => {
  const result = (await resultOfFile(bytes, 'fr'))!;
  const words = ['b', 'a'].map((speaker, at) => ({
    text: 'x',
    start: at * 3 + 1,
    end: at * 3 + 1.4,
    speaker,
  }));
  const heard = { ...result, transcript: { ...result.transcript, words } } as typeof result;
  const { review } = await openReviewOf('file-heard', 'talk.srt', heard);
  expect(review.language).toBe('fr');
  expect(review.cues.value.map(({ speakers }) => speakers)).toEqual(
    [1, 2].map((number) => [text.review.unnamedSpeaker(number)]),
  );
  const input = {} as typeof result.input;
  const untold = await openReviewOf('file-untold', 'talk.srt', { ...result, input });
  expect(untold.review.language).toBe('en');
});
