/** Replacing a term in a text, with its punctuation. */
import { describe, expect, test } from 'bun:test';
import { tokensOf } from '../../server/terminology/packs/keyterm-tokens.ts';
import { isFunctionWord, isOrdinaryWord } from '../../server/terminology/match/ordinary-words.ts';
import { replacementFor, spanIsBroken } from '../../server/terminology/match/replace.ts';
import { wordsOf } from './support.ts';

/** The replacement of a span, which is marked by `*`. */
function becomes(text: string, canonical: string, suffix: '' | "'s" | 's' = ''): string {
  const parts = text.split('*');
  const [before = '', span = ''] = parts;
  const words = wordsOf(parts.join(' '));
  const firstWord = wordsOf(before).length;
  const lastWord = firstWord + wordsOf(span).length - 1;
  return replacementFor(words, { firstWord, lastWord, canonical, suffix, head: '', tail: '' })
    .replacement;
}

describe('a replacement', () => {
  test.each([
    // The full stop of the last letter is removed if the sentence continues, and stays if it may
    // end.
    ['the *S. L. A.* says', 'SLA', '', 'SLA'],
    ['the *S. L. A.* Then', 'SLA', '', 'SLA.'],
    ['the *S. L. A.*', 'SLA', '', 'SLA.'],
    ['the *S. L. A.* iPhone', 'SLA', '', 'SLA'],
    ['the *off kit.* and', 'AuthKit', '', 'AuthKit.'],
    // Punctuation and endings stay.
    ['*(off kit,* yes', 'AuthKit', '', '(AuthKit,'],
    ['the *“off kit”* is', 'AuthKit', '', '“AuthKit”'],
    ["*off kit's* page", 'AuthKit', "'s", "AuthKit's"],
    ['*off kit’s* page', 'AuthKit', "'s", 'AuthKit’s'],
    ['two *off kits* here', 'AuthKit', 's', 'AuthKits'],
    // Hyphens between the same words stay, others do not.
    ['an *mcp-server* author', 'MCP server', '', 'MCP-server'],
    ['an *emcee-pee* author', 'MCP server', '', 'MCP server'],
    // A term without capitals is capitalised only where the original was because of its sentence.
    ['*Pixie* flow', 'passkey', '', 'Passkey'],
    ['It ends. *Pixie* flow', 'passkey', '', 'Passkey'],
    ['the *Pixie* flow', 'passkey', '', 'passkey'],
    ['It ends. *pixie* flow', 'passkey', '', 'passkey'],
    ['*Pixie* flow', 'pKCE', '', 'pKCE'],
    ['*iPixie* flow', 'passkey', '', 'passkey'],
  ] as const)('%s with %s%s: %s', (text, canonical, suffix, expected) => {
    expect(becomes(text, canonical, suffix)).toBe(expected);
  });
});

test.each([
  ['non-mcp-servers now', 'non-', '-servers', 'MCP', '', 'mcp', 'non-MCP-servers'],
  ['Pre-pixie flow', 'Pre-', '', 'passkey', '', 'pixie', 'Pre-passkey'],
  ['Pixie-based flow', '', '-based', 'passkey', '', 'Pixie', 'Passkey-based'],
  ["non-mcp's now", 'non-', '', 'MCP', "'s", "mcp's", "non-MCP's"],
] as const)(
  'in %j, what surrounds a term stays',
  (text, head, tail, canonical, suffix, heard, to) => {
    const span = { firstWord: 0, lastWord: 0, canonical, suffix, head, tail };
    const made = replacementFor(wordsOf(text), span);
    expect(made).toEqual({ text: text.split(' ')[0]!, heard, replacement: to });
  },
);

describe('boundaries that a term does not cross', () => {
  const broken = (text: string) => {
    const words = wordsOf(text);
    return spanIsBroken(words, 0, words.length - 1);
  };
  test.each([
    ['off kit', false],
    ['off | kit', true],
    ['off. kit', true],
    ['off, kit', true],
    ['off “kit”', true],
    ['off - kit', false],
    ['off – kit', true],
    ["off' kit", false],
    ['M, C, P', false],
    ['S. S. O.', false],
    ['A. I. is', false],
    ['A. I is', true],
    ['A, I. is', true],
    ['a. I', true],
    ['M. C. P. server', false],
    ['M, C, P, server', true],
    ['my. C. P.', true],
    ['M. my. P.', true],
    ['M; C; P', true],
    ['M.) C.) P.)', true],
    ['A. I', true],
    ['A. I.', false],
    ['off -', false],
    ['off “', false],
  ])('%s: %p', (text, expected) => {
    expect(broken(text)).toBe(expected);
  });

  test('letters after the span do not count', () => {
    expect(spanIsBroken(wordsOf('A, B C'), 0, 1)).toBe(true);
    expect(spanIsBroken(wordsOf('A, B C'), 0, 2)).toBe(false);
    expect(spanIsBroken(wordsOf('X A, B.'), 1, 2)).toBe(false);
  });
});

test.each([
  ['', 1],
  ['a', 1],
  ['abc', 2],
  ['zzzzzzzzzz', 4],
  ['{{{{{{{{{{', 8],
  ['AAAAA', 4],
  ['9999999999', 8],
  ['          ', 1],
  ['😀', 4],
  ['😀😀', 8],
])('%p takes %d tokens', (term, tokens) => {
  expect(tokensOf(term)).toBe(tokens);
});

test('ordinary words include their plurals and possessives', () => {
  for (const word of ['cursor', 'cursors', "cursor's", "cursors'", 'sandbox', 'colour', 'color']) {
    expect([word, isOrdinaryWord(word)]).toEqual([word, true]);
  }
  for (const word of ['workos', 'authkit', "workos's", '', 'zzzz']) {
    expect([word, isOrdinaryWord(word)]).toEqual([word, false]);
  }
  expect([isFunctionWord('the'), isFunctionWord("you're"), isFunctionWord('server')]).toEqual([
    true,
    true,
    false,
  ]);
});
