/**
 * Forms excluded or marked by people and packs stay so in every spelling and variety of English.
 */
import { describe, expect, test } from 'bun:test';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { checkPacks } from '../../server/terminology/packs/pack-checks.ts';
import type { OwnTerm, OwnTerms } from '../../server/terminology/packs/own-terms.ts';
import { isTrusted, type SoundClaim } from '../../server/terminology/match/sound-trust.ts';
import { audit, corrected, request, wordsOf } from './support.ts';

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

  test('does not affect the other forms of the term', async () => {
    const terms = termsOf({ mishears: ['off kit'] }, never);
    expect(await corrected('we use off kit here', { terms })).toBe('we use AuthKit here');
  });
});

test.each(['en', 'en-US', 'EN-gb'])('%s is English: a listed word is corrected', (language) => {
  const terms = termsOf({ mishears: ['awfkit'] });
  const found = (spoken: string) =>
    createMatcher(terms, { language: spoken }).survey(wordsOf('we use awfkit here')).matches.length;
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

test('only key terms have to fit the providers; others may be long', () => {
  const canonical = 'one two three four five six seven';
  const faults = (keyterm?: boolean) =>
    checkPacks([
      {
        id: 'a',
        version: 1,
        title: 'A',
        triggers: [],
        relatedPackIds: [],
        terms: [
          {
            canonical,
            kind: 'product_name',
            weight: 5,
            ...(keyterm !== undefined && { keyterm }),
          },
        ],
      },
    ]).length;
  expect([faults(), faults(true), faults(false)]).toEqual([1, 1, 0]);
});

describe('a word that sounds like a term', () => {
  const claim = (given: Partial<SoundClaim> & { confidence?: number }): SoundClaim => ({
    words: [
      {
        text: 'anthropik',
        start: 0,
        end: 1,
        ...(given.confidence !== undefined && { confidence: given.confidence }),
      },
    ],
    term: 'anthropic',
    similarity: 0.8,
    rival: 0,
    sound: 'ANTRPK',
    near: true,
    clear: false,
    ...given,
  });

  test('is more likely another name if it was recognised with confidence', () => {
    expect(isTrusted(claim({}))).toBe(true);
    expect(isTrusted(claim({ confidence: 0.95 }))).toBe(false);
    expect(isTrusted(claim({ confidence: 0.95, clear: true }))).toBe(true);
    expect(isTrusted(claim({ confidence: 0.2, near: false }))).toBe(true);
    expect(isTrusted(claim({ near: false }))).toBe(false);
  });

  test('has to be more similar if its sound is short', () => {
    expect(isTrusted(claim({ similarity: 0.78, sound: 'RPK' }))).toBe(false);
    expect(isTrusted(claim({ similarity: 0.83, sound: 'RPK' }))).toBe(true);
  });

  test('is not trusted while another term is as likely', () => {
    expect(isTrusted(claim({ rival: 0.78 }))).toBe(false);
    expect(isTrusted(claim({ rival: 0.76 }))).toBe(true);
  });
});
