/** The token stream of a transcript, the surroundings of a span in it, words near it, and its context. */
import { describe, expect, test } from 'bun:test';
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import { contextOf, type Sighting } from '../../server/terminology/match/context.ts';
import { freePlaces } from '../../server/terminology/match/free-places.ts';
import {
  nearbyWord,
  readTokens,
  surroundingsOf,
} from '../../server/terminology/match/token-stream.ts';
import { isConfidenceInformative, leastConfidence } from '../../server/terminology/match/match.ts';
import { wordsOf } from './support.ts';

const stream = (text: string) => readTokens(wordsOf(text));

test('tokens belong to words, and know where words begin and end', () => {
  const { tokens, wordOf, startsWord, endsWord } = stream('The non-MCP-based – S.L.A. is “up”.');
  expect(tokens).toEqual(['the', 'non', 'mcp', 'based', 's', 'l', 'a', 'is', 'up']);
  const at = tokens.map((_, token) => token);
  expect(at.map(wordOf)).toEqual([0, 1, 1, 1, 3, 3, 3, 4, 5]);
  expect(at.filter(startsWord)).toEqual([0, 1, 4, 7, 8]);
  expect(at.filter(endsWord)).toEqual([0, 3, 6, 7, 8]);
});

test('each word of a sound is a token that nothing resembles', () => {
  expect(stream('a [Loud MCP] b').tokens).toEqual(['a', '\u0000', '\u0000', 'b']);
});

test('the confidence in a span is that of its names, or of its function words if there are no others', () => {
  const words = [0.3, 0.9, 0.2].map((confidence, at) => ({
    ...wordsOf('to scim the')[at]!,
    confidence,
  }));
  expect(leastConfidence(words, 0, 2)).toBe(0.9);
  expect(leastConfidence(words, 0, 0)).toBe(0.3);
  const names = [0.9, 0.4].map((confidence, at) => ({
    ...wordsOf('scim okta')[at]!,
    confidence,
  }));
  expect(leastConfidence(names, 0, 1)).toBe(0.4);
  expect(leastConfidence(wordsOf('to scim'), 0, 1)).toBe(1);
});

test('low confidence tells something if the mean is 0.7 or more', () => {
  const of = (confidence: number) =>
    isConfidenceInformative([{ text: 'all', start: 0, end: 0.2, confidence }]);
  expect([of(0.7), of(0.699), isConfidenceInformative(wordsOf('all'))]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a word of more than 400 characters is one token that nothing resembles', () => {
  expect(stream(`a ${'x'.repeat(400)} b`).tokens).toEqual(['a', 'x'.repeat(400), 'b']);
  expect(stream(`a ${'x'.repeat(401)} b`).tokens).toEqual(['a', '\u0000', 'b']);
});

test.each<[string, [number, number], unknown]>([
  ['we use mcp here', [2, 2], { head: '', tail: '' }],
  ['a non-mcp-based tool', [2, 2], { head: 'non-', tail: '-based' }],
  ['a non-mcp-based tool', [1, 2], { head: '', tail: '-based' }],
  ['a non-mcp-based tool', [2, 3], { head: 'non-', tail: '' }],
  ['(pre-off kit/like)', [1, 2], { head: 'pre-', tail: '/like' }],
  // The letters are no parts that a joint separates.
  ['the S.L.A-based plan', [1, 2], null],
  ['the S.L.A-based plan', [2, 4], null],
  ['the S.L.A. plan', [1, 3], { head: '', tail: '' }],
  // An accent alone is a part, but no token.
  ['the mcp-\u0301-based plan', [1, 1], null],
])('around a span of %j, tokens %j: %o', (text, [first, last], expected) => {
  const around: unknown = surroundingsOf(stream(text), first, last);
  expect(around).toEqual(expected);
});

describe('a word near a span', () => {
  const text = 'okta one two span here three servers access token far';
  //            0    1   2   3    4    5     6       7      8     9
  const near = (wanted: string[], reach: number) =>
    nearbyWord(stream(text), 3, 4, new Set(wanted), reach);

  test.each<[string, string[], number, string | null]>([
    ['before it', ['okta'], 3, 'okta'],
    ['before it, too far', ['okta'], 2, null],
    ['after it', ['three'], 1, 'three'],
    ['after it, too far', ['servers'], 1, null],
    ['in the singular', ['server'], 2, 'servers'],
    ['of two tokens', ['access token'], 3, 'access token'],
    ['of two tokens before it', ['one two'], 2, 'one two'],
    ['in the span itself', ['span', 'here'], 9, null],
    ['the nearest', ['okta', 'servers'], 9, 'servers'],
    ['the one before, if both are as near', ['two', 'three'], 9, 'two'],
    ['not there', ['entra'], 9, null],
    ['beyond both ends', ['undefined'], 99, null],
  ])('%s', (_, wanted, reach, expected) => {
    expect(near(wanted, reach)).toBe(expected);
  });

  test('is not looked for without any', () => {
    expect(nearbyWord(stream(text), 3, 4, undefined, 9)).toBeNull();
  });
});

test('the context of a span is the first term of its pack within twelve tokens', () => {
  const term = (...packIds: string[]) => ({ packIds }) as unknown as ActiveTerm;
  const at = (first: number, last: number, ...packs: string[]): Sighting => ({
    first,
    last,
    term: term(...packs),
  });
  const found = (sightings: Sighting[]) => contextOf(term('a', 'b'), 50, 51, sightings)?.first;
  expect(found([])).toBeUndefined();
  expect(found([at(38, 38, 'a')])).toBe(38);
  expect(found([at(36, 37, 'a')])).toBeUndefined();
  expect(found([at(30, 38, 'a')])).toBe(30);
  expect(found([at(63, 64, 'b')])).toBe(63);
  expect(found([at(64, 64, 'b')])).toBeUndefined();
  expect(found([at(49, 50, 'a')])).toBeUndefined();
  expect(found([at(51, 52, 'a')])).toBeUndefined();
  expect(found([at(49, 49, 'c'), at(52, 52, 'c', 'a')])).toBe(52);
  const many = Array.from({ length: 40 }, (_, index) => at(index, index, 'a'));
  expect(found(many)).toBe(38);
});

test('places are free until they are taken', () => {
  const places = freePlaces(6);
  places.take(2, 3);
  const free = (first: number, last?: number) => places.isFree(first, last);
  expect([0, 1, 2, 3, 4, 5].map((place) => free(place))).toEqual([
    true,
    true,
    false,
    false,
    true,
    true,
  ]);
  expect([free(0, 1), free(1, 2), free(0, 5), free(3, 4), free(4, 5)]).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
});
