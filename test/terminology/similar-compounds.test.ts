/** Terms of several words of which one was misheard: their places, and how alike the word must be. */
import { expect, test } from 'bun:test';
import { compoundsAt, indexCompounds } from '../../server/terminology/match/compounds.ts';
import { readTokens } from '../../server/terminology/match/token-stream.ts';
import { term } from './made-terms.ts';
import { wordsOf } from './support.ts';

/** The findings in a text: first and last token, the token that differs, and its correction. */
const found = (names: string[], text: string) => {
  const index = indexCompounds(names.map((name) => term(name)));
  const stream = readTokens(wordsOf(text));
  return stream.tokens.flatMap((_, at) =>
    compoundsAt(index, stream, at).map(({ first, last, other, part }) => [
      first,
      last,
      other,
      part,
    ]),
  );
};

test.each<[string, string[], string, unknown[]]>([
  ['the second word', ['Zorbix Tunnel'], 'a zorbix tonnel', [[1, 2, 2, 'Tunnel']]],
  ['the first word', ['Tunnel Zorbix'], 'a tonnel zorbix', [[1, 2, 1, 'Tunnel']]],
  ['the middle word', ['Zorbix Tunnel Kuvex'], 'zorbix tonnel kuvex', [[0, 2, 1, 'Tunnel']]],
  ['a word beside letters', ['Tunnel HTTP'], 'a tonnel h t t p', [[1, 5, 1, 'Tunnel']]],
  ['a word beside five letters', ['Tunnel HTTPS'], 'a tonnel h t t p s', [[1, 6, 1, 'Tunnel']]],
  ['a word beside six letters', ['Tunnel HTTPSX'], 'a tonnel h t t p s x', []],
  ['a word after letters', ['HTTP Tunnel'], 'a h t t p tonnel', [[1, 5, 5, 'Tunnel']]],
  [
    'a word of one of two terms',
    ['Zorbix Copper', 'Zorbix Tunnel'],
    'zorbix tonnel',
    [[0, 1, 1, 'Tunnel']],
  ],
  [
    'the likelier of two',
    ['Zorbix Tunnels', 'Zorbix Tunnel'],
    'zorbix tonnel',
    [[0, 1, 1, 'Tunnel']],
  ],
  [
    'the likelier of two, in other order',
    ['Zorbix Tunnel', 'Zorbix Tunnels'],
    'zorbix tonnel',
    [[0, 1, 1, 'Tunnel']],
  ],
  ['a term with a hyphen', ['Zorbix-Tunnel'], 'zorbix tonnel', [[0, 1, 1, 'Tunnel']]],
  // Half alike is enough beside two words, not beside one.
  [
    'little similarity beside two',
    ['Zorbix Target Kuvex'],
    'zorbix jacket kuvex',
    [[0, 2, 1, 'Target']],
  ],
  ['little similarity beside one', ['Zorbix Target'], 'zorbix rocket', []],
  ['two wrong words', ['Zorbix Tunnel Kuvex'], 'zorbix tonnel kuve', []],
  ['no wrong word', ['Zorbix Tunnel'], 'zorbix tunnel', []],
  ['another form of the word', ['Zorbix Tunnel'], 'zorbix tunnels', []],
  ['a function word', ['Zorbix Then'], 'zorbix than', []],
  ['a short word', ['Zorbix Tun'], 'zorbix tu', []],
  ['a short word beside two', ['Zorbix Tun Kuvex'], 'zorbix tu kuvex', []],
  ['the start of the talk', ['Tunnel Zorbix'], 'zorbix', []],
  ['the end of the talk', ['Zorbix Tunnel'], 'zorbix', []],
  ['a part of a word', ['Zorbix Tunnel'], 'zorbix tonnel-based', []],
  ['one word', ['Tunnel'], 'tonnel', []],
  ['six words', ['Zorbix Tunnel a b c d'], 'zorbix tonnel a b c d', []],
  ['only function words in common', ['The Tunnel'], 'the tonnel', []],
])('%s: %j in %j', (_, names, text, expected) => {
  expect(found(names, text)).toEqual(expected as never);
});

test('of the terms with one word, the first 64 are tried', () => {
  const names = (before: number) => [
    ...Array.from({ length: before }, (_, at) => `Zorbix X${at}x`),
    'Zorbix Tunnel',
  ];
  expect(found(names(63), 'zorbix tonnel')).toHaveLength(1);
  expect(found(names(64), 'zorbix tonnel')).toEqual([]);
});
