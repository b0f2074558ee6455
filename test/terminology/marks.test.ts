/** Terms and punctuation: a term ends at a full stop or a comma, unless its letters are spelled out. */
import { describe, expect, test } from 'bun:test';
import { audit, corrected, wordsOf } from './support.ts';

/** All confidence thresholds that a run may use, starting with “accept everything”. */
const BOUNDS = [0, 0.5, 0.85, 1];
/** Contexts for SSO and D1; without one, fewer matches are accepted anyway. */
const CONTEXT = [
  '',
  ' SAML, SCIM and OIDC are near. ',
  ' The SQL database of Cloudflare Workers. ',
];

describe('no term extends across punctuation, at any confidence, not even for review', () => {
  test.each([
    'We have a length of s. So we add one more.',
    'a length of s. So we add',
    'in terms of s, so that',
    'is D, one of',
    'The answer is D, one of them.',
    'That is plan A. I think so.',
    'a length of S. So we add',
    'in terms of S, so that',
    'this is grade D. One of them',
    'is it s? So we add',
    'in terms of s; so that',
    'a length of s... So we add',
    'a length of s – so we add',
  ])('%s', async (text) => {
    for (const context of CONTEXT) {
      const words = wordsOf(`${context}${text}${context}`);
      for (const minConfidence of BOUNDS) {
        const { corrections } = await audit(words, { minConfidence });
        expect(corrections).toEqual([]);
      }
    }
  });

  test('the same words without the mark are the term', async () => {
    expect(await corrected('SAML and s so for SCIM')).toBe('SAML and SSO for SCIM');
    expect(await corrected('the Cloudflare Workers database D one')).toBe(
      'the Cloudflare Workers database D1',
    );
  });
});

describe('the marks of spelled letters belong to them', () => {
  test.each([
    ['we use S. S. O. and SAML', 'we use SSO and SAML'],
    ['we use S, S, O and SAML', 'we use SSO and SAML'],
    ['S. S. O.', 'SSO.'],
    ['the login is S. S. O. for all', 'the login is SSO for all'],
    ['We use s. s. o. for SCIM.', 'We use SSO for SCIM.'],
    ['We sign in with S. S. O. Then we use SAML.', 'We sign in with SSO. Then we use SAML.'],
    ['an M. C. P. server for all', 'an MCP server for all'],
  ])('%s', async (heard, read) => {
    expect(await corrected(heard)).toBe(read);
  });
});

describe('sound-alikes', () => {
  test('include the whole phrase with its spelled letters', async () => {
    const { corrections } = await audit(wordsOf('We use streamible h t t p for MCP.'));
    expect(corrections.map(({ before, after }) => [before, after])).toEqual([
      ['streamible h t t p', 'Streamable HTTP'],
    ]);
  });

  test.each([
    'It works with SCIM and SSO, and AuthKit works with SAML.',
    'It works.',
    'This works for WorkOS and AuthKit.',
    'He works at WorkOS, and this works well.',
    'Works for me, said the one who works on SSO.',
    'That is how it works: WorkOS works, SCIM works.',
    'In the works: a new AuthKit.',
  ])('"works" is not WorkOS: %s', async (text) => {
    for (const minConfidence of BOUNDS) {
      expect((await audit(wordsOf(text), { minConfidence })).corrections).toEqual([]);
    }
  });
});
