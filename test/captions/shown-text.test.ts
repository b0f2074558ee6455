/** The text of a provider as captions show it. */
import { expect, test } from 'bun:test';
import { shownText } from '../../server/captions/shown-text.ts';

const INVISIBLE = '\u0000\u000b\u001f\u007f\u009f\u200b\u2060\ufeff\uffff\u202a\u202e\u2066\u2069';

test.each([...INVISIBLE])('%j is not shown', (character) => {
  expect(shownText(`a${character}b`)).toBe('ab');
});

test.each([
  ['white space at the edges', ' \n a b\t', 'a b'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
  ['an arrow', 'a-->b', 'a→b'],
  ['an arrow with an invisible character in it', 'a-\u200b->b', 'a→b'],
  ['what is no text', 12, ''],
])('%s: %j', (_, text, shown) => {
  expect(shownText(text)).toBe(shown);
});

test.each(['a\u200eb', 'a\u200fb', 'a\u2028b', 'na\u00efve\u2014so'])('%j is shown', (text) => {
  expect(shownText(text)).toBe(text);
});
