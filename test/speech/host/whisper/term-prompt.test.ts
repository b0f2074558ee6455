/** Key terms in Whisper's prompt, as tokens. */
import { expect, test } from 'bun:test';
import { createTokenizer, promptTokens } from '../../../../server/whisper/terms/term-prompt.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All single bytes, and some longer tokens; a lower number was joined earlier. */
const vocabulary = [
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  ...['th', 'he', ' t', 'the', ' th', ' the', ' K', 'it', ' Kit'].map(bytesOf),
];
const textOf = (ids: readonly number[]): string =>
  new TextDecoder().decode(Uint8Array.from(ids.flatMap((id) => [...vocabulary[id]!])));

test('the pair with the lowest number is joined first', () => {
  const tokens = createTokenizer(vocabulary);
  // "th" comes before " t", so " the" is " " + "the" and then one token.
  expect(tokens('the the Kit')).toEqual([259, 261, 264]);
});

test('every text can be restored from its tokens', () => {
  const tokens = createTokenizer(vocabulary);
  for (const text of [" AuthKit's 42, ok?", ' Zürich  日本', ' a\n b '])
    expect(textOf(tokens(text))).toBe(text);
});

test('the best terms come last, and those beyond the limit are omitted', () => {
  const terms = ['First', ...Array.from({ length: 200 }, (_, at) => `Term number ${at}`)];
  const text = textOf(promptTokens(terms, createTokenizer(vocabulary)));
  expect(text).toEndWith(', First.');
  expect(text).not.toContain('number 199');
  expect(promptTokens([], createTokenizer(vocabulary))).toEqual([]);
});
