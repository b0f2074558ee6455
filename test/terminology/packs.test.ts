/** Packs, the terms of a run, and the terms in a text. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc, { assert, integer, property, string, uniqueArray } from 'fast-check';
import { validator } from '../../server/contract/schema.ts';
import { CompiledTerminology, TermPackList } from '../../server/contract/terminology.ts';
import { loadPacks, loadTermPacks, useTermPacks } from '../../server/terminology/packs/packs.ts';
import {
  compileTerminology,
  NO_OWN_TERMS,
  type OwnTerms,
} from '../../server/terminology/packs/compile.ts';
import { audit, packs, request, wordsOf } from './support.ts';
import {
  fitKeyterms,
  KEYTERM_LIMITS,
  partsOfNames,
} from '../../server/terminology/packs/keyterms.ts';
import measured from '../fixtures/keyterm-tokens.json';
import { proposeTerms } from '../../server/terminology/packs/propose-terms.ts';
import { summarizePack, termPackList, type TermPack } from '../../server/terminology/packs/pack.ts';

type TerminologyRequest = Parameters<typeof compileTerminology>[1];

setDefaultTimeout(300_000);

describe('packs', () => {
  const terms = fileURLToPath(new URL('../../terms', import.meta.url));

  test("the packs of the repository are listed in the contract's format", async () => {
    const packs = await loadPacks(terms);
    const list = termPackList(packs);
    expect(validator(TermPackList).issues(list)).toEqual([]);
    expect(list.packs).toEqual(packs.map(summarizePack));
    expect(list.example.terminology.packs).toEqual([list.packs[0]!.id]);
  });

  test('packs that another thread has loaded are those of this one', async () => {
    const before = await loadTermPacks();
    const taken = { ...before[0]!, id: 'taken/pack' };
    try {
      useTermPacks([taken]);
      expect(await loadTermPacks()).toEqual([taken]);
    } finally {
      useTermPacks(before);
    }
  });

  describe('a folder of packs', () => {
    let folder = '';
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'packs-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    };
    const pack = (id: string, ...lines: string[]): string =>
      [
        `id: ${id}`,
        'version: 1',
        'title: Test',
        'triggers: [test]',
        'relatedPackIds: []',
        'terms:',
        ...lines.map((line) => `  - {${line}}`),
      ].join('\n');
    const term = (canonical: string, more = ''): string =>
      `canonical: "${canonical}", kind: acronym, weight: 5${more}`;

    /** The lines with faults of the folder in its current state. */
    const faults = async (): Promise<string[]> => {
      const error: unknown = await loadPacks(folder).catch((reason: unknown) => reason);
      if (!(error instanceof Error)) throw new Error('the packs were taken');
      expect(error.name).toBe('TermPackError');
      return error.message.split('\n').slice(1);
    };

    test('is read including subfolders, by path', async () => {
      await write('b.yaml', pack('b', term('Beta', ', mishears: [better]')));
      await write('deep/er/a.yaml', pack('deep/er/a', term('Alpha')));
      await write('c.yml', pack('c', term('Gamma')));
      await write('folder.yaml/d.yaml', pack('folder.yaml/d', term('Delta')));
      await write('notes.txt', 'no pack');
      await write('b.yaml.bak', 'no pack');
      expect((await loadPacks(folder)).map(({ id }) => id)).toEqual([
        'b',
        'c',
        'deep/er/a',
        'folder.yaml/d',
      ]);
    });

    test.each([
      ['an id that is not the path', pack('other', term('A1')), 'a.yaml:1: id must be a,'],
      ['an unknown field', pack('a', term('A1', ', wight: 3')), 'terms.0.wight is not a known'],
      ['a missing field', pack('a', 'canonical: A1, kind: acronym'), 'a.yaml:7: terms.0.weight'],
      [
        'a wrong kind',
        pack('a', term('A1'), term('B1').replace('acronym', 'name')),
        'a.yaml:8: terms.1.kind must be one of company_name',
      ],
      ['a heavy weight', pack('a', term('A1').replace('5', '11')), 'a.yaml:7: terms.0.weight'],
      [
        'the same term three times',
        pack('a', term('A1'), term('a1'), term('A-1'), term('a1.')),
        'a.yaml:10: terms.3.canonical is the same as that of terms.0',
      ],
      ['a capital', pack('a', term('A1', ', mishears: [Hey]')), 'mishears.0 must be lower case'],
      ['a long mishear', pack('a', term('A1', ', mishears: [a b c d e f g]')), 'more than 6 words'],
      ['a long key term', pack('a', term('A b c d e f g')), 'a key term of more than 6'],
      [
        'a risky entry that is no mishear',
        pack('a', term('A1', ', mishears: [ay], risky: [oh]')),
        'terms.0.risky.0 "oh" is not',
      ],
      [
        'a mishear that is a term',
        pack('a', term('A1', ', mishears: [beta]'), term('Beta')),
        'terms.0.mishears.0 "beta" is an accepted form of "beta"',
      ],
      [
        'a mishear of two terms',
        pack('a', term('A1', ', mishears: [hey]'), term('B1', ', mishears: [hey]')),
        'terms.1.mishears.0 is also a mishear of terms.0',
      ],
      [
        'an unknown relation',
        pack('a', term('A1')).replace('[]', '[b]'),
        'a.yaml:5: relatedPackIds.0 refers to an unknown pack: b',
      ],
      ['a circle', pack('a', term('A1')).replace('[]', '[a]'), '0 refers to the pack itself'],
      [
        'a trigger with a capital',
        pack('a', term('A1')).replace('[test]', '[Hey]'),
        'triggers.0 must be lower case',
      ],
      [
        'a trigger of marks',
        pack('a', term('A1')).replace('[test]', '["!"]'),
        'triggers.0 has no letter or digit',
      ],
      ['a term of marks', pack('a', term('!')), 'terms.0.canonical has no letter or digit'],
      [
        'a mishear of marks, by an alias',
        pack('a', term('A1', ', mishears: &m ["!"]'), term('B1', ', mishears: *m')),
        'a.yaml:8: terms.1.mishears.0 has no letter or digit',
      ],
      [
        'a mishear that is its own term',
        pack('a', term('a1', ', mishears: [a1]')),
        'terms.0.mishears.0 "a1" is an accepted form of the term itself',
      ],
      ['no terms', pack('a').replace('terms:', 'terms: []'), 'a.yaml:6: terms'],
      ['broken YAML', 'id: a\ntitle: "open', 'a.yaml:2: '],
      ['a key twice', `${pack('a', term('A1'))}\nid: a`, 'a.yaml:8: '],
      ['something else than a pack', '- 1', 'a.yaml:1: the file'],
    ])('is refused for %s, with file, line and field', async (_, text, expected) => {
      await write('a.yaml', text);
      expect((await faults()).join('\n')).toContain(expected);
    });

    test('has every error of every file reported', async () => {
      await write('a.yaml', pack('b', term('A1', ', mishears: [zed]')));
      await write('z.yaml', pack('z', term('Zed')));
      expect(await faults()).toEqual([
        "a.yaml:1: id must be a, the file's path",
        'a.yaml:7: terms.0.mishears.0 "zed" is an accepted form of "zed"',
      ]);
    });
  });
});

describe('compile', () => {
  const pack = (id: string, given: Partial<TermPack>): TermPack => ({
    id,
    version: 1,
    title: id,
    triggers: [],
    relatedPackIds: [],
    terms: [],
    ...given,
  });
  const term = (canonical: string, weight: number, more = {}) => ({
    canonical,
    kind: 'technical_term' as const,
    weight,
    ...more,
  });

  const small = [
    pack('a', {
      triggers: ['alpha', 'café noir'],
      relatedPackIds: ['b'],
      terms: [term('Ay', 4), term('Shared', 3, { mishears: ['chaired'] })],
    }),
    pack('b', {
      triggers: ['beta'],
      relatedPackIds: ['c'],
      terms: [term('Bee', 9), term('Shared', 8, { mishears: ['shard'], risky: ['shard'] })],
    }),
    pack('c', {
      triggers: ['gamma'],
      terms: [term('Sea', 10, { keyterm: false }), term('Cee', 1)],
    }),
  ];
  const compile = (given: Partial<TerminologyRequest>) => compileTerminology(small, request(given));
  const selected = (given: Partial<TerminologyRequest>): string[] =>
    compile(given).summary.selectedPacks;

  test('selection related packs are included, but not those related to them', () => {
    expect(selected({ topic: 'alpha' })).toEqual(['a', 'b']);
    expect(selected({ topic: 'alpha beta' })).toEqual(['a', 'b', 'c']);
  });

  describe('ranking', () => {
    test('explicit terms first: glossary, include, keyterms', () => {
      const { summary } = compile({
        topic: 'alpha',
        keyterms: ['Kay', 'Gee'],
        include: ['Eye', 'Bee'],
        glossary: ['Gee', 'gee', 'Elle'],
      });
      expect(summary.explicitTerms).toEqual(['Gee', 'Elle', 'Eye', 'Bee', 'Kay']);
      expect(summary.injectedKeyterms).toEqual([...summary.explicitTerms, 'Ay', 'Shared']);
    });

    test('terms that are not key terms are only for the audit', () => {
      const { summary } = compile({ requestedPacks: ['c'] });
      expect(summary.injectedKeyterms).toEqual(['Cee']);
      expect(summary.auditTerms).toEqual(['Sea', 'Cee']);
    });
  });

  describe('terms', () => {
    test('exclude removes a term from every list, whatever its source', () => {
      const { summary, terms } = compile({
        topic: 'alpha',
        include: ['Eye'],
        exclude: ['AY', 'eye'],
      });
      expect(summary.explicitTerms).toEqual([]);
      expect([...summary.auditTerms, ...summary.injectedKeyterms]).not.toContain('Ay');
      expect(terms.map(({ canonical }) => canonical)).toEqual(['Bee', 'Shared']);
    });

    test('exclude removes a surface, also of the workspace, however it is written', () => {
      const own = {
        ...NO_OWN_TERMS,
        terms: [term('Cafetière', 5, { mishears: ['Café-Tier', 'coffee tear'] })],
      };
      const { terms } = compile({ topic: 'alpha', own, exclude: ['cafe tier', 'Chaired'] });
      const mishears = (name: string) =>
        terms.find(({ canonical }) => canonical === name)?.mishears;
      expect(mishears('Cafetière')).toEqual(['coffee tear']);
      expect(mishears('Shared')).toEqual(['shard']);
    });
  });

  const names = fc.array(fc.constantFrom('AuthKit', 'MCP', 'mcp', 'R2', 'Zed', 'é', '!!'), {
    maxLength: 4,
  });

  test('any request compiles to valid terms, always the same', () => {
    const requests = fc.record({
      requestedPacks: fc.subarray(packs.map(({ id }) => id)),
      topic: fc.constantFrom('', 'MCP Night', 'r2 & authkit', 'x'),
      glossary: names,
      keyterms: names,
      include: names,
      exclude: names,
      maxKeyterms: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(requests, (given) => {
        const compiled = compileTerminology(packs, given);
        expect(validator(CompiledTerminology).issues(compiled.summary)).toEqual([]);
        expect(compileTerminology(packs, structuredClone(given))).toEqual(compiled);
        expect(JSON.parse(JSON.stringify(compiled))).toEqual(compiled);
        expect(compiled.summary.injectedKeyterms.length).toBeLessThanOrEqual(given.maxKeyterms);
      }),
      { numRuns: 60 },
    );
  });
});

describe('keyterms', () => {
  /**
   * Terms by script, each with its number of tokens after a space in real vocabularies: Whisper's
   * (openai-whisper 20250625, multilingual.tiktoken), and the highest of Whisper's, gpt2, cl100k_base
   * and o200k_base (js-tiktoken 1.0.21). Counted on 2026-11-22.
   */
  const scripts = Object.entries(measured as unknown as Record<string, Record<string, number[]>>);
  const everyMeasured = scripts.flatMap(([, terms]) => Object.entries(terms));
  const count = (terms: readonly string[], at: 0 | 1): number => {
    const known = new Map(everyMeasured);
    return terms.reduce((sum, term) => sum + (known.get(term)?.[at] ?? NaN), 0);
  };

  test('a limit is observed, nothing is lost, and the order stays', () => {
    assert(
      property(
        uniqueArray(string({ minLength: 1, maxLength: 40 })),
        integer({ min: 0, max: 20 }),
        integer({ min: 0, max: 60 }),
        integer({ min: 1, max: 4 }),
        (terms, most, tokens, words) => {
          const { injected, omitted } = fitKeyterms(terms, { terms: most, tokens, words });
          expect(injected.length).toBeLessThanOrEqual(most);
          expect(injected.every((term) => term.split(/\s+/).length <= words)).toBe(true);
          expect([...injected, ...omitted].sort()).toEqual([...terms].sort());
          for (const list of [injected, omitted]) {
            expect(list).toEqual(terms.filter((term) => list.includes(term)));
          }
        },
      ),
    );
  });

  test('a provider with a limit below maxKeyterms gets its own number', () => {
    const all = request({ requestedPacks: packs.map(({ id }) => id) });
    const { summary } = compileTerminology(packs, { ...all, keytermLimit: { terms: 3 } });
    expect(summary.injectedKeyterms).toHaveLength(3);
  });

  test.each(scripts)('%s is estimated as real vocabularies count it', (_script, terms) => {
    const words = Object.keys(terms);
    for (const [vocabulary, at] of [
      ['whisper', 0],
      ['unknown', 1],
    ] as const) {
      const real = count(words, at);
      const fitIn = (tokens: number) =>
        fitKeyterms(words, { tokens, vocabulary }).omitted.length === 0;
      expect([fitIn(real * 0.95 - 1), fitIn(real * 2)]).toEqual([false, true]);
    }
  });

  test.each(['Japanese', 'Chinese', 'Korean', 'Arabic', 'Russian', 'Hindi', 'Thai', 'Codes'])(
    'any mixture that begins with %s stays within 500 tokens for Deepgram and 223 for Whisper',
    (script) => {
      const own = Object.keys(measured[script as keyof typeof measured]);
      const terms = [...new Set([...own, ...everyMeasured.map(([term]) => term)])];
      const deepgram = fitKeyterms(terms, KEYTERM_LIMITS.deepgram).injected;
      expect(deepgram.length).toBeLessThanOrEqual(100);
      expect(count(deepgram, 1)).toBeLessThanOrEqual(500);
      const whisper = fitKeyterms(terms, KEYTERM_LIMITS.whisper).injected;
      expect(count(whisper, 0) + whisper.length - 1).toBeLessThanOrEqual(223);
      // The available space is used.
      expect(count(whisper, 0) + whisper.length - 1).toBeGreaterThan(223 / 2);
    },
  );

  test('a term of a megabyte is estimated in linear time', () => {
    const fitted = (term: string, tokens: number) => fitKeyterms([term, term], { tokens }).injected;
    expect(fitted('あ'.repeat(300_000), 300_000)).toEqual([]);
    expect(fitted('', 1)).toEqual(['']);
  });

  test('a prompt for Whisper fills the 223 tokens that its decoder keeps, and no more', () => {
    const terms = ['aaaa', ...Array.from({ length: 200 }, () => 'a')];
    // 2 tokens, and 110 times a separator and one token.
    expect(fitKeyterms(terms, KEYTERM_LIMITS.whisper).injected).toHaveLength(111);
  });
});

describe('* The terms of a workspace in a run', () => {
  const own = (
    terms: Partial<OwnTerms['terms'][number]>[],
    more: Partial<OwnTerms> = {},
  ): OwnTerms => ({
    ...NO_OWN_TERMS,
    terms: terms.map((term) => ({ canonical: 'X', kind: 'product_name', weight: 10, ...term })),
    ...more,
  });
  const compiled = (terms: OwnTerms, given: object = {}) =>
    compileTerminology(packs, request({ own: terms, ...given }));
  const decisions = async (
    text: string,
    terms: OwnTerms,
    given: object = {},
  ): Promise<string[]> => {
    const { corrections } = await audit(wordsOf(text), { terms: compiled(terms, given).terms });
    return corrections.map(({ before, after, decision }) => `${before} → ${after}: ${decision}`);
  };

  test('the terms of a workspace follow those of the payload, by weight, in key terms, audit and explicit terms', () => {
    const terms = own([
      { canonical: 'Zirkel', weight: 5 },
      { canonical: 'Oktavia', weight: 9 },
    ]);
    const { summary } = compiled(terms, { glossary: ['Payload'], exclude: [] });
    expect(summary.explicitTerms).toEqual(['Payload', 'Oktavia', 'Zirkel']);
    expect(summary.injectedKeyterms).toEqual(['Payload', 'Oktavia', 'Zirkel']);
    expect(summary.auditTerms).toEqual(['Payload', 'Oktavia', 'Zirkel']);
    // They select no pack, because then every run would use all of them.
    expect(compiled(own([{ canonical: 'WorkOS' }])).summary.selectedPacks).toEqual([]);
  });

  describe('a risky mishear', () => {
    const scim = { canonical: 'SCIM', mishears: ['skim'], risky: ['skim'], near: ['provisioning'] };
    const text = 'We use skim for provisioning.';
    test('is shown for review near a near word, and corrected if people confirmed it', async () => {
      expect(await decisions(text, own([scim]))).toEqual(['skim → SCIM: needs_review']);
      const confirmed = own([{ ...scim, confirmed: ['Skim'] }]);
      expect(await decisions(text, confirmed)).toEqual(['skim → SCIM: accepted']);
      expect(await decisions('I skim the paper.', confirmed)).toEqual([]);
    });
  });

  test('mishears excluded by people are neither corrected nor shown, however they were found', async () => {
    const pack = { requestedPacks: ['vendors/workos'] };
    const text = 'We sign in with off kit here.';
    expect(await decisions(text, NO_OWN_TERMS, pack)).toEqual(['off kit → AuthKit: accepted']);
    const never = own([], { never: [{ surface: 'off kit', canonical: 'AuthKit' }] });
    expect(await decisions(text, never, pack)).toEqual([]);
    const alike = own([{ canonical: 'Keycloak' }]);
    const heard = 'We use keycloke here.';
    expect((await decisions(heard, alike)).join()).toContain('keycloke → Keycloak');
    const not = { ...alike, never: [{ surface: 'keycloke', canonical: 'Keycloak' }] };
    expect(await decisions(heard, not)).toEqual([]);
  });
});

describe('key terms for a recogniser with little room', () => {
  const fitted = (glossary: string[], terms: number) =>
    compileTerminology(
      packs,
      request({ glossary, keytermLimit: { terms }, requestedPacks: ['vendors/workos'] }),
    ).summary;

  test('are the rarest of the request, before those of packs', () => {
    const glossary = ['Good People', 'Audit Trail', 'Window Zorbex', 'Ondavar', 'Kestrelbyte'];
    const { injectedKeyterms, omittedKeyterms } = fitted(glossary, 3);
    expect(injectedKeyterms).toEqual(['Window Zorbex', 'Ondavar', 'Kestrelbyte']);
    expect(omittedKeyterms.slice(0, 3)).toEqual(['Good People', 'Audit Trail', 'WorkOS']);
    expect(fitted(glossary, 6).injectedKeyterms).toEqual([...glossary, 'WorkOS']);
  });

  test('the parts of names are those that nobody else says', () => {
    expect(
      partsOfNames([
        'Carolina Dybeck Happe',
        'Acme GmbH',
        'Audit Logs',
        'AuthKit',
        'Will Stiefel',
        'Carolina',
      ]),
    ).toEqual(['Dybeck', 'Happe', 'Acme', 'Stiefel']);
  });
});

describe('names and terms in a text', () => {
  const names = (text: string): string[] => proposeTerms(text).map(({ term }) => term);

  test('a name after an ordinary word that opens the sentence', () => {
    expect(names('Tonight Ada Lovelace shows AuthKit and SCIM. Later AuthKit again.')).toEqual([
      'AuthKit',
      'SCIM',
      'Ada Lovelace',
    ]);
  });

  test.each([
    // What office programs and browsers write: columns, articles, several parts, roles without a company.
    ['14:00   Bartholomew Quigg   Veltrona Ltd', 'person Bartholomew Quigg, company Veltrona Ltd'],
    ['Noor al-Masri, Tidewater Labs', 'person Noor al-Masri, company Tidewater Labs'],
    [
      'with Jean-Baptiste O’Rourke and Mei-Ling Zhao',
      'person Jean-Baptiste O’Rourke, person Mei-Ling Zhao',
    ],
    ['Our team\nSinéad Ó Briain, Product', 'person Sinéad Ó Briain'],
    ['Ada Holm, CTO, Havbryn AS:\nCaptions', 'person Ada Holm, company Havbryn AS'],
    ['# Scaling PolyGlyph at Tidewater Labs', 'product PolyGlyph, company Tidewater Labs'],
    ['Panel: Priya Raghunathan, Medialane', 'company Medialane, person Priya Raghunathan'],
    ['Join us: https://meet.example/abc-defg-hij', ''],
    ['says our Technology Officer here', ''],
  ])('of people and companies in %j', (text, wanted) => {
    const found = proposeTerms(text).map(
      ({ term, kind }) => `${kind.replace('_name', '')} ${term}`,
    );
    expect(found.join(', ')).toBe(wanted);
  });

  test('each term has its kind, the reason and its count, the most likely first', () => {
    const text =
      'We use kubectl daily. Zorbex helps. They like Zorbex. We bought an iPhone at B2B, said Ada Lovelace.';
    expect(proposeTerms(text)).toEqual([
      { term: 'iPhone', kind: 'product_name', why: 'camel_case', count: 1 },
      { term: 'B2B', kind: 'acronym', why: 'acronym', count: 1 },
      { term: 'Zorbex', kind: 'technical_term', why: 'capitalised', count: 2 },
      { term: 'Ada Lovelace', kind: 'person_name', why: 'capitalised', count: 1 },
      { term: 'kubectl', kind: 'technical_term', why: 'rare_word', count: 1 },
    ]);
  });

  test.each([
    ['AT&T and R&D, COVID-19; mTLS', ['mTLS', 'AT&T', 'COVID-19', 'R&D']],
    // A city is no ordinary word here, but what anybody may say is no term.
    ['In Paris we met. I saw Nine people.', ['Paris']],
    ['# Building Agents with Quixotia Framework\nby Tim', ['Quixotia', 'Tim']],
    ['www.example.com https://a.example x@y.example 9am A I', []],
    ["Zorbex's price", ['Zorbex']],
    ['<p>Zorbex &amp; Grace&nbsp;Hopper<script>Hidden1</script></p>', ['Grace Hopper', 'Zorbex']],
    ['<p>Zorbex</p><STYLE a="b">Hidden2 <p></style> OAuth', ['OAuth', 'Zorbex']],
    // An element without an end runs to the end of the page, as in a browser.
    ['<p>Zorbex</p><script>Hidden3 <p>Hidden4</style>', ['Zorbex']],
  ])('in %j', (text, terms) => {
    expect(names(text).slice(0, terms.length + 1)).toEqual(terms);
  });

  test.each([
    // At most four words, with one small word inside.
    ['we saw Bank of America Merrill Lynch', ['Bank of America Merrill', 'Lynch']],
    ['we saw Ada Lovelace Joan Hopper Jane Liskov', ['Ada Lovelace Joan Hopper', 'Jane Liskov']],
    ['we met Ada Lovelace Grace van Hopper', ['Ada Lovelace Grace', 'Hopper']],
    ['we met Ada Lovelace van Hopper', ['Ada Lovelace van Hopper']],
    ['we met Ada van', ['Ada']],
    ['we met Ada van, Hopper', ['Ada', 'Hopper']],
    ['we met Ada van Halen, Zorbex', ['Ada van Halen', 'Zorbex']],
    // Punctuation ends it.
    ['we met Zorbex (Kubex) Lumex', ['Kubex', 'Lumex', 'Zorbex']],
    ['we met Zorbex – Kubex', ['Kubex', 'Zorbex']],
    ['we met Zorbex/Kubex', ['Zorbex Kubex']],
    // A day is none.
    ['Monday Zorbex', ['Zorbex']],
    // Ordinary words with capitals are one within a sentence, and only there.
    ['and then Will Young left', ['Will Young']],
    ['Will Young left', []],
    ['Window Zorbex opened', ['Window Zorbex']],
    ['We left. Will Young stayed', []],
    ['We say: Will Young stayed', []],
    ['the Meeting, the meeting', []],
    ['One Two Three Four Zorbex', ['Zorbex']],
    ['Zorbex Kubex One Two Three', ['Zorbex Kubex']],
  ])('a name in %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test.each([
    ['Guests\nLudwig van Beethoven\nVan Rose Stone', ['Ludwig van Beethoven', 'Van Rose Stone']],
    ['Guests\nWill Young, Acme\nGrace Page', ['Acme', 'Grace Page', 'Will Young']],
    ['our team\nWill Young', ['Will Young']],
    // It has names of two or three words, and ends with a line that has none.
    ['Speakers\nWill May Young Stone\nGrace Page', []],
    ['Speakers\nWill Young and friends\nGrace Page', []],
    ['Speakers\nWill\nGrace Page', []],
    ['Speakers\n\nGrace Page', ['Grace Page']],
    ['Guests today\nGrace Page', []],
  ])('a list of people in %j', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  describe('proposals', () => {
    test.each([
      ['Zorbex zorbex zorbex', 'zorbex', 'capitalised', 3],
      ['zorbex, then zorBex', 'zorbex', 'camel_case', 2],
      ['zorBex, then zorbex', 'zorBex', 'camel_case', 2],
      ["we like Zorbex's and Zorbex’s", 'Zorbex', 'capitalised', 2],
    ])(
      'have the most common spelling, the best reason, and count: %s',
      (text, term, why, count) => {
        expect(proposeTerms(text)).toMatchObject([{ term, why, count }]);
      },
    );

    test('are five hundred at most, and none is longer than a term may be', () => {
      const word = (at: number) =>
        `Zq${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}x`;
      const of = (count: number) =>
        names(Array.from({ length: count }, (_, at) => word(at)).join(', '));
      expect([499, 500, 501].map((count) => of(count).length)).toEqual([499, 500, 500]);
      expect([200, 201].map((size) => names(`q${'x'.repeat(size - 1)}`).length)).toEqual([1, 0]);
    });
  });
});
