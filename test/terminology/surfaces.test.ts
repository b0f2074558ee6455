/** The forms of a term: their endings, and which of two forms with the same letters counts. */
import { expect, test } from 'bun:test';
import { indexSurfaces } from '../../server/terminology/match/surface-index.ts';
import { surfacesOf } from '../../server/terminology/match/surfaces.ts';
import { term } from './made-terms.ts';

const surfaces = surfacesOf(
  term('Kubernetes', {
    aliases: ['kube', "kuber netty's", 'cluster'],
    mishears: ['kubes', "kubernetes's", 'kuber netty', 'kuber nettys', "koober's", 'cluster'],
    risky: ['kubes'],
  }),
  true,
);

test.each([
  ['the term', 'kubernetes', 'canonical', ''],
  ['the term with an ending', "kubernetes's", 'mishear', "'s"],
  ['a mishear', 'kuber netty', 'mishear', ''],
  ['a mishear with an ending', 'kuber nettys', 'mishear', 's'],
  ['what is no form of it without the ending', "koober's", 'mishear', ''],
  ['an alias, which is another word, with an ending', 'kubes', 'mishear', ''],
  ['an alias with an ending of its own', "kuber netty's", 'alias', ''],
  ['a mishear that is an alias too', 'cluster', 'alias', ''],
])('%s (%s) is a form of kind %s with the ending “%s”', (_, key, form, suffix) => {
  const found = surfaces.filter((surface) => surface.key === key);
  expect(found).toMatchObject([{ form, suffix, risky: key === 'kubes' }]);
});

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
])('the joined words of %s are a form of it, unless they are an ordinary word', (name, key, is) => {
  expect(surfacesOf(term(name), true).some((each) => each.key === key)).toBe(is);
});

test.each([
  ['an accepted form', term('Zorb', { aliases: ['kuvex'] }), term('Melv', { mishears: ['kuvex'] })],
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

test('of two terms with the same accepted form, the one of higher rank wins', () => {
  const terms = [term('Zorb', { aliases: ['kuvex'] }), term('Kuvex')];
  for (const ranked of [terms, terms.toReversed()]) {
    expect(indexSurfaces(ranked, true).byKey.get('kuvex')?.term).toBe(ranked[0]);
  }
});
