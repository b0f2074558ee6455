/** The words of a stored result from which captions are built again. */
import { expect, test } from 'bun:test';
import { captionWordsOf } from '../../server/captions/divide/fix-word-times.ts';

test('only words with a text and both times are used, and only speakers with a name', () => {
  const word = { text: 'Hello', start: 0, end: 0.4 };
  expect(
    captionWordsOf([
      { ...word, speaker: 'A', confidence: 0.9 },
      { ...word, speaker: 1 },
      { ...word, text: undefined },
      { ...word, start: null },
      { ...word, end: null },
    ]),
  ).toEqual([{ ...word, speaker: 'A' }, word]);
});
