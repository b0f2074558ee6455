/** The places where a term has a wrong form. */
import { describe, expect, test } from 'bun:test';
import { array, assert, property, stringMatching } from 'fast-check';
import {
  createMatcher,
  leastConfidence,
  indexSurfaces,
  supportedFindings,
} from '../../server/terminology/match/match.ts';
import {
  applyCorrections,
  audit,
  corrected,
  everyTerm,
  request,
  textOf,
  wordsOf,
} from './support.ts';
import { surface, term } from './made-terms.ts';
import {
  type Surface,
  surfacesOf,
  type VariantForm,
  variantsOf,
} from '../../server/terminology/match/surfaces.ts';
import { compactKey, phraseKey } from '../../server/terminology/match/normalize.ts';
import {
  type ActiveTerm,
  compileTerminology,
  type OwnTerm,
  type OwnTerms,
} from '../../server/terminology/packs/compile.ts';
import { readTokens, surroundingsOf } from '../../server/terminology/match/token-stream.ts';
import { isCommonWord, isOrdinaryWord } from '../../server/terminology/match/ordinary-words.ts';
import { replacementFor, spanIsBroken } from '../../server/terminology/match/replace.ts';
import { judge } from '../../server/terminology/match/judge.ts';
import { type Found, type Match } from '../../server/terminology/match/findings.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import { similarityOf } from '../../server/terminology/match/similarity.ts';
import { isEnglishCompound } from '../../server/terminology/match/english-words.ts';

describe('match', () => {
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
      expect(find(gap(11))).toMatchObject([
        { evidence: 'risky', confidence: 0.8, surface: 'pixie' },
      ]);
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
});

describe('the forms of a term', () => {
  test.each([
    ['Windows 95', 'phrase'],
    ['Windows NT', 'sure'],
    ['Cursor', 'ordinary'],
    ['WorkOS', 'sure'],
    ['Zero Trust', 'phrase'],
    ['Model Context Protocol', 'sure'],
    ['fine-tuning', 'caseless'],
    ['R', 'caseless'],
  ])('the letters of %s are those of the term: %s', (canonical, distinctness) => {
    expect(surfacesOf(term(canonical), true)[0]).toMatchObject({ form: 'canonical', distinctness });
  });

  test.each([
    ['Work Flow', 'workflow', false],
    ['Work Ozz', 'workozz', true],
  ])(
    'the joined words of %s are a form of it, unless they are an ordinary word',
    (name, key, is) => {
      expect(surfacesOf(term(name), true).some((each) => each.key === key)).toBe(is);
    },
  );

  test.each([
    [
      'an accepted form',
      term('Zorb', { aliases: ['kuvex'] }),
      term('Melv', { mishears: ['kuvex'] }),
    ],
    ['a listed mishearing', term('Zorb', { mishears: ['kuvex'] }), term('Kuv Ex')],
    ['digits that are spoken', term('Kuvex2'), term('Kuvextwo')],
  ])('of two terms with the same form, %s wins, whatever their rank', (_, wins, loses) => {
    const key = wins.canonical === 'Kuvex2' ? 'kuvex two' : 'kuvex';
    for (const terms of [
      [wins, loses],
      [loses, wins],
    ]) {
      expect(indexSurfaces(terms, true).byKey.get(key)?.term).toBe(wins);
    }
  });
});

describe('variants', () => {
  const keys = (canonical: string, form: VariantForm): string[] =>
    variantsOf(canonical).flatMap((variant) => (variant.form === form ? variant.key : []));

  describe('forms', () => {
    test.each<[string, VariantForm, string[]]>([
      ['JSON-RPC', 'joined', ['jsonrpc']],
      ['AuthKit', 'split', ['auth kit']],
      ['OAuth', 'split', ['o auth']],
      ['FGA', 'spelled', ['f g a']],
      ['MCP', 'pieces', ['m cp', 'mc p']],
      ['Go', 'pieces', []],
      ['Internationalizations2026', 'pieces', ['internationalizations 2026']],
      ['OAuth 2.1', 'spoken', ['oauth two point one', 'oauth two dot one', 'oauth 2 point 1']],
      ['FIDO2', 'spoken', ['fido two']],
      ['SOC 42', 'spoken', ['soc forty two']],
      ['SOC 19', 'spoken', ['soc nineteen']],
      ['SOC 20', 'spoken', ['soc twenty']],
      ['SOC 99', 'spoken', ['soc ninety nine']],
      ['SOC 100', 'spoken', []],
      ['ISO 27001', 'spoken', []],
      ['R2', 'pieces', ['r 2']],
      ['SaaS', 'spelled', ['s a a s']],
      ['OpenID Connect', 'spelled', ['open i d connect']],
      ['Workers AI', 'spelled', ['workers a i']],
      ['Zorb HTTPS', 'spelled', ['zorb h t t p s']],
      ['HTTPSX', 'spelled', []],
      ['JWT', 'spelled', ['j w t', 'j double u t']],
      ['WWF', 'spelled', ['w w f', 'double u double u f']],
      ['AWS WAF', 'spelled', ['a w s w a f']],
      ['Anthropic', 'spelled', []],
    ])('%s %s: %p', (canonical, form, expected) => {
      expect(keys(canonical, form)).toEqual(expected);
    });

    test('none equals the term, and all but the spoken ones have its letters', () => {
      const word = stringMatching(/^[A-Za-z][A-Za-z0-9]{0,9}$/);
      assert(
        property(array(word, { minLength: 1, maxLength: 4 }), (words) => {
          const canonical = words.join(' ');
          for (const { key, form } of variantsOf(canonical)) {
            expect(key).not.toBe(phraseKey(canonical));
            if (form !== 'spoken') {
              expect(compactKey(key.replaceAll('double u', 'w'))).toBe(compactKey(canonical));
            }
          }
        }),
      );
    });
  });

  describe('in speech', () => {
    test.each([
      ['an o auth two point one flow', 'an OAuth 2.1 flow'],
      ['fido two and auth zero', 'FIDO2 and Auth0'],
      ['an o auth 2 point 1 flow', 'an OAuth 2.1 flow'],
      ['a j double u t from the double u a f', 'a JWT from the WAF'],
      ['the letter double u', 'the letter double u'],
      ['the mc p and the g dpr', 'the MCP and the GDPR'],
      ['with id p and oid c', 'with IdP and OIDC'],
      // Ordinary words are left for a person to check.
      ['a turns tile', 'a Turnstile'],
      ['in the wid gets', 'in the Widgets'],
      ['Mr R said so', 'Mr R said so'],
    ])('%s → %s', async (heard, expected) => {
      expect(await corrected(heard)).toBe(expected);
    });
  });
});

describe('the token stream of a transcript, the surroundings of a span in it, words near it, and its context', () => {
  const stream = (text: string) => readTokens(wordsOf(text));

  test('the confidence in a span is that of its names, or of its function words if there are no others', () => {
    const words = [0.3, 0.9, 0.2].map((confidence, at) => ({
      ...wordsOf('to scim the')[at]!,
      confidence,
    }));
    expect(leastConfidence(words, 0, 2)).toBe(0.9);
    expect(leastConfidence(words, 0, 0)).toBe(0.3);
    const names = [0.9, 0.4].map((confidence, at) => ({
      ...wordsOf('scim okta')[at]!,
      confidence,
    }));
    expect(leastConfidence(names, 0, 1)).toBe(0.4);
    expect(leastConfidence(wordsOf('to scim'), 0, 1)).toBe(1);
  });

  test('a word of more than 400 characters is one token that nothing resembles', () => {
    expect(stream(`a ${'x'.repeat(400)} b`).tokens).toEqual(['a', 'x'.repeat(400), 'b']);
    expect(stream(`a ${'x'.repeat(401)} b`).tokens).toEqual(['a', '\u0000', 'b']);
  });

  test.each<[string, [number, number], unknown]>([
    ['we use mcp here', [2, 2], { head: '', tail: '' }],
    ['a non-mcp-based tool', [2, 2], { head: 'non-', tail: '-based' }],
    ['a non-mcp-based tool', [1, 2], { head: '', tail: '-based' }],
    ['a non-mcp-based tool', [2, 3], { head: 'non-', tail: '' }],
    ['(pre-off kit/like)', [1, 2], { head: 'pre-', tail: '/like' }],
    // The letters are no parts that a joint separates.
    ['the S.L.A-based plan', [1, 2], null],
    ['the S.L.A-based plan', [2, 4], null],
    ['the S.L.A. plan', [1, 3], { head: '', tail: '' }],
    // An accent alone is a part, but no token.
    ['the mcp-\u0301-based plan', [1, 1], null],
  ])('around a span of %j, tokens %j: %o', (text, [first, last], expected) => {
    const around: unknown = surroundingsOf(stream(text), first, last);
    expect(around).toEqual(expected);
  });
});

describe('replacing a term in a text, with its punctuation', () => {
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
  });
});

describe('terms and punctuation', () => {
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
});

describe('the hyphen of a term without capitals is added if its words can mean nothing else', () => {
  const terms = everyTerm({ glossary: ['check-in', 'long-running'] });
  const changes = async (text: string) => {
    const { corrections } = await audit(wordsOf(text), { terms });
    return corrections.map(({ before, after, decision }) => `${before} → ${after}, ${decision}`);
  };

  test.each([
    ['We do fine tuning here.', 'fine tuning → fine-tuning'],
    ['Fine tuning is hard.', 'Fine tuning → Fine-tuning'],
    ['They sell multi tenant apps.', 'multi tenant → multi-tenant'],
    ['It is a single sign on flow.', 'single sign on → single sign-on'],
    ['A long running job ends.', 'long running → long-running'],
  ])('%s', async (text, change) => {
    expect(await changes(text)).toEqual([`${change}, accepted`]);
  });
});

describe('the evidence that a form is its term, in tables', () => {
  describe('a form is judged', () => {
    const judged = (
      key: string,
      more: Partial<Surface>,
      { heard = key, isNear = false, sure = 1, name = 'Okta', ...of }: Given = {},
    ) => {
      const found = judge(surface(key, more), heard, term(name, of), {
        near: () => (isNear ? 'login' : null),
        confidence: sure,
      });
      return found && [found.evidence, found.confidence];
    };
    interface Given extends Partial<ActiveTerm> {
      heard?: string;
      isNear?: boolean;
      sure?: number;
      name?: string;
    }
    const risky: Partial<Surface> = { form: 'mishear', risky: true };
    const ordinary: Partial<Surface> = { distinctness: 'ordinary' };

    test.each<[string, string, Partial<Surface>, Given, unknown]>([
      ['a mishear', 'octa', { form: 'mishear' }, {}, ['mishear', 0.97]],
      ['other capitals', 'okta', {}, {}, ['capitalization', 0.96]],
      ['an ending', 'okta', {}, { heard: "okta's" }, ['capitalization', 0.96]],
      ['other hyphens', 'fine grained', {}, { name: 'Fine-Grained' }, ['spacing', 0.95]],
      // A risky mishear needs a near word, or doubt and the subject of the talk.
      ['a risky mishear', 'skim', risky, {}, null],
      ['a risky mishear near a word', 'skim', risky, { isNear: true }, ['risky', 0.8]],
      ['doubted near a word', 'skim', risky, { isNear: true, sure: 0.64 }, ['risky', 0.88]],
      ['hardly doubted', 'skim', risky, { isNear: true, sure: 0.65 }, ['risky', 0.8]],
      ['a frequent word doubted', 'people', risky, { isNear: true, sure: 0.34 }, ['risky', 0.88]],
      ['hardly', 'people', risky, { isNear: true, sure: 0.35 }, ['risky', 0.8]],
      [
        'a frequent word and another',
        'skim people',
        risky,
        { isNear: true, sure: 0.64 },
        ['risky', 0.88],
      ],
      ['doubted elsewhere', 'skim', risky, { sure: 0.49 }, ['risky', 0]],
      ['hardly doubted elsewhere', 'skim', risky, { sure: 0.5 }, null],
      ['a frequent word doubted elsewhere', 'people', risky, { sure: 0.24 }, ['risky', 0]],
      ['hardly doubted', 'people', risky, { sure: 0.25 }, null],
      ['confirmed', 'skim', risky, { isNear: true, confirmed: ['skim'] }, ['risky', 0.9]],
      ['another confirmed', 'skim', risky, { isNear: true, confirmed: ['x'] }, ['risky', 0.8]],
      // Ordinary words that are the term itself.
      ['a word', 'linear', ordinary, {}, null],
      ['a word near another', 'linear', ordinary, { isNear: true }, ['risky', 0.8]],
      [
        'written as a name',
        'hyperdrive',
        ordinary,
        { heard: 'HyperDrive', name: 'Hyperdrive' },
        ['capitalization', 0.96],
      ],
      ['a word in doubt', 'forfeit', ordinary, { sure: 0.74 }, ['risky', 0]],
      ['hardly in doubt', 'forfeit', ordinary, { sure: 0.75 }, null],
      ['a frequent word in doubt', 'rest', ordinary, { sure: 0.49 }, ['risky', 0]],
      [
        'confirmed, but no mishear',
        'linear',
        ordinary,
        { isNear: true, confirmed: ['linear'] },
        ['risky', 0.8],
      ],
      // Phrases of ordinary words.
      [
        'a phrase',
        'audit logs',
        { distinctness: 'phrase' },
        { name: 'Audit Logs' },
        ['capitalization', 0.75],
      ],
      [
        'near a word',
        'audit logs',
        { distinctness: 'phrase' },
        { name: 'Audit Logs', isNear: true },
        ['capitalization', 0.9],
      ],
      [
        'with a hyphen',
        'audit logs',
        { distinctness: 'phrase' },
        { name: 'Audit-Logs' },
        ['spacing', 0.75],
      ],
      // A letter next to a short word may be just that.
      ['a loose letter', 's so', { form: 'spelled' }, { name: 'SSO' }, ['spacing', 0.75]],
      ['near a word', 's so', { form: 'spelled' }, { name: 'SSO', isNear: true }, ['spacing', 0.9]],
      ['a listed one', 'r two', { form: 'mishear' }, { name: 'R2' }, ['mishear', 0.75]],
      [
        'a listed one near a word',
        'r two',
        { form: 'mishear' },
        { name: 'R2', isNear: true },
        ['mishear', 0.9],
      ],
      ['a longer word', 's sold', { form: 'mishear' }, { name: 'SSO' }, ['mishear', 0.97]],
      ['no word', 'mc p', { form: 'mishear' }, { name: 'MCP' }, ['mishear', 0.97]],
      ['three letters', 's s o', { form: 'mishear' }, { name: 'SSO' }, ['mishear', 0.97]],
      ['two words', 'so us', { form: 'mishear' }, { name: 'SSO' }, ['mishear', 0.97]],
      // Forms in other pieces.
      ['joined', 'auditlogs', { form: 'joined' }, { name: 'Audit Logs' }, ['spacing', 0.95]],
      ['joined to three letters', 'abq', { form: 'joined' }, { name: 'AB Q' }, ['spacing', 0.8]],
      ['joined to a digit', '3scale', { form: 'joined' }, { name: '3 Scale' }, ['spacing', 0.95]],
      [
        'joined, but without capitals',
        'auditlogs',
        { form: 'joined' },
        { name: 'audit logs' },
        ['spacing', 0.8],
      ],
      ['spelled', 's s o', { form: 'spelled' }, { name: 'SSO' }, ['spacing', 0.95]],
      ['split', 'linked in', { form: 'split' }, { name: 'LinkedIn' }, ['spacing', 0.8]],
      [
        'split, as names',
        'linked in',
        { form: 'split' },
        { name: 'LinkedIn', heard: 'Linked In' },
        ['spacing', 0.95],
      ],
      [
        'in pieces, as names',
        'linked in',
        { form: 'pieces' },
        { name: 'LinkedIn', heard: 'Linked In' },
        ['spacing', 0.8],
      ],
      [
        'split, near a word',
        'linked in',
        { form: 'split' },
        { name: 'LinkedIn', isNear: true },
        ['spacing', 0.8],
      ],
      ['split strangely', 'auth kit', { form: 'split' }, { name: 'AuthKit' }, ['spacing', 0.95]],
      [
        'split strangely, without capitals',
        'kube ctl',
        { form: 'split' },
        { name: 'kubectl' },
        ['spacing', 0.8],
      ],
      [
        'and near a word',
        'kube ctl',
        { form: 'split' },
        { name: 'kubectl', isNear: true },
        ['spacing', 0.9],
      ],
    ])('%s: %j', (_, key, more, given, expected) => {
      expect(judged(key, more, given)).toEqual(expected as never);
    });
  });
});

describe('doubtful findings that others in the talk support, and those that nothing supports', () => {
  describe('findings support each other', () => {
    const okta = term('Okta', { packIds: ['identity'] });
    const logs = term('Audit Logs', { packIds: ['identity'] });
    const saml = term('SAML', { packIds: ['identity', 'other'] });
    const far = term('Zod', { packIds: ['schemas'] });
    const found = (
      of: ActiveTerm,
      at: number,
      match: Partial<Match> | null,
      more: Partial<Surface> = {},
      weak = false,
    ): Found => ({
      first: at,
      last: at,
      weak,
      surface: surface(of.canonical.toLowerCase(), { term: of, ...more }),
      match: match && ({ term: of, surface: 'heard', ...match } as Match),
    });
    const supported = (all: Found[], near: string | null = null, ordinary: string[] = []) =>
      supportedFindings(all, () => near, new Set(ordinary)).map(
        ({ match, surface: { term: of } }) => `${of.canonical} ${match?.confidence ?? 'right'}`,
      );
    const phrase = (at = 0) =>
      found(logs, at, { evidence: 'capitalization', confidence: 0.75 }, { distinctness: 'phrase' });
    const sure = (of: ActiveTerm, at: number) => found(of, at, null);
    const doubted = () =>
      found(logs, 0, { evidence: 'risky', confidence: 0 }, { distinctness: 'ordinary' }, true);
    const split = () =>
      found(logs, 0, { evidence: 'spacing', confidence: 0.8 }, { form: 'split' }, true);

    test.each<[string, Found[], string | null, string[], string[]]>([
      ['a phrase alone', [phrase()], null, [], ['Audit Logs 0.75']],
      [
        'a phrase beside a term of its pack',
        [phrase(), sure(okta, 12)],
        null,
        [],
        ['Audit Logs 0.9', 'Okta right'],
      ],
      [
        'a phrase too far from one',
        [phrase(), sure(okta, 13)],
        null,
        [],
        ['Audit Logs 0.75', 'Okta right'],
      ],
      [
        'a phrase beside another term',
        [phrase(), sure(far, 1)],
        null,
        [],
        ['Audit Logs 0.75', 'Zod right'],
      ],
      [
        'a phrase in a talk about its subject',
        [phrase(), sure(okta, 50), sure(saml, 90)],
        null,
        [],
        ['Audit Logs 0.9', 'Okta right', 'SAML right'],
      ],
      [
        'a phrase in a talk with one term twice',
        [phrase(), sure(okta, 50), sure(okta, 90)],
        null,
        [],
        ['Audit Logs 0.75', 'Okta right', 'Okta right'],
      ],
      [
        'a phrase that was right elsewhere',
        [phrase(), found(logs, 99, null, { distinctness: 'phrase' })],
        null,
        [],
        ['Audit Logs 0.9', 'Audit Logs right'],
      ],
      [
        'a word with a capital elsewhere',
        [phrase(), found(logs, 99, null, { distinctness: 'ordinary' })],
        null,
        [],
        ['Audit Logs 0.75', 'Audit Logs right'],
      ],
      ['a phrase near a word', [phrase()], 'login', [], ['Audit Logs 0.75']],
      ['doubted words', [doubted()], null, [], []],
      [
        'doubted words of the subject',
        [doubted(), sure(okta, 50), sure(saml, 90)],
        null,
        [],
        ['Audit Logs 0.88', 'Okta right', 'SAML right'],
      ],
      [
        'doubted words, heard well elsewhere',
        [doubted(), sure(okta, 50), sure(saml, 90)],
        null,
        ['audit logs'],
        ['Okta right', 'SAML right'],
      ],
      ['a split name near a word', [split()], 'login', [], ['Audit Logs 0.8']],
      [
        'a split name that was right elsewhere',
        [split(), sure(logs, 99)],
        null,
        [],
        ['Audit Logs 0.8', 'Audit Logs right'],
      ],
      [
        'a split name with both',
        [split(), sure(logs, 99)],
        'login',
        [],
        ['Audit Logs 0.9', 'Audit Logs right'],
      ],
      [
        'a sure form of other spacing',
        [found(logs, 0, { evidence: 'spacing', confidence: 0.95 }), sure(logs, 9)],
        'login',
        [],
        ['Audit Logs 0.95', 'Audit Logs right'],
      ],
      [
        'a risky word in doubt',
        [found(logs, 0, { evidence: 'risky', confidence: 0.88 })],
        'login',
        [],
        ['Audit Logs 0.88'],
      ],
      [
        'a risky word in doubt, heard well elsewhere',
        [found(logs, 0, { evidence: 'risky', confidence: 0.88 })],
        'login',
        ['audit logs'],
        ['Audit Logs 0.8'],
      ],
      [
        'a sound in doubt, heard well elsewhere',
        [found(logs, 0, { evidence: 'sound', confidence: 0.88 })],
        'login',
        ['audit logs'],
        ['Audit Logs 0.88'],
      ],
    ])('%s', (_, all, near, ordinary, expected) => {
      expect(supported(all, near, ordinary)).toEqual(expected);
    });
  });
});

describe('* Ordinary words recognised with low confidence count as a term if the talk or a near word supports it', () => {
  const matcher = createMatcher(everyTerm());

  /** Words with confidences: "skim/0.3" was recognised with 0.3, and a word without a figure with 0.95. */
  const heard = (text: string): TranscriptWord[] =>
    wordsOf(text).map((word) => {
      const [said = '', confidence = '0.95'] = word.text.split('/');
      return { ...word, text: said, confidence: Number(confidence) };
    });

  const decisions = (words: readonly TranscriptWord[]) =>
    decideByMatcher(matcher, words, 0.85).map(({ correction }) => correction);

  const corrected = (text: string): string => {
    const words = heard(text);
    const accepted = decisions(words).filter(({ decision }) => decision === 'accepted');
    return textOf(applyCorrections(words, accepted).slice(0, words.length));
  };

  /** Two certain terms of the pack on identity, and more than twelve words after them. */
  const IDENTITY =
    'We use SAML and OAuth here. The rest of this took us a year or so to get done at all, and then it was done.';

  describe('in a talk about the subject of its pack', () => {
    test.each([
      ['It speaks skim/0.3 to them.', 'It speaks SCIM to them.'],
      ['It speaks pixie/0.4 to them.', 'It speaks PKCE to them.'],
    ])('%s', (text, right) => {
      expect(corrected(`${IDENTITY} ${text}`)).toEndWith(right);
    });

    test.each([
      'It speaks skim/0.5 to them.',
      'It speaks skim to them.',
      // A most frequent word needs more doubt.
      'We had a sample/0.25 for them.',
    ])('%s is unchanged', (text) => {
      expect(corrected(`${IDENTITY} ${text}`)).toEndWith(textOf(heard(text)));
    });
  });

  describe('next to a near word', () => {
    test.each([
      ['skim', 'needs_review', 0.8],
      ['skim/0.85', 'needs_review', 0.8],
      ['skim/0.84', 'accepted', 0.88],
    ])('if %s was recognised elsewhere, they are %s', (other, decision, confidence) => {
      const text = `We like to ${other} things. By provisioning they skim/0.3 it.`;
      expect(decisions(heard(text)).at(-1)).toMatchObject({ after: 'SCIM', decision, confidence });
    });
  });
});

describe('precedence and confidence of competing readings of the same words, with invented terms', () => {
  const edits = async (text: string, terms: ActiveTerm[], minConfidence = 0.85) =>
    (await audit(wordsOf(text), { terms, minConfidence })).corrections.map(
      ({ before, after, confidence, decision }) => ({ before, after, confidence, decision }),
    );

  test('corrections that undo each other in the end change nothing', async () => {
    // A term of seven words is searched for only by its mishears.
    const long = 'Kuvex Manta of the Zorbix Tunnel Guild';
    const terms = [
      term('KMX', { mishears: ['kuvex manta of'] }),
      term(long, { mishears: ['kmx the zorbix tunnel guild'] }),
    ];
    expect(await edits(`the ${long} today`, terms)).toEqual([]);
    expect(await edits(`the ${long.toLowerCase()} today`, terms)).toMatchObject([{ after: long }]);
  });

  describe('of two overlapping matches', () => {
    const certain = term('Zorbix', { mishears: ['zorb icks'] });
    const weak = term('Skyhook', {
      mishears: ['saw the zorb icks'],
      risky: ['saw the zorb icks'],
      near: ['crane'],
    });

    test('the certain one wins over a longer one that needs evidence', async () => {
      expect(await edits('a crane saw the zorb icks', [weak])).toMatchObject([
        { after: 'Skyhook' },
      ]);
      expect(await edits('a crane saw the zorb icks', [weak, certain])).toMatchObject([
        { before: 'zorb icks', after: 'Zorbix', decision: 'accepted' },
      ]);
    });

    test.each([
      [9, 3, 'Zorbix'],
      [3, 9, 'Melvik'],
      [5, 5, 'Zorbix'],
    ])(
      'of two equally long ones the heavier wins (%d, %d), otherwise the earlier',
      async (a, b, after) => {
        const terms = [
          { ...certain, weight: a },
          term('Melvik', { mishears: ['icks mel'], weight: b }),
        ];
        for (const order of [terms, terms.toReversed()]) {
          expect(await edits('the zorb icks mel', order)).toMatchObject([{ after }]);
        }
      },
    );
  });

  test('an edit from two matches has the lower of their confidences', async () => {
    // The letters spell the term with 0.95; together with the next word they are a known mishearing with
    // 0.97.
    const terms = [term('MXP'), term('MXP server', { mishears: ['mxp sever'] })];
    expect(await edits('an m x p', terms)).toMatchObject([{ after: 'MXP', confidence: 0.95 }]);
    expect(await edits('an MXP sever', terms)).toMatchObject([{ confidence: 0.97 }]);
    expect(await edits('an m x p sever', terms)).toEqual([
      { before: 'm x p sever', after: 'MXP server', confidence: 0.95, decision: 'accepted' },
    ]);
  });

  test('a word of few sounds has to be more similar than one of many', async () => {
    const few = ['velomu', 'Vilomo'] as const;
    const many = ['vorzel', 'Vercel'] as const;
    for (const [heard, name] of [few, many]) {
      expect(similarityOf(heard, name.toLowerCase())).toBeCloseTo(0.833, 3);
    }
    expect(await edits(`the ${few[0]} here`, [term(few[1])])).toEqual([]);
    expect(await edits(`the ${many[0]} here`, [term(many[1])])).toMatchObject([{ after: many[1] }]);
    // Likelier, and therefore suggested: "velmo" is 0.9 similar to "Velma".
    expect(await edits('the velmo here', [term('Velma')])).toMatchObject([{ after: 'Velma' }]);
  });
});

describe('* Forms excluded or marked by people and packs stay so in every spelling and variety of English', () => {
  const termsOf = (term: Partial<OwnTerm>, never: OwnTerms['never'] = []) =>
    compileTerminology(
      [],
      request({
        own: {
          terms: [{ canonical: 'AuthKit', kind: 'product_name', weight: 8, ...term }],
          never,
          rules: [],
        },
      }),
    ).terms;

  describe('a form that people have excluded', () => {
    const never = [{ surface: 'Auth-Kit', canonical: 'authkit' }];

    test('is not corrected, although it is the term in two words', async () => {
      expect(await corrected('we use auth kit here', { terms: termsOf({}) })).toBe(
        'we use AuthKit here',
      );
      expect(await corrected('we use auth kit here', { terms: termsOf({}, never) })).toBe(
        'we use auth kit here',
      );
    });

    test('is not the misheard word of a longer term either', async () => {
      const suggested = async (never: OwnTerms['never'] = []) => {
        const terms = termsOf({ canonical: 'Zorbix Tunnel Kuvex Manta' }, never);
        const { corrections } = await audit(wordsOf('we use zorbix tonnel kuvex manta'), { terms });
        return corrections.map(({ after }) => after);
      };
      expect(await suggested()).toEqual(['Zorbix Tunnel Kuvex Manta']);
      const never = [{ surface: 'tonnel', canonical: 'Zorbix Tunnel Kuvex Manta' }];
      expect(await suggested(never)).toEqual([]);
    });
  });

  test.each(['en', 'en-US', 'EN-gb'])('%s is English: a listed word is corrected', (language) => {
    const terms = termsOf({ mishears: ['awfkit'] });
    const found = (spoken: string) =>
      createMatcher(terms, { language: spoken }).survey(wordsOf('we use awfkit here')).matches
        .length;
    expect([found(language), found('de')]).toEqual([1, 0]);
  });

  test('an ordinary word is the term without support only if it is listed', async () => {
    const heard = 'we use vault here';
    const vault = { canonical: 'Vault' };
    expect(await corrected(heard, { terms: termsOf({ ...vault, mishears: ['vault'] }) })).toBe(
      'we use Vault here',
    );
    expect(await corrected(heard, { terms: termsOf(vault) })).toBe(heard);
  });
});

describe('the lists of English words, and the words made of them', () => {
  describe('English', () => {
    test.each([
      ['rebooking', true],
      ['tokenized', true],
      ['naming', true],
      ['updatable', true],
      ['running', true],
      ["francisco's", true],
      ['kipling', true],
      ['multicloud', true],
      ['unfriend', true],
      ['pluggable', true],
      ['reab', false],
      ['varsal', false],
      ['xying', false],
      // A beginning and a word of two letters are no word.
      ['reis', false],
      // Two letters and an ending are no form of a word of three ("ode").
      ['oding', false],
      ['reqxing', false],
      ['kubernetes', false],
    ])('%s is made of it: %p', (word, expected) => {
      expect(isEnglishCompound(word)).toBe(expected);
    });
  });
});

describe('words prepared for comparison with terms', () => {
  describe('English', () => {
    test.each([
      ['finally', true, true],
      ['defense', true, true],
      ['favour', true, true],
      ["people's", true, true],
      ['exposure', true, false],
      ['emphasize', true, false],
      ['enquire', true, false],
      ['forfeit', true, false],
      ['glycerin', true, false],
      ['gybe', true, false],
      ['workflows', true, false],
      ['frumpy', false, false],
      ['epicenter', false, false],
    ])('%s is ordinary: %p, common: %p', (word, ordinary, common) => {
      expect([isOrdinaryWord(word), isCommonWord(word)]).toEqual([ordinary, common]);
    });
  });
});
