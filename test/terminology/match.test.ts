/** The places where a term has a wrong form. */
import { describe, expect, test } from 'bun:test';
import { array, assert, property, stringMatching } from 'fast-check';
import { createMatcher } from '../../server/terminology/match/match.ts';
import {
  applyCorrections,
  audit,
  corrected,
  everyTerm,
  request,
  term,
  textOf,
  wordsOf,
} from './support.ts';
import { surfacesOf } from '../../server/terminology/match/surfaces.ts';
import { compactKey, phraseKey } from '../../server/terminology/match/normalize.ts';
import type { ActiveTerm } from '../../server/terminology/active-term.ts';
import { compileTerminology, type OwnTerms } from '../../server/terminology/packs/compile.ts';
import type { TranscriptWord } from '../../server/contract/results.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import { similarityOf } from '../../server/terminology/match/similarity.ts';
import { isEnglishCompound } from '../../server/terminology/match/english-words.ts';
import { isCommonWord, isOrdinaryWord } from '../../server/terminology/match/ordinary-words.ts';

describe('match', () => {
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
    // Letters of two terms, and after the end of a sentence.
    ['plan b. m c p s s o is a u r l', 'plan b. MCP SSO is a u r l'],
    // What is before them may be a word that was heard as letters.
    ['and n t s a m l too', 'and n t SAML too'],
    // The start of a sentence.
    ['Good. Pass keys work.', 'Good. Passkeys work.'],
    ['these Pass Keys work', 'these passkeys work'],
  ])('corrected: %s → %s', async (heard, expected) => {
    expect(await corrected(heard)).toBe(expected);
  });

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
    // A part of something longer that is spelled.
    'the h i c p. and the i c p s',
    // Parts of words.
    'an off-kit-like thing',
    'the kits are off',
    // No words at all.
    '— … ?!',
    '',
  ])('unchanged: %s', async (text) => {
    expect(await corrected(text)).toBe(text.replaceAll('| ', ''));
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

    test('and in a talk about its subject, or where it was right elsewhere', () => {
      const confidences = (text: string) => find(text).map(({ confidence }) => confidence);
      const far = 'here we are '.repeat(9);
      expect(confidences(`these audit logs ${far} SAML ${far} SCIM`)).toEqual([0.9]);
      expect(confidences(`these audit logs ${far} SAML ${far} SAML`)).toEqual([0.75]);
      expect(confidences(`these audit logs ${far} our Audit Logs`)).toEqual([0.9]);
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
      // Ordinary English stays unchanged, but for words that are a given name once they are written together.
      [
        'a linear rest on the net in the face of time',
        'a linear rest on the net in the face of time',
      ],
      ['we linked face time', 'we linked FaceTime'],
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

type Form = ReturnType<typeof surfacesOf>[number]['form'];

describe('variants', () => {
  const keys = (canonical: string, form: Form): string[] =>
    surfacesOf(term(canonical), true).flatMap((each) => (each.form === form ? each.key : []));

  describe('forms', () => {
    test.each<[string, Form, string[]]>([
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
          for (const { key, form } of surfacesOf(term(canonical), true)) {
            if (form === 'canonical') continue;
            expect(key).not.toBe(phraseKey(canonical));
            if (form !== 'spoken') {
              expect(compactKey(key.replaceAll('double u', 'w'))).toBe(compactKey(canonical));
            }
          }
        }),
      );
    });
  });

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
  ])('in speech: %s → %s', async (heard, expected) => {
    expect(await corrected(heard)).toBe(expected);
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

  test.each([
    'We have a length of s. So we add one more.',
    'in terms of s, so that',
    'The answer is D, one of them.',
    'That is plan A. I think so.',
    'in terms of S, so that',
    'is it s? So we add',
    'in terms of s; so that',
    'a length of s – so we add',
  ])(
    'no term extends across punctuation, at any confidence, not even for review: %s',
    async (text) => {
      for (const context of CONTEXT) {
        const words = wordsOf(`${context}${text}${context}`);
        for (const minConfidence of BOUNDS) {
          const { corrections } = await audit(words, { minConfidence });
          expect(corrections).toEqual([]);
        }
      }
    },
  );

  test.each([
    ['we use S. S. O. and SAML', 'we use SSO and SAML'],
    ['S. S. O.', 'SSO.'],
    ['We use s. s. o. for SCIM.', 'We use SSO for SCIM.'],
    ['We sign in with S. S. O. Then we use SAML.', 'We sign in with SSO. Then we use SAML.'],
    ['an M. C. P. server for all', 'an MCP server for all'],
  ])('the marks of spelled letters belong to them: %s', async (heard, read) => {
    expect(await corrected(heard)).toBe(read);
  });

  describe('sound-alikes', () => {
    test('include the whole phrase with its spelled letters', async () => {
      const { corrections } = await audit(wordsOf('We use streamible h t t p for MCP.'));
      expect(corrections.map(({ before, after }) => [before, after])).toEqual([
        ['streamible h t t p', 'Streamable HTTP'],
      ]);
    });

    test.each([
      'This works for WorkOS and AuthKit.',
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

  test.each([
    ['skim', 'needs_review', 0.8],
    ['skim/0.85', 'needs_review', 0.8],
    ['skim/0.84', 'accepted', 0.88],
  ])(
    'next to a near word if %s was recognised elsewhere, they are %s',
    (other, decision, confidence) => {
      const text = `We like to ${other} things. By provisioning they skim/0.3 it.`;
      expect(decisions(heard(text)).at(-1)).toMatchObject({ after: 'SCIM', decision, confidence });
    },
  );
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
  const termsOf = (term: Partial<OwnTerms['terms'][number]>, never: OwnTerms['never'] = []) =>
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

/** Words made of English ones, and words that are not: a beginning or ending and two letters are no word. */
test.each([
  [
    true,
    "rebooking tokenized naming updatable running francisco's kipling multicloud unfriend pluggable",
  ],
  [false, 'reab varsal xying reis oding reqxing kubernetes'],
])('made of English, %p: %s', (expected, words) => {
  for (const word of words.split(' ')) {
    expect([word, isEnglishCompound(word)]).toEqual([word, expected]);
  }
});

test.each([
  [true, true, "finally defense favour people's"],
  [true, false, 'exposure emphasize enquire forfeit glycerin gybe workflows'],
  [false, false, 'frumpy epicenter'],
])('ordinary %p, common %p: %s', (ordinary, common, words) => {
  for (const word of words.split(' ')) {
    expect([word, isOrdinaryWord(word), isCommonWord(word)]).toEqual([word, ordinary, common]);
  }
});
