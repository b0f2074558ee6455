/** The times of punctuation that a provider sends as words of its own. */
import { describe, expect, test } from 'bun:test';
import { tokensOf } from '../../server/captions/divide/tokens.ts';

const times = (...words: readonly (readonly [string, number, number])[]): string[] =>
  tokensOf(words.map(([text, start, end]) => ({ text, start, end }))).map(
    ({ text, start, end }) => `${text} ${start}-${end}`,
  );

describe('a closing mark', () => {
  test('takes the end of its word, as does the mark after it', () => {
    expect(times(['true', 0, 1], ['?', 3, 3.2], ['”', 4, 4.2], ['Yes', 5, 6])).toEqual([
      'true 0-1',
      '? 1-1',
      '” 1-1',
      'Yes 5-6',
    ]);
  });

  test('keeps its time if there is no silence before it', () => {
    expect(times(['true', 0, 1], ['?', 1, 1.2], ['Yes', 5, 6])[1]).toBe('? 1-1.2');
  });
});

describe('an opening mark', () => {
  test('takes the start of the next word, as does the mark before it', () => {
    expect(times(['Yes', 0, 1], ['(', 1, 1.2], ['“', 1.5, 1.7], ['true', 4, 5])).toEqual([
      'Yes 0-1',
      '( 4-4',
      '“ 4-4',
      'true 4-5',
    ]);
  });

  test('does so as the first word of all', () => {
    expect(times(['“', 0, 0.2], ['true', 4, 5])).toEqual(['“ 4-4', 'true 4-5']);
  });

  test('keeps its time if there is no silence after it', () => {
    expect(times(['Yes', 0, 1], ['(', 1, 1.2], ['true', 1.2, 2])[1]).toBe('( 1-1.2');
  });

  test('keeps its time as the last word of all', () => {
    expect(times(['Yes', 0, 1], ['(', 1.5, 1.7])[1]).toBe('( 1.5-1.7');
  });
});

test('a spoken mark keeps its time', () => {
  expect(times(['five', 0, 1], ['%', 2, 2.5], ['and', 3, 4])[1]).toBe('% 2-2.5');
});

test('letters returned one by one are a word beside Chinese, also if a pause lies between', () => {
  const spoken = (second: string) =>
    tokensOf([
      { text: 'A', start: 0, end: 0.2 },
      { text: 'I', start: 0.2, end: 0.4 },
      { text: second, start: 1, end: 1.2 },
    ]).map(({ text }) => text);
  expect(spoken('会')).toEqual(['AI', '会']);
  expect(spoken('é')).toEqual(['A', 'I', 'é']);
});
