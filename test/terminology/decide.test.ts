/** What is corrected, shown or left alone. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compileTerminology, NO_OWN_TERMS } from '../../server/terminology/packs/compile.ts';
import { draftOf, restrain } from '../../server/terminology/decide/decide.ts';
import type { Evidence } from '../../server/terminology/match/judge.ts';
import type { Match } from '../../server/terminology/match/findings.ts';
import { guardProposal } from '../../server/terminology/decide/proposals.ts';
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
import type { TranscriptWord } from '../../server/contract/results.ts';
import { indexSounds, mostSimilar } from '../../server/terminology/match/similarity.ts';

type Proposal = Parameters<typeof guardProposal>[1];

/** What becomes of the words of a text: before, after, and the decision. */
const decisions = async (text: string) =>
  (await audit(wordsOf(text))).corrections.map(({ before, after, decision }) => [
    before,
    after,
    decision,
  ]);

describe('decisions by confidence', () => {
  const words = wordsOf(Array.from({ length: 100 }, () => 'off').join(' '));
  const match = (given: Partial<Match> = {}): Match => ({
    firstWord: 0,
    lastWord: 0,
    term: term('AuthKit', { mishears: ['off kit'] }),
    surface: 'off kit',
    replacement: 'AuthKit',
    evidence: 'mishear',
    confidence: 0.97,
    reason: 'It is known.',
    ...given,
  });

  describe('edits that were inferred', () => {
    const edits = (count: number, evidence: Evidence, length = 1): Match[] =>
      Array.from({ length: count }, (_, at) =>
        match({ firstWord: at * 10, lastWord: at * 10 + length - 1, evidence }),
      );
    const restrained = (matches: Match[], among = words.length) =>
      restrain(
        matches.map((one) => draftOf(words, one, 'accepted')),
        among,
      ).map(({ correction }) => correction.decision);

    test.each<Evidence>(['risky', 'sound', 'model'])(
      'by %s are all shown for review if more than five change more than 3%% of the words',
      (evidence) => {
        expect(new Set(restrained(edits(6, evidence)))).toEqual(new Set(['needs_review']));
        expect(new Set(restrained(edits(5, evidence)))).toEqual(new Set(['accepted']));
        expect(new Set(restrained(edits(6, evidence), 200))).toEqual(new Set(['accepted']));
        expect(new Set(restrained(edits(6, evidence), 199))).toEqual(new Set(['needs_review']));
      },
    );
  });

  describe('terms that several sources have', () => {
    const pack = (id: string, given: object) => ({
      id,
      version: 1,
      title: id,
      triggers: [],
      relatedPackIds: [],
      terms: [{ canonical: 'Vault', kind: 'product_name' as const, weight: 5, ...given }],
    });
    const compiled = (packs: object[], given: object = {}) =>
      compileTerminology(packs as never, request({ requestedPacks: ['a', 'b'], ...given }));
    test('trust a mishear listed by the workspace, even if a pack calls it risky', () => {
      const risky = pack('a', { mishears: ['volt', 'fault'], risky: ['volt', 'fault'] });
      const terms = [
        { canonical: 'Vault', kind: 'product_name' as const, weight: 5, mishears: ['volt'] },
      ];
      const [term] = compiled([risky], { own: { ...NO_OWN_TERMS, terms } }).terms;
      expect(term?.risky).toEqual(['fault']);
      expect(term?.mishears.toSorted()).toEqual(['fault', 'volt']);
    });

    test('never have a mishear that people have excluded', () => {
      const listed = pack('a', { mishears: ['volt', 'fault'], risky: ['volt', 'fault'] });
      const never = [{ surface: 'Volt', canonical: 'vault' }];
      const [term] = compiled([listed], { own: { ...NO_OWN_TERMS, never } }).terms;
      expect(term).toMatchObject({ mishears: ['fault'], risky: ['fault'], never: ['volt'] });
    });
  });
});

describe('correct', () => {
  const word = (text: string, start: number, end: number, more = {}): TranscriptWord => ({
    text,
    start,
    end,
    ...more,
  });
  const edit = (firstWord: number, lastWord: number, before: string, after: string) => ({
    firstWord,
    lastWord,
    before,
    after,
  });

  test('times split words divide the time by characters', () => {
    const words = [word('directorysync', 2, 3.3)];
    expect(applyCorrections(words, [edit(0, 0, 'directorysync', 'Directory Sync')])).toEqual([
      word('Directory', 2, 2.9, { original: ['directorysync'] }),
      word('Sync', 2.9, 3.3, { original: ['directorysync'] }),
    ]);
  });

  describe('invalid corrections', () => {
    const words = wordsOf('one two three');
    test.each([
      ['other words', [edit(0, 0, 'two', 'x')]],
      ['an overlap', [edit(0, 1, 'one two', 'x'), edit(1, 2, 'two three', 'y')]],
      ['a place past the end', [edit(2, 3, 'three', 'x')]],
    ])('%s is refused', (_, edits) => {
      expect(() => applyCorrections(words, edits)).toThrow('correction');
    });
  });

  /** Text made of parts of terms, ordinary words and punctuation. */
  const pieces = fc.array(
    fc.constantFrom(
      ...'off kit auth authkit work os os’s us m c p mcp sever server night json rpc studio transport cloud flare workers code claude pass keys Pass Keys pixie flow cursor audit logs directory sync directorysync radar are two both and the of is. So, what? anthropik i d jag 2.1 oauth o auth — S.L.A. one real r 2 bucket'.split(
        ' ',
      ),
    ),
    { minLength: 1, maxLength: 60 },
  );
  const speech = fc
    .tuple(pieces, fc.infiniteStream(fc.integer({ min: 0, max: 900 })), fc.nat(4))
    .map(([texts, lengths, speakers]) => {
      let clock = 0;
      return texts.map((text, at): TranscriptWord => {
        const start = clock / 1000;
        clock += lengths.next().value as number;
        const end = clock / 1000;
        clock += (lengths.next().value as number) % 200;
        return {
          text,
          start,
          end,
          confidence: (at % 10) / 10,
          speaker: `${Math.floor(at / 20) % (speakers + 1)}`,
        };
      });
    });

  test('for any speech: times in order, changes only at corrections, nothing left to change', async () => {
    await fc.assert(
      fc.asyncProperty(
        speech,
        fc.constantFrom(0, 0.5, 0.78, 0.85, 0.97, 1),
        async (words, minConfidence) => {
          const { corrections } = await audit(words, { minConfidence });
          const after = applyCorrections(words, corrections);
          for (const [at, { start, end }] of after.entries()) {
            expect(end).toBeGreaterThanOrEqual(start);
            expect(start).toBeGreaterThanOrEqual(after[at - 1]?.end ?? 0);
          }
          expect(after.at(0)?.start).toBe(words.at(0)?.start ?? -1);
          expect(after.at(-1)?.end).toBe(words.at(-1)?.end ?? -1);

          const touched = new Set<number>();
          for (const { firstWord, lastWord, before, after: text, decision } of corrections) {
            expect(textOf(words.slice(firstWord, lastWord + 1))).toBe(before);
            expect(text).not.toBe(before);
            if (decision !== 'accepted') continue;
            for (let at = firstWord; at <= lastWord; at += 1) {
              expect(touched.has(at)).toBe(false);
              touched.add(at);
            }
          }
          const kept = words.filter((_, at) => !touched.has(at));
          expect(kept.every((untouched) => after.includes(untouched))).toBe(true);

          const again = await audit(after, { minConfidence });
          expect(again.corrections.filter(({ decision }) => decision === 'accepted')).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  }, 300_000);
});

describe('phonetic', () => {
  test.each([
    ['we love anthropik a lot', 'anthropik', 'Anthropic'],
    ['built by wurkos folks', 'wurkos', 'WorkOS'],
    ["it is claudflair's thing", "claudflair's", "Cloudflare's"],
    ['it is claudflair’s thing', 'claudflair’s', 'Cloudflare’s'],
  ])('a word that sounds like a term is shown for review: %s', async (text, before, after) => {
    expect(await decisions(text)).toEqual([[before, after, 'needs_review']]);
  });

  test('similarity alone is never enough, at any minimum confidence', async () => {
    expect(await corrected('we love wurkos', { minConfidence: 0 })).toBe('we love wurkos');
  });

  /** A text after the audit; words in angle brackets have a confidence. */
  async function doubted(text: string): Promise<string> {
    const words = wordsOf(text).map((word) => {
      const [, heard = word.text, confidence] = /^<(.+):([\d.]+)>$/.exec(word.text) ?? [];
      return { ...word, text: heard, ...(confidence ? { confidence: Number(confidence) } : {}) };
    });
    return textOf(applyCorrections(words, (await audit(words)).corrections));
  }

  describe('a strange word that sounds like a term is corrected', () => {
    test.each([
      ['near a word of the term', 'for OIDC we took kerberuss and it worked', 'Kerberos'],
      ['where it was said elsewhere', `Vercel came first ${'so '.repeat(30)} vercell`, 'Vercel'],
      ['where the recogniser doubted it', 'we love <Varsal:0.3> a lot', 'Vercel'],
      ['in two words', 'on the benchmark <Swi:0.15> Bench we won', 'SWE-bench'],
      ['with its possessive', "we love <vercell's:0.3> ideas", "Vercel's"],
    ])('%s', async (_why, text, name) => {
      expect((await doubted(text)).match(new RegExp(name, 'g'))).toHaveLength(
        text.includes(name) ? 2 : 1,
      );
    });

    test.each([
      ['without support', 'we love varsal a lot'],
      ['heard with confidence, near nothing', 'we love <Varsal:0.97> a lot'],
      ['English, however doubted', 'we love <versatile:0.1> ideas'],
      ['made of English', 'we love <tokenized:0.1> text and embedding models'],
      ['a name that everybody knows', "for SSO and SAML we flew to <York's:0.2> best hotel"],
      ['made with the term', 'the MCP server has <WebMCP:0.2> in it'],
      ['another acronym', 'for MFA we took <FBA:0.2> and SAML'],
    ])('but not %s', async (_why, text) => {
      expect(await doubted(text)).toBe(text.replace(/<(\S+):[\d.]+>/g, '$1'));
    });
  });

  test.each([
    // A nearby context word, or another term of the pack.
    ['we love vurzle', 'with fastmcp', 'vurzle', 'Vercel', 'needs_review'],
    ['we use key clogs', 'for oidc', 'key clogs', 'Keycloak', 'needs_review'],
    ['we have wet authen', 'and fido two', 'wet authen', 'WebAuthn', 'accepted'],
  ])(
    'in context, less similarity is enough: %s',
    async (text, context, before, after, decision) => {
      expect(await decisions(text)).toEqual([]);
      expect(await decisions(`${text} ${context}`)).toContainEqual([before, after, decision]);
      const far = 'so '.repeat(13);
      expect(await decisions(`${text} ${far}${context}`)).not.toContainEqual([
        before,
        after,
        decision,
      ]);
    },
  );

  test.each([
    'the quick brown fox jumps over the lazy dog and then we all went home',
    'a studio is no cinema unless it shows',
    'I said what I said and it was there',
  ])('ordinary speech sounds like nothing: %s', async (text) => {
    expect(await decisions(text)).toEqual([]);
  });

  test('property: a sound with one letter less or more than a term’s still leads to the term', () => {
    const index = indexSounds(everyTerm());
    expect(index.held).toBe(0);
    const targets = [...new Set([...index.bySound.values()].flat())].filter(
      ({ sound }) => sound.length >= 3,
    );
    fc.assert(
      fc.property(
        fc.nat({ max: targets.length - 1 }),
        fc.nat({ max: 30 }),
        fc.constantFrom('', 'K', 'T', 'X'),
        (which, place, letter) => {
          const { spelling, sound } = targets[which]!;
          const at = place % sound.length;
          const changed = sound.slice(0, at) + letter + sound.slice(letter === '' ? at + 1 : at);
          const found = mostSimilar(index, spelling, changed, 0);
          expect(found!.similarity).toBeGreaterThan(0.8);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Words with their times, “the 0-1 off 1-2”, and after the edit of all of them. */
test.each([
  ['the 0-1 off 1-2 kit 2-3 plan 5-9', 'The AuthKit plan.', 'The 0-1 AuthKit 1-3 plan. 5-9'],
  // At least one word is left for the term.
  ['go 0-1 go 1-2 go 2-3', 'go go', 'go 0-1 go 1-3'],
])('an edit keeps the times of words that stay: %s → %s', (words, after, expected) => {
  const heard = Array.from(words.matchAll(/(\S+) (\d)-(\d)/g), ([, text = '', start, end]) => ({
    text,
    start: Number(start),
    end: Number(end),
  }));
  const edit = { firstWord: 0, lastWord: heard.length - 1, before: textOf(heard), after };
  const made = applyCorrections(heard, [edit]);
  expect(made.map(({ text, start, end }) => `${text} ${start}-${end}`).join(' ')).toBe(expected);
});

describe('compounds', () => {
  test.each([
    ['behind zero thrust we sleep', ['zero thrust', 'Zero Trust', 'needs_review']],
    [
      'a protected resort metadata file',
      ['protected resort metadata', 'Protected Resource Metadata', 'needs_review'],
    ],
    // The other word belongs elsewhere, so the correction is only shown.
    ['cloudflare queens are full', ['queens', 'Queues', 'needs_review']],
    ['an MCP serber here', ['serber', 'server', 'accepted']],
    ["the Cloudflare tonnel's end", ["tonnel's", "Tunnel's", 'needs_review']],
  ])('one word of a term is misheard: %s', async (text, expected) => {
    expect(await decisions(text)).toContainEqual(expected);
  });
});

describe("the checks of a language model's edits", () => {
  const terms = everyTerm();

  /** The edit of the words between stars into a term: “in *off kit* here”. */
  function edited(marked: string, replacement = 'AuthKit', known = terms, given = {}) {
    const [before = '', original = '', after = ''] = marked.split('*');
    const firstWord = wordsOf(before).length;
    const proposal: Proposal = {
      firstWord,
      lastWord: firstWord + wordsOf(original).length - 1,
      original,
      replacement,
      confidence: 0.95,
      category: 'product_name',
      decision: 'apply',
      reason: 'It signs people in.',
      ...given,
    };
    return guardProposal(wordsOf(before + original + after), proposal, known, 0.85)?.correction;
  }

  test.each<[string, string, string, Partial<Proposal>]>([
    ['before the first word', '*off kit* signs', 'AuthKit', { firstWord: -1 }],
    ['after the last word', '*off kit* signs', 'AuthKit', { lastWord: 3 }],
    ['backwards', '*off kit* signs', 'AuthKit', { firstWord: 1, lastWord: 0 }],
    ['of other words than were heard', '*off kit* signs', 'AuthKit', { original: 'of kit' }],
    ['of more words than an edit may span', '*off kit signs people in. Then* skim', 'AuthKit', {}],
    ['that changes nothing', '*off kit* signs', 'off kit', {}],
    ['with a replacement that is no term', '*off kit* signs', 'A'.repeat(500), {}],
    ['of words longer than two of the longest terms', `*${'a'.repeat(401)}*`, 'AuthKit', {}],
  ])('an edit %s is dropped', (_, marked, replacement, given) => {
    expect(edited(marked, replacement, terms, given)).toBeUndefined();
  });

  test.each([
    [
      'that people have ruled out, however its words are written,',
      'in *Off-Kit* here',
      term('AuthKit', { never: ['off kit'] }),
      'People said that "Off-Kit" is not AuthKit.',
    ],
    [
      'of a sound, although it has the letters of the term,',
      'we use *[authkit]* here',
      term('AuthKit'),
      '"authkit" is a sound, not speech.',
    ],
    [
      'of an accepted form, in whatever case,',
      'use *Kit-Off Kit*',
      term('AuthKit', { aliases: ['kit off kit'] }),
      '"Kit-Off Kit" is an accepted form of AuthKit.',
    ],
  ])('an edit %s is rejected', (_, marked, known, reason) => {
    expect(edited(marked, 'AuthKit', [known])).toMatchObject({ decision: 'rejected', reason });
  });

  test('a replacement that is not a term of the run is shown, however sure the model is', () => {
    const given = { confidence: 1 };
    expect(edited('*off kit* signs', 'Ofkit', terms, given)?.decision).toBe('needs_review');
  });

  test('a plural is kept if the recording has one, not if only the model writes one', () => {
    expect(edited('*off kit* here', 'AuthKits')?.after).toBe('AuthKit');
    expect(edited('*off kits* here', 'AuthKits')?.after).toBe('AuthKits');
  });

  test.each([
    ['it signs people *in. Then* skim', 'Zenden', 'rejected'],
    // Words to be replaced by a whole term must not follow its first words.
    ['MCP *emcee night* here', 'MCP Night', 'rejected'],
    ['so *emcee night* here', 'MCP Night', 'accepted'],
    ['so mcp: *emcee night*', 'MCP Night', 'rejected'],
    ['mcp *mcp nite* here', 'MCP Night', 'accepted'],
    ['MCP-night *emcee nite* talk', 'MCP Night', 'accepted'],
    ['Model-context *modal context protocal* is', 'Model Context Protocol', 'rejected'],
    // A name may be said twice.
    ['MCP Night *emcee night* here', 'MCP Night', 'accepted'],
  ] as const)('in %j the words become %s: %s', (marked, name, expected) => {
    expect(edited(marked, name)?.decision).toBe(expected);
  });
});
