/** Terms of a workspace: as they are stored and checked, and as files. */
import { describe, expect, test } from 'bun:test';
import { emptyDocument } from '../../server/learning/terminology-store.ts';
import { fromYaml, patchTerms, storedTerm } from '../../server/learning/edit-terms.ts';

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
  test.each([
    ['- canonical: yes', { value: { terms: [{ canonical: 'yes' }] } }],
    ['terms: 7', { value: { terms: 7 } }],
    ['AuthKit', { value: { terms: 'AuthKit' } }],
    ['~', { value: { terms: null } }],
    ['[0o14, 0x1f, 1_0, 12:30, ~]', { value: { terms: [12, 31, '1_0', '12:30', null] } }],
  ])('%j', async (text, read) => {
    expect(await fromYaml(text)).toEqual(read as never);
  });
});
