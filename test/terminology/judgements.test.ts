/** The evidence that a form is its term, in tables: each kind of form, support and doubt, from both sides. */
import { describe, expect, test } from 'bun:test';
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import { isCorrectAsRecognised, judge } from '../../server/terminology/match/judge.ts';
import type { Surface } from '../../server/terminology/match/surfaces.ts';
import { surface, term } from './made-terms.ts';

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

  test.each<[string, string, Partial<Surface>, Partial<ActiveTerm>, boolean]>([
    ['fine-tuning', 'fine-tuning', { distinctness: 'caseless' }, {}, true],
    ['Fine-tuning', 'fine-tuning', { distinctness: 'caseless' }, {}, true],
    ['fine tuning', 'fine-tuning', { distinctness: 'caseless' }, {}, false],
    ['check in', 'check-in', { distinctness: 'caseless' }, {}, true],
    ['single sign on', 'single sign-on', { distinctness: 'caseless' }, {}, false],
    ['kubectl', 'kubectl', { distinctness: 'caseless' }, { mishears: ['kubectl'] }, false],
    ['kubectl', 'kubectl', { distinctness: 'sure' }, {}, false],
    ['kubectl', 'kubectl', { distinctness: 'caseless', form: 'alias' }, {}, false],
  ])('%j is %j as it was heard', (heard, canonical, more, of, expected) => {
    const own = surface('x', { ...more, term: term(canonical, of) });
    expect(isCorrectAsRecognised(heard, own)).toBe(expected);
  });
});
