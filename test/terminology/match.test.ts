import { describe, expect, test } from 'bun:test';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { audit, corrected, everyTerm, wordsOf } from './support.ts';
import { term } from './made-terms.ts';

describe('corrected', () => {
  test.each([
    // Listed mishears: merged and split words, in any position.
    ['We use off kit for this.', 'We use AuthKit for this.'],
    ["I like work os's, really", "I like WorkOS's, really"],
    ['cloud flare workers and durable abjects', 'Cloudflare Workers and Durable Objects'],
    ['(sammel)', '(SAML)'],
    ['“cloud code” is out', '“Claude Code” is out'],
    // The longest match first, and matches that one correction makes possible.
    ['the m c p night talk', 'the MCP Night talk'],
    ['one m c p sever here', 'one MCP server here'],
    // Spelled letters.
    ['we are a S.L.A. company', 'we are a SLA company'],
    ['an S, S, O login', 'an SSO login'],
    // Case and spacing of the term itself.
    ['authkit', 'AuthKit'],
    ['Authkit!', 'AuthKit!'],
    ['AUTHKIT', 'AuthKit'],
    ['json rpc and jsonrpc', 'JSON-RPC and JSON-RPC'],
    ['oauth 2.1 and oauth', 'OAuth 2.1 and OAuth'],
    ['directorysync of workos', 'Directory Sync of WorkOS'],
    ['san fransisco', 'San Francisco'],
    // Possessives and plurals are kept.
    ["cloudflare's and open ai’s", "Cloudflare's and OpenAI’s"],
    ['many mcps and two kvs', 'many MCPs and two KVs'],
    ['all pass keys', 'all passkeys'],
    ['three mcp clients', 'three MCP clients'],
    ["embedding's", 'embeddings'],
    // Parts of a compound, whose rest stays.
    ['an mcp-based flow', 'an MCP-based flow'],
    ['non-oauth and saml/oidc', 'non-OAuth and SAML/OIDC'],
    ['non‑oauth', 'non‑OAuth'],
    ['an mcp-server author', 'an MCP-server author'],
    ['a pass-keys talk', 'a passkeys talk'],
    ['open ai-based', 'OpenAI-based'],
    ["(pre-mcp's)", "(pre-MCP's)"],
    // The start of a sentence.
    ['Good. Pass keys work.', 'Good. Passkeys work.'],
    ['these Pass Keys work', 'these passkeys work'],
  ])('%s → %s', async (heard, expected) => {
    expect(await corrected(heard)).toBe(expected);
  });
});

describe('unchanged', () => {
  test.each([
    // Ordinary words that are also names or mishears.
    'move the cursor on the radar and close all widgets',
    'a snowflake fell at the turnstile',
    'the way in which it’s done',
    'a wealth of samples, both are two of a kind',
    'in october we skim the studio',
    'the rag is in the sauce',
    // They stay even next to a word that permits them: a person decides that.
    'skim the directory over the studio transport',
    // Accepted forms.
    'LLMs and JWTs for passkeys with multitenant SF',
    'The identity provider supports multi-tenancy',
    'MCP-server authors',
    // Sentence ends, commas and speaker changes separate words.
    'I turned it off. Kit is here',
    'turn it off, kit',
    'turn it off | kit is here',
    // Parts of words.
    'an off-kit-like thing',
    'the kits are off',
    // No words at all.
    '— … ?!',
    '',
  ])('%s', async (text) => {
    expect(await corrected(text)).toBe(text.replaceAll('| ', ''));
  });
});

describe('evidence', () => {
  const find = (text: string, given = {}) =>
    createMatcher(everyTerm(given)).survey(wordsOf(text)).matches;

  test('a risky mishear needs a near word within twelve tokens', () => {
    const gap = (words: number) => `pixie ${'so '.repeat(words)}verifier`;
    expect(find('a pixie')).toEqual([]);
    expect(find(gap(11))).toMatchObject([{ evidence: 'risky', confidence: 0.8, surface: 'pixie' }]);
    expect(find(gap(12))).toEqual([]);
    expect(find(`verifier ${'so '.repeat(11)}pixie`)).toHaveLength(1);
  });

  test('a phrase of ordinary words is a name near a term of its pack', () => {
    expect(find('these audit logs')).toMatchObject([{ confidence: 0.75 }]);
    expect(find('these WorkOS audit logs')).toMatchObject([
      { confidence: 0.9, replacement: 'Audit Logs', evidence: 'capitalization' },
    ]);
  });

  test('excluded terms are never inserted', () => {
    expect(find('authkit and off kit', { exclude: ['AUTHKIT'] })).toEqual([]);
  });

  test('no two matches overlap, and all are in order', () => {
    const matches = find('off kit off kit m c p server m c p cloud flare workers ai json rpc');
    for (const [at, match] of matches.entries()) {
      expect(match.firstWord).toBeGreaterThan(matches[at - 1]?.lastWord ?? -1);
    }
    expect(matches.length).toBeGreaterThan(5);
  });
});

test('in German only non-German words are corrected', async () => {
  const heard = 'die rader und octa mit off kit und authkit';
  expect(await corrected(heard, { language: 'de' })).toBe(
    'die rader und octa mit AuthKit und AuthKit',
  );
});

describe('terms of the request', () => {
  const own = everyTerm({
    glossary: ['FaceTime', 'Kubernetes', 'Linear', 'Grace Hopper', 'REST', 'C++', '.NET', 'José'],
    include: ['Auth Kit', 'Samuel', 'GraphQL', 'NATO'],
  });
  test.each([
    ['kubernetes and graphql', 'Kubernetes and GraphQL'],
    ['grace hopper met jose', 'Grace Hopper met José'],
    ['Face Time with c++, not c', 'FaceTime with C++, not c'],
    ['n a t o', 'NATO'],
    // Ordinary English stays unchanged.
    [
      'a linear rest on the net in the linked face time',
      'a linear rest on the net in the linked face time',
    ],
    // The request's spelling and names take precedence over a pack's.
    ['authkit and Auth Kit and samuel of saml', 'Auth Kit and Auth Kit and Samuel of SAML'],
  ])('%s → %s', async (heard, expected) => {
    expect(await corrected(heard, { terms: own })).toBe(expected);
  });

  test('have the category of the error', async () => {
    const { corrections } = await audit(wordsOf('graphql by Face Time'), { terms: own });
    expect(corrections.map(({ category }) => category)).toEqual([
      'capitalization',
      'spacing_punctuation',
    ]);
  });
});

test.each([
  ['en', true],
  ['EN-gb', true],
  [undefined, true],
  ['enm', false],
  ['de-EN', false],
])('speech in %s is English: %p', (language, english) => {
  const matcher = createMatcher([], language === undefined ? {} : { language });
  expect(matcher.survey([]).english).toBe(english);
});

test('an accepted form is a place where the term is right', () => {
  const terms = [term('Kubernetes', { aliases: ['kube'] })];
  const { matches, right } = createMatcher(terms).survey(wordsOf('we use kube here'));
  expect(matches).toEqual([]);
  expect(right).toEqual([{ first: 2, last: 2, term: terms[0]! }]);
});
