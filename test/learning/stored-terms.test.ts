/** Terms of a workspace: as they are stored and checked, and as files. */
import { describe, expect, test } from 'bun:test';
import {
  termsFromList,
  termsToList,
  termsFromYaml,
  termsToYaml,
  patchTerms,
  storedTerm,
  termsIssues,
} from '../../server/learning/edit-terms.ts';
import { emptyDocument } from './documents.ts';

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

  const long =
    'a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p';
  test.each([
    [{ canonical: long }],
    [{ canonical: 'x', say: long }],
    [{ canonical: 'x', mishears: [long] }],
    [{ canonical: 'x', near: [long] }],
    [{ canonical: 'x', aliases: [long] }],
  ])('with too many words is refused: %j', (given) => {
    const faults = termsIssues([
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
});

describe('a file of terms', () => {
  test('as a list: one spelling of each, by lines, commas or semicolons', () => {
    const terms = termsFromList(' AuthKit,SCIM;\r\nauthkit\r\n\n SAML \rMCP');
    expect(terms.map(({ canonical }) => canonical)).toEqual(['AuthKit', 'SCIM', 'SAML', 'MCP']);
    expect(termsToList(terms.map((term) => storedTerm(term, 'a' as never)))).toBe(
      'AuthKit\nSCIM\nSAML\nMCP\n',
    );
  });

  test('as YAML: read as written, without its origin', async () => {
    const term = storedTerm(
      { canonical: 'AuthKit', mishears: ['off kit'], confirmed: ['off kit'] },
      'a' as never,
    );
    const { source: _source, confirmed: _confirmed, ...plain } = term;
    const yaml = await termsToYaml([term]);
    expect(yaml).toStartWith('id: workspace/terms\nversion: 1\n');
    expect(await termsFromYaml(yaml)).toEqual({ value: { terms: [plain] } });
  });

  test.each([
    ['- canonical: yes', { value: { terms: [{ canonical: 'yes' }] } }],
    ['terms: 7', { value: { terms: 7 } }],
    ['AuthKit', { value: { terms: 'AuthKit' } }],
    ['~', { value: { terms: null } }],
    ['[0o14, 0x1f, 1_0, 12:30, ~]', { value: { terms: [12, 31, '1_0', '12:30', null] } }],
  ])('%j', async (text, read) => {
    expect(await termsFromYaml(text)).toEqual(read as never);
  });

  test('that is no YAML, or copies itself a thousand times, is refused', async () => {
    expect(await termsFromYaml('a: [')).toMatchObject({
      issues: [{ path: '', message: expect.stringContaining('is not YAML') }],
    });
    const bomb = [
      'a0: &a0 [x]',
      ...Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`),
    ].join('\n');
    expect(await termsFromYaml(bomb)).toMatchObject({ issues: [{ path: '' }] });
  });
});
