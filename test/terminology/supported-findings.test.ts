/** Doubtful findings that others in the talk support, and those that nothing supports. */
import { describe, expect, test } from 'bun:test';
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import type { Found, Match } from '../../server/terminology/match/findings.ts';
import { supportedFindings } from '../../server/terminology/match/supported-findings.ts';
import type { Surface } from '../../server/terminology/match/surfaces.ts';
import { surface, term } from './made-terms.ts';

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

  test.each<[Found[], string]>([
    [[phrase(), sure(okta, 1)], '"heard" is the name Audit Logs: Okta is nearby.'],
    [[phrase(), sure(logs, 99)], '"heard" is the name Audit Logs, which was said elsewhere too.'],
    [
      [phrase(), sure(okta, 50), sure(saml, 90)],
      '"heard" is the name Audit Logs, which belongs to the subject of the talk.',
    ],
  ])('and say why: %#', (all, reason) => {
    expect(supportedFindings(all, () => null, new Set())[0]?.match?.reason).toBe(reason);
  });
});
