/** Divides words into paragraphs and utterances if no provider does. */
import { expect, test } from 'bun:test';
import { punctuate } from '../../server/speech/remote/whisper.ts';
import { buildTranscript } from '../../server/speech/seams.ts';
import { spans } from './support.ts';

test('a sixth sentence starts a paragraph', () => {
  const words = Array.from({ length: 12 }, (_, at) => ({
    text: at % 2 ? 'end.' : 'Begin',
    start: at * 0.3,
    end: at * 0.3 + 0.3,
  }));
  const { paragraphs } = buildTranscript(words, { language: 'en', duration: 4 });
  expect(spans(paragraphs)).toEqual([
    [0, 9],
    [10, 11],
  ]);
});

test('a word a hundred characters ahead is found, one beyond a hundred and twenty is not', () => {
  const word = { text: 'there', start: 0, end: 1 };
  const reads = (gap: number) => punctuate([word], `${'x'.repeat(gap - 1)} There!`)[0]?.text;
  expect(reads(100)).toBe('There!');
  expect(reads(119)).toBe('There!');
  expect(reads(121)).toBe('there');
});
