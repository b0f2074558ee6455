/** Replacing a phrase that begins in one caption and ends in the next. */
import { expect, test } from 'bun:test';
import { dividePhrase } from '../../../web/review/model/corrections.ts';

/** Replaces the words in brackets; the captions are on two lines. */
function replaced(marked: string, wanted: string): string[] {
  const text = marked.replaceAll(/[[\]]/g, '');
  const from = marked.indexOf('[');
  const to = marked.indexOf(']') - 1;
  return dividePhrase(text, { from, to }, text.indexOf('\n'), wanted);
}

test.each([
  [
    'as many words',
    'We [use off\nkit here] now.',
    'run our kit there',
    ['We run our', 'kit there now.'],
  ],
  [
    'more words: those that are in the second stay there',
    'the [off\nkit here] now',
    'our new Kit, here',
    ['the our new', 'Kit, here now'],
  ],
  [
    'fewer words: they go to the first',
    'We [use off\nkit] now.',
    'AuthKit',
    ['We AuthKit', 'now.'],
  ],
  ['fewer words, none of them before the phrase', '[off\nkit] now', 'AuthKit', ['AuthKit', 'now']],
  ['nothing is left of the second', 'We [use off\nkit]', 'AuthKit', ['We', 'AuthKit']],
  [
    'the punctuation after it goes with its words, and what follows stays',
    'We [use off\nkit]. (Then go)',
    'run AuthKit',
    ['We run AuthKit.', '(Then go)'],
  ],
  ['the last word is all there is', '[off\nkit]', 'kit', ['kit']],
  ['nothing is left of either', '[off\nkit]', 'AuthKit', ['AuthKit']],
])('%s', (_, marked, wanted, texts) => {
  expect(replaced(marked, wanted)).toEqual(texts);
});
