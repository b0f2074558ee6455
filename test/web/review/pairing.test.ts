/** The pairing of two texts of the same speech has the least possible cost. */
import { expect, test } from 'bun:test';
import { distance } from 'fastest-levenshtein';
import fc from 'fast-check';
import { alignWords, type Pairing } from '../../../web/review/model/align-words.ts';

/** The cost of pairing two words: nothing if they are equal, and more the less they have in common. */
function costOf(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '' || other === '') return 3;
  const share = distance(one, other) / Math.max(one.length, other.length);
  return share < 1 ? 0.4 + share : 1.7;
}

/** The cost of a pairing: a word that is left out costs 1, and one that is written as two 0.2. */
function costOfAll(script: readonly string[], heard: readonly string[], pairs: readonly Pairing[]) {
  let [left, heardLeft, cost] = [script.length, heard.length, 0];
  for (const pair of pairs) {
    left -= pair.scriptCount;
    heardLeft -= pair.heardCount;
    cost +=
      pair.scriptCount + pair.heardCount > 2
        ? 0.2
        : costOf(script[pair.script]!, heard[pair.heard]!);
  }
  return cost + left + heardLeft;
}

/** The least cost of all pairings, by trying them all. */
function leastOf(script: readonly string[], heard: readonly string[]): number {
  const known = new Map<string, number>();
  const least = (at: number, heardAt: number): number => {
    const key = `${at} ${heardAt}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const costs: number[] = [];
    const [word, other] = [script[at], heard[heardAt]];
    if (word === undefined && other === undefined) costs.push(0);
    if (word !== undefined) costs.push(1 + least(at + 1, heardAt));
    if (other !== undefined) costs.push(1 + least(at, heardAt + 1));
    if (word !== undefined && other !== undefined) {
      costs.push(costOf(word, other) + least(at + 1, heardAt + 1));
      const [nextWord, nextOther] = [script[at + 1], heard[heardAt + 1]];
      if (nextOther !== undefined && word !== '' && other + nextOther === word) {
        costs.push(0.2 + least(at + 1, heardAt + 2));
      }
      if (nextWord !== undefined && other !== '' && word + nextWord === other) {
        costs.push(0.2 + least(at + 2, heardAt + 1));
      }
    }
    const found = Math.min(...costs);
    known.set(key, found);
    return found;
  };
  return least(0, 0);
}

const someWords = fc.array(
  fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'aba', 'abab', 'xyz', 'team', 'teams', 'kit'),
  { maxLength: 8 },
);

test('of few words', () => {
  fc.assert(
    fc.property(someWords, someWords, (script, heard) => {
      const pairs = alignWords(script, heard);
      expect(costOfAll(script, heard, pairs)).toBeCloseTo(leastOf(script, heard), 9);
    }),
    { numRuns: 400 },
  );
});

test('word for word, one for two, and two for one', () => {
  const pairs = (script: string, heard: string) =>
    alignWords(script.split(' '), heard.split(' ')).map(
      ({ script: at, scriptCount, heard: heardAt, heardCount, same }) =>
        `${at}+${scriptCount} ${heardAt}+${heardCount}${same ? ' same' : ''}`,
    );
  expect(pairs('we use authkit here', 'we use auth kit here')).toEqual([
    '0+1 0+1 same',
    '1+1 1+1 same',
    '2+1 2+2 same',
    '3+1 4+1 same',
  ]);
  expect(pairs('we use auth kit here', 'we use authkit here')).toEqual([
    '0+1 0+1 same',
    '1+1 1+1 same',
    '2+2 2+1 same',
    '4+1 3+1 same',
  ]);
  expect(pairs('the scim client', 'the skim client')).toEqual([
    '0+1 0+1 same',
    '1+1 1+1',
    '2+1 2+1 same',
  ]);
  // Words with nothing in common are paired only if both would be left out otherwise.
  expect(pairs('so kit', 'abc kit')).toEqual(['0+1 0+1', '1+1 1+1 same']);
  expect(pairs('kit', 'abc kit')).toEqual(['0+1 1+1 same']);
});

test('of long texts, divided at phrases that occur once in both', () => {
  // 500 words each, more than are compared at once.
  const words = Array.from({ length: 500 }, (_, at) => `w${at}`);
  const script = words.flatMap((word, at) => (at % 7 === 3 ? [word, 'added'] : [word]));
  const heard = words.filter((_, at) => at % 11 !== 5);
  const pairs = alignWords(script, heard);
  expect(pairs.filter(({ same }) => same)).toHaveLength(heard.length);
  for (const { script: at, heard: heardAt } of pairs) expect(script[at]).toBe(heard[heardAt]);
});

test('of long texts that have only their beginning in common, or repeat themselves', () => {
  const begun = ['one', 'two', 'three'];
  const long = (word: string) => [...begun, ...Array.from({ length: 500 }, () => word)];
  const pairs = alignWords(long('x'), long('y'));
  expect(pairs.slice(0, 3).map(({ same }) => same)).toEqual([true, true, true]);
  const same = alignWords(long('x'), long('x'));
  expect(same.filter((pair) => pair.same)).toHaveLength(503);
});

test('the pairs of long texts are in order, where a part of one stands elsewhere in the other', () => {
  const part = (name: string) => Array.from({ length: 300 }, (_, at) => `${name}${at}`);
  const [one, other] = [part('a'), part('b')];
  const pairs = alignWords([...one, ...other], [...other, ...one]);
  expect(pairs.length).toBeGreaterThanOrEqual(300);
  for (const [at, { script, heard }] of pairs.slice(1).entries()) {
    expect(script).toBeGreaterThan(pairs[at]!.script);
    expect(heard).toBeGreaterThan(pairs[at]!.heard);
  }
});
