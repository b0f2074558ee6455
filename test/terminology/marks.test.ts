/** Terms and the marks between words: a term ends at a full stop and a comma, but for letters that are spelled out. */
import { describe, expect, test } from 'bun:test';
import { audit, corrected, wordsOf } from './support.ts';

describe('no term reaches over a mark', () => {
  test.each([
    'We have a length of s. So we add more SAML here.',
    'In terms of s, so that SAML works.',
    'A schema is D, one of the tables in Cloudflare.',
    'That is plan A. I think so, says the LLM.',
  ])('%s', async (text) => {
    expect((await audit(wordsOf(text))).corrections).toEqual([]);
  });
});

describe('the marks of spelled letters are their own', () => {
  test.each([
    ['we use S. S. O. and SAML', 'we use SSO and SAML'],
    ['we use S, S, O and SAML', 'we use SSO and SAML'],
    ['an M. C. P. server for all', 'an MCP server for all'],
  ])('%s', async (heard, read) => {
    expect(await corrected(heard)).toBe(read);
  });
});

describe('sound-alikes', () => {
  test('cover the whole phrase, its spelled letters too', async () => {
    const { corrections } = await audit(wordsOf('We use streamible h t t p for MCP.'));
    expect(corrections.map(({ before, after }) => [before, after])).toEqual([
      ['streamible h t t p', 'Streamable HTTP'],
    ]);
  });

  test('"works" is no WorkOS, in whatever company', async () => {
    const text = 'It works with SCIM and SSO, and AuthKit works with SAML.';
    expect((await audit(wordsOf(text))).corrections).toEqual([]);
  });
});
