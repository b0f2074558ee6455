/** The exceptions that excuse a sentence, and how text is divided into sentences. */
import { describe, expect, test } from 'bun:test';
import { HATE_RULES } from '../../server/moderation/hate.ts';
import { MINORS_RULES } from '../../server/moderation/minors.ts';
import { breaksRule, REPORTED, type Rule } from '../../server/moderation/rule.ts';
import { foldedSentences } from '../../server/moderation/rules.ts';
import { THREAT_RULES } from '../../server/moderation/threats.ts';
import { BLOCKED } from './sentences.ts';

test('which exceptions the rules have', () => {
  const shape = (rules: readonly Rule[]) =>
    rules.map(({ severity, unless }) => [severity, ...unless.map(({ where }) => where)].join(' '));
  const [desire, offered] = ['high before', 'high anywhere'];
  expect(shape(MINORS_RULES)).toEqual(
    [
      [desire, desire, desire, desire, offered, desire, desire],
      [offered, offered, offered, offered, offered, 'high before before'],
      [desire, desire, desire, desire],
    ].flat(),
  );
  const threat = 'high before before anywhere anywhere before';
  expect(new Set(shape(THREAT_RULES))).toEqual(
    new Set([threat, 'high before anywhere', 'high before']),
  );
  expect(new Set(shape(HATE_RULES))).toEqual(
    new Set([
      'high before before anywhere',
      'medium before before anywhere',
      'high',
      'high anywhere',
    ]),
  );
});

test('every rule about threats and hate blocks a sentence of the table', () => {
  const folded = Object.values(BLOCKED).flat().flatMap(foldedSentences);
  const unused = [...THREAT_RULES, ...HATE_RULES].filter(
    (rule) => !folded.some((sentence) => breaksRule(sentence, rule)),
  );
  expect(unused.map(({ pattern }) => pattern.source)).toEqual([]);
});

test.each([
  [60, false],
  [61, true],
])('an exception counts up to 60 characters before: %d, blocked: %p', (distance, blocked) => {
  const rule: Rule = {
    category: 'threat',
    severity: 'high',
    pattern: /\bbad\b/g,
    unless: [{ where: 'before', pattern: /\bsaid\b/g }],
  };
  const sentence = `he said ${'x'.repeat(distance - 6)} bad`;
  expect(sentence.indexOf('bad') - sentence.indexOf('said')).toBe(distance);
  expect(breaksRule(sentence, rule)).toBe(blocked);
});

test('each place of the words is judged by what precedes it', () => {
  const rule: Rule = {
    category: 'hate',
    severity: 'high',
    pattern: /\bbad\b/g,
    unless: [REPORTED],
  };
  expect(breaksRule('he said bad', rule)).toBe(false);
  expect(breaksRule('bad he said', rule)).toBe(true);
  expect(breaksRule('bad he said bad', rule)).toBe(true);
  expect(breaksRule('bad', { ...rule, unless: [] })).toBe(true);
});

describe('folding', () => {
  test.each<[string, string[]]>([
    ['Don’t. Don‘t. Donʼt. Don`t. Don´t!', ["don't", "don't", "don't", "don't", 'don t']],
    ['ÉTÉ à Köln, ﬁn.', ['ete a koln fin']],
    ['  one -- two…\n(three)  ', ['one two', 'three']],
    ['One. ... Two?', ['one', 'two']],
    ['', []],
  ])('%j is %j', (text, sentences) => {
    expect(foldedSentences(text)).toEqual(sentences);
  });

  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `w${from + at}`).join(' ');
  test.each<[number, [number, number][]]>([
    [39, [[0, 39]]],
    [40, [[0, 40]]],
    [
      41,
      [
        [0, 40],
        [20, 41],
      ],
    ],
    [
      60,
      [
        [0, 40],
        [20, 60],
      ],
    ],
    [
      61,
      [
        [0, 40],
        [20, 60],
        [40, 61],
      ],
    ],
  ])('%d words without a sentence end are read in pieces: %j', (count, pieces) => {
    expect(foldedSentences(words(0, count))).toEqual(pieces.map(([from, to]) => words(from, to)));
  });
});
