import { describe, expect, test } from 'bun:test';
import { sentenceOf } from '../../../web/review/model/sentence.ts';
import { cuesOf } from './support.ts';

const cues = cuesOf(
  'It was late. The team\nshipped an',
  'm c p server for\neverybody last',
  'night. Nobody slept.',
);
const correction = {
  id: 'c1',
  start: 3.2,
  end: 3.9,
  before: 'm c p',
  after: 'MCP',
  decision: 'needs_review',
} as const;

describe('the sentence of a correction', () => {
  test('extends across captions, and not beyond the sentence', () => {
    expect(sentenceOf(cues, correction, 'open', 'en')).toEqual({
      before: 'The team shipped an ',
      words: 'm c p',
      after: ' server for everybody last night.',
    });
  });
  test.each(['en" onload="x', '', 'not a tag', 'xx-Nothing'])(
    'in a language called %j',
    (language) => {
      expect(sentenceOf(cues, correction, 'open', language)?.words).toBe('m c p');
    },
  );
  test('has the accepted words', () => {
    const accepted = cuesOf('It was late.', 'An MCP server. So.', 'Night.');
    expect(sentenceOf(accepted, correction, 'accepted', 'en')).toEqual({
      before: 'An ',
      words: 'MCP',
      after: ' server.',
    });
  });
  test('of words across two captions', () => {
    const across = cuesOf('It was late.', 'We shipped m c', 'p for all. So.');
    expect(sentenceOf(across, { ...correction, start: 4.6, end: 6.2 }, 'open', 'en')).toEqual({
      before: 'We shipped ',
      words: 'm c p',
      after: ' for all.',
    });
  });
  test('without a full stop reaches over two captions on each side', () => {
    const endless = cuesOf('one', 'two', 'three', 'm c p', 'five', 'six', 'seven');
    expect(sentenceOf(endless, { ...correction, start: 9.2, end: 9.9 }, 'open', 'en')).toEqual({
      before: 'two three ',
      words: 'm c p',
      after: ' five six',
    });
  });
  test('does not exist if the words are gone', () => {
    expect(sentenceOf(cuesOf('It was late.'), correction, 'open', 'en')).toBeNull();
  });
});
