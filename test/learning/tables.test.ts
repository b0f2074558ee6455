/**
 * Learning in tables: the rule that each amount of evidence makes (rule-table.txt, which
 * `OUTLINES=write npm test -- test/learning/tables.test.ts` updates), and terms as they are stored and checked.
 */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/document.ts';
import {
  isFull,
  kindOf,
  patchTerms,
  storedTerm,
  termsFaults,
} from '../../server/learning/edit-terms.ts';
import type { Evidence } from '../../server/learning/evidence.ts';
import { contentWords, isStrange } from '../../server/learning/heard-phrases.ts';
import { candidatesOf, type Candidate } from '../../server/learning/rules.ts';
import { fromPlainList, fromYaml, toPlainList, toYaml } from '../../server/learning/term-files.ts';
import { expectKeptIn } from '../support/kept.ts';

/** What was heard, and the term: strange words, ordinary ones, phrases, spellings, a slip of the keys. */
const PAIRS = [
  ['keycloke', 'Keycloak'],
  ['skim', 'SCIM'],
  ['a polo', 'Apollo'],
  ['meta base', 'Metabase'],
  ['key cloak', 'Keycloak'],
  ['d b t', 'dbt'],
  ['authkit', 'AuthKit'],
  ['in the cloud flair', 'Cloudflare'],
  ['the', 'Theia'],
  ['window', 'Kubernetes'],
] as const;

/** A rule in a few letters. */
const shown = ({ kind, surface, near, risky, safe, talks, unmade }: Candidate): string =>
  [
    kind,
    surface === null ? 'any form' : '',
    risky ? 'risky' : '',
    safe ? 'safe' : '',
    near.length > 0 ? `near ${near.join(' ')}` : '',
    `${talks} talks`,
    unmade > 0 ? `${unmade} unmade` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');

test('the rule of each amount of evidence', () => {
  const lines = PAIRS.flatMap(([surface, canonical]) => {
    const by = new Map<string, string[]>();
    for (const known of [true, false]) {
      for (const place of ['one talk', 'many talks', 'alike']) {
        for (let accepted = 0; accepted <= 4; accepted += 1) {
          for (let rejected = 0; rejected <= 2; rejected += 1) {
            const of = (said: Evidence['said'], at: number): Evidence => ({
              said,
              surface,
              canonical,
              known,
              context: place === 'alike' ? ['okta', `word${at}`] : [`word${at}`],
              start: at,
              ...(said === 'rejected' && at === 0 ? { shown: true as const } : {}),
            });
            const evidence = [
              ...Array.from({ length: accepted }, (_, at) => of(at % 2 ? 'typed' : 'accepted', at)),
              ...Array.from({ length: rejected }, (_, at) => of('rejected', at)),
            ];
            const runs = evidence.map((one, at) => ({
              runId: place === 'one talk' ? 'run' : `run${at}`,
              createdAt: at,
              evidence: [one],
            }));
            const found = candidatesOf(runs, emptyDocument());
            const what = found.map(shown).join(' + ') || 'nothing';
            const name = `${accepted}/${rejected} ${known ? 'known' : 'unknown'} ${place}`;
            by.set(what, [...(by.get(what) ?? []), name]);
          }
        }
      }
    }
    return [
      `${surface} → ${canonical}`,
      ...[...by].map(([what, names]) => `  ${what}: ${names.join('; ')}`),
    ];
  });
  expectKeptIn(new URL('.', import.meta.url), 'rule-table', lines);
});

test('of two terms for one surface, only one that is three times as frequent is safe', () => {
  const of = (canonical: string, count: number): Evidence[] =>
    Array.from({ length: count }, (_, start) => ({
      said: 'accepted',
      surface: 'keycloke',
      canonical,
      known: true,
      context: [],
      start,
    }));
  const safe = (most: number, rival: number): boolean[] =>
    candidatesOf(
      [
        {
          runId: 'run',
          createdAt: 1,
          evidence: [...of('Keycloak', most), ...of('Key Glow', rival)],
        },
      ],
      emptyDocument(),
    ).map((candidate) => candidate.safe);
  expect([safe(3, 1), safe(2, 1), safe(6, 2), safe(5, 2)]).toEqual([
    [true, false],
    [false, false],
    [true, false],
    [false, false],
  ]);
});

test('a name a letter or two from one known for longer is a slip', () => {
  const safe = (name: string, other: string): boolean[] => {
    const of = (canonical: string): Evidence => ({
      said: 'typed',
      surface: `${canonical.toLowerCase().slice(0, -1)} x`,
      canonical,
      known: false,
      context: [],
      start: 0,
    });
    const evidence = [of(other), of(other), of(name), of(name), of(name)];
    const found = candidatesOf([{ runId: 'run', createdAt: 1, evidence }], emptyDocument());
    return found.map((candidate) => candidate.safe);
  };
  const [far, two, one] = [
    safe('Kubernetes', 'Kuberxxxes'),
    safe('Kubernetes', 'Kuberxxtes'),
    safe('Kubernetes', 'Kubernete'),
  ];
  expect([far, two, one]).toEqual([
    [true, true],
    [false, true],
    [false, true],
  ]);
});

describe('a phrase', () => {
  test.each([
    ['d b t', true, 0],
    ['a b c', true, 0],
    ['a i', false, 0],
    ['a i c', false, 0],
    ['b c', false, 0],
    ['keycloke', true, 1],
    ['the keycloke', true, 1],
    ['abq', false, 1],
    ['abqx', true, 1],
    ['xq abq', true, 2],
    ['ab qx', false, 2],
    ['house of cards', false, 2],
    ['of the', false, 0],
  ])('%j is strange: %p, with %d words of content', (surface, strange, count) => {
    expect([isStrange(surface), contentWords(surface)]).toEqual([strange, count]);
  });
});

describe('a term as it is stored', () => {
  test('is tidy, and lists risky and confirmed forms among the mishears', () => {
    expect(
      storedTerm(
        {
          canonical: '  Auth   Kit ',
          mishears: ['Off  Kit', 'off kit', 'Auth Kit'],
          risky: [' Off Kit', 'Kit'],
          confirmed: ['KIT', 'Awe kit'],
          near: ['Login', 'login'],
          aliases: [' Auth-Kit ', 'Auth-Kit'],
          say: ' awth  kit ',
          note: ' as it is ',
        },
        'person' as never,
      ),
    ).toEqual({
      canonical: 'Auth Kit',
      kind: 'technical_term',
      mishears: ['off kit', 'auth kit', 'kit', 'awe kit'],
      risky: ['off kit', 'kit', 'awe kit'],
      near: ['login'],
      confirmed: ['kit', 'awe kit'],
      say: 'awth kit',
      aliases: ['Auth-Kit'],
      weight: 10,
      note: ' as it is ',
      source: 'person' as never,
    });
    expect(
      storedTerm({ canonical: 'x', weight: 3, kind: 'person_name' }, 'review' as never),
    ).toEqual({
      canonical: 'x',
      kind: 'person_name',
      mishears: [],
      weight: 3,
      source: 'review' as never,
    });
  });

  test.each([
    ['one two three four five six', undefined],
    ['one two three four five six seven', false],
  ])('%j: sent to recognisers unless %p', (canonical, keyterm) => {
    expect(storedTerm({ canonical }, 'person' as never).keyterm).toBe(keyterm);
    expect(storedTerm({ canonical, keyterm: false }, 'person' as never).keyterm).toBe(false);
  });

  test.each([
    ['SAML', 'acronym'],
    ['K8S', 'acronym'],
    ['LLMs', 'acronym'],
    ['ABCDEF', 'acronym'],
    ['ABCDEFG', 'technical_term'],
    ['A', 'technical_term'],
    ['xSAML', 'product_name'],
    ['AuthKit', 'product_name'],
    ['Authkit', 'technical_term'],
    ['auth kit', 'technical_term'],
  ])('%s is of the kind %s', (canonical, kind) => {
    expect(kindOf(canonical)).toBe(kind as never);
  });

  const long =
    'a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p';
  test.each([
    [{ canonical: long }],
    [{ canonical: 'x', say: long }],
    [{ canonical: 'x', mishears: [long] }],
    [{ canonical: 'x', near: [long] }],
    [{ canonical: 'x', aliases: [long] }],
  ])('with too many words is refused: %j', (given) => {
    const faults = termsFaults([
      storedTerm({ canonical: 'y' }, 'person' as never),
      storedTerm(given, 'person' as never),
    ]);
    expect(faults).toEqual([
      { path: 'terms.1', message: `has a form with too many words: ${long.slice(0, 40)}` },
    ]);
  });

  test('replaces the one of its name in place, and keeps its origin if nothing changed', () => {
    const term = (canonical: string, source: string, more = {}) =>
      storedTerm({ canonical, ...more }, source as never);
    const document = {
      ...emptyDocument(),
      terms: [term('AuthKit', 'a'), term('SCIM', 'a'), term('SAML', 'a')],
    };
    const { terms } = patchTerms(
      document,
      {
        terms: [{ canonical: 'new' }, { canonical: 'scim' }, { canonical: 'AuthKit' }],
        remove: ['saml', 'scim'],
      },
      'b' as never,
    );
    expect(terms).toEqual([term('AuthKit', 'a'), term('scim', 'b'), term('new', 'b')]);
    expect(patchTerms(document, {}, 'b' as never)).toEqual(document);
  });

  test('a document of 1,000 terms is full', () => {
    const terms = (count: number) =>
      Array.from({ length: count }, (_, at) => storedTerm({ canonical: `t${at}` }, 'a' as never));
    expect([999, 1000].map((count) => isFull({ ...emptyDocument(), terms: terms(count) }))).toEqual(
      [false, true],
    );
  });
});

describe('a file of terms', () => {
  test('as a list: one spelling of each, by lines, commas or semicolons', () => {
    const terms = fromPlainList(' AuthKit,SCIM;\r\nauthkit\r\n\n SAML \rMCP');
    expect(terms.map(({ canonical }) => canonical)).toEqual(['AuthKit', 'SCIM', 'SAML', 'MCP']);
    expect(toPlainList(terms.map((term) => storedTerm(term, 'a' as never)))).toBe(
      'AuthKit\nSCIM\nSAML\nMCP\n',
    );
  });

  test('as YAML: read as it was written, without its origin', async () => {
    const term = storedTerm(
      { canonical: 'AuthKit', mishears: ['off kit'], confirmed: ['off kit'] },
      'a' as never,
    );
    const { source: _source, confirmed: _confirmed, ...plain } = term;
    const yaml = await toYaml([term]);
    expect(yaml).toStartWith('id: workspace/terms\nversion: 1\n');
    expect(await fromYaml(yaml)).toEqual({ value: { terms: [plain] } });
  });

  test.each([
    ['- canonical: yes', { value: { terms: [{ canonical: 'yes' }] } }],
    ['terms: 7', { value: { terms: 7 } }],
    ['', { value: { terms: null } }],
    ['[0o14, 0x1f, 1_0, 12:30, ~]', { value: { terms: [12, 31, '1_0', '12:30', null] } }],
  ])('%j', async (text, read) => {
    expect(await fromYaml(text)).toEqual(read as never);
  });

  test('that is no YAML, or copies itself a thousand times, is refused', async () => {
    expect(await fromYaml('a: [')).toMatchObject({
      faults: [{ path: '', message: expect.stringContaining('is not YAML') }],
    });
    const bomb = [
      'a0: &a0 [x]',
      ...Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`),
    ].join('\n');
    expect(await fromYaml(bomb)).toMatchObject({ faults: [{ path: '' }] });
  });
});
