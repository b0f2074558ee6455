/** Detects the ends of sentences in all scripts. */
import { describe, expect, test } from 'bun:test';
import { languageOf } from '../../server/captions/language.ts';
import { endsSentence } from '../../server/captions/sentence-end.ts';

describe('a word that ends a sentence', () => {
  test.each([
    'end.',
    'end?',
    'end!',
    'end…',
    'end...',
    '“end.”',
    "'end.'",
    '(end.)',
    'end."',
    '«fin.»',
    '„Ende.“',
    '»Ende.«',
    '終わり。',
    '終わり。」',
    '吗？',
    '好！',
    '好⋯',
    '好。＂',
    '好。＇',
    '終｡',
    'نهاية؟',
    'ختم۔',
    'समाप्त।',
    '॥शुभ॥',
    'จบ๚',
    'ပြီး။',
    'ចប់។',
    'վերջ։',
    'መጨረሻ።',
    'end.\u200f',
    'end. ',
  ])('%s', (word) => expect(endsSentence(word)).toBe(true));
});

describe('a word that does not end a sentence', () => {
  test.each([
    'end',
    'end,',
    'end;',
    'end:',
    'end–',
    '3.5',
    'v1.2x',
    '終わり、',
    'نهاية،',
    '',
    '"',
    ')',
    'a.b',
  ])('%s', (word) => expect(endsSentence(word)).toBe(false));
});

test('abbreviations are recognised if the language is known', () => {
  const english = languageOf('en');
  expect(endsSentence('Dr.', 'Smith', english)).toBe(false);
  expect(endsSentence('No.', '5', english)).toBe(false);
  expect(endsSentence('U.S.', 'army', english)).toBe(false);
  expect(endsSentence('Dr.', 'Smith')).toBe(true);
  expect(endsSentence('Dr.', undefined, english)).toBe(true);
});

test.each([
  ['We', true],
  ['Iron', false],
  ['I', false],
  ["I've", false],
  ['I’m', false],
])('after “the U.S.”, %s begins a sentence: %p', (next, begins) => {
  expect(endsSentence('U.S.', next, languageOf('en'))).toBe(begins);
});
