/** Words that were typed over: which stretches count, and which look like terms. */
import { describe, expect, test } from 'bun:test';
import type { CaptionCue } from '../../server/contract/captions.ts';
import { evidenceOf, looksLikeTerm } from '../../server/learning/evidence.ts';
import { evidenceText } from '../../server/learning/rules.ts';
import { captionWords, typedCorrections } from '../../server/learning/typed-corrections.ts';

describe('text that was typed over', () => {
  const words = (text: string) => captionWords([{ lines: text.split('|') }]);
  const typed = (before: string, after: string) =>
    typedCorrections(words(before), words(after)).map((one) => `${one.before} → ${one.after}`);

  test.each([
    // Words in lower case that stay the same belong to the sentence, if they only lost their capital.
    ['We ask off kid now', 'We ask auth kit now', ['off kid → auth kit']],
    ['We went. Then off kid', 'We went then AuthKit', ['off kid → AuthKit']],
    [
      'one two three four five six z',
      'a b c d e f z',
      ['one two three four five six → a b c d e f'],
    ],
    ['one two three four five six seven z', 'a z', []],
    ['a z', 'one two three four five six seven z', []],
    ['one two three', 'one three', []],
    ['one three', 'one two three', []],
    ['one two three', 'one 2 three 4', ['two → 2']],
  ])('%j becomes %j', (before, after, expected) => {
    expect(typed(before, after)).toEqual(expected);
  });

  test('has the positions of its words, and whether it opens a sentence', () => {
    const [first, second] = typedCorrections(
      words('okta is up. valt is|down'),
      words('Okta is up. Vault is down'),
    );
    expect(first).toEqual({ first: 0, last: 0, before: 'okta', after: 'Okta', opens: true });
    expect(second).toEqual({ first: 3, last: 3, before: 'valt', after: 'Vault', opens: true });
    expect(typedCorrections(words('is valt'), words('is Vault'))[0]?.opens).toBe(false);
  });

  test.each([
    ['He left. She', [true, false, true]],
    ['He left.” She', [true, false, true]],
    ['He left, she', [true, false, false]],
    ['<i>He</i> left… – she', [true, false, true]],
    ['3.5 left', [true, false]],
  ])('the words of %j that open a sentence', (text, expected) => {
    expect(words(text).map(({ opens }) => opens)).toEqual(expected);
  });

  test('is nothing if more than 500 words were added and removed', () => {
    const swapped = (count: number, more: string) => {
      const some = (name: string) =>
        Array.from({ length: count }, (_, at) => `${name}${at} same${at}`).join(' ');
      return typed(some('a'), some('b') + more).length;
    };
    expect([swapped(250, ''), swapped(250, ' more')]).toEqual([250, 0]);
  });
});

test.each([
  ['qux', false, false],
  ['quxx', false, true],
  ['Quxx', true, true],
  ['Window', true, false],
  ['Window', false, true],
  ['window', false, false],
  ['The', false, false],
  ['a Window', true, true],
  ['AB', false, true],
  ['a1', false, true],
  ['1a', false, true],
  ['aB', false, true],
  ['12', false, false],
])('%j, at the start of a sentence %p, looks like a term: %p', (text, opens, expected) => {
  expect(looksLikeTerm(text, opens)).toBe(expected);
});

describe('a typed word', () => {
  const read = (heard: string, typed: string, known: string[] = []) => {
    const words = heard.split(' ').map((text, at) => ({ text, start: at, end: at + 0.5 }));
    const cues = (text: string) => [{ lines: [text] } as unknown as CaptionCue];
    return evidenceOf(
      { words, cues: cues(heard), corrections: [], observations: [], known },
      { cues: cues(typed), corrections: [], speakers: [], finished: true },
    ).map(({ surface, canonical, known: isKnown }) => [surface, canonical, isKnown]);
  };

  test.each<[string, string, string[], unknown[]]>([
    // A known term needs no capitals, an unknown word does.
    ['we use walt here', 'we use vault here', ['Vault'], [['walt', 'vault', true]]],
    ['we use walt here', 'we use vault here', [], []],
    // Separate letters are a term in any case.
    ['we use d b t here', 'we use dbt here', [], [['d b t', 'dbt', false]]],
    // Words that sound quite different are another statement.
    ['we use window here', 'we use Kubernetes here', [], []],
    ['we use window here', 'we use Kubernetes here', ['Kubernetes'], []],
    [
      'we use cooper netties here',
      'we use Kubernetes here',
      [],
      [['cooper netties', 'Kubernetes', false]],
    ],
    // Function words are not misheard terms.
    ['we use than here', 'we use Thanos here', [], []],
    // The possessive ending belongs to the sentence.
    ["so key cloak's plan", "so Keycloak's plan", [], [['key cloak', 'Keycloak', false]]],
    ['so key cloaks plan', 'so Keycloak’s plan', [], [['key cloak', 'Keycloak', false]]],
  ])('of %j and %j', (heard, typed, known, expected) => {
    expect(read(heard, typed, known)).toEqual(expected as never);
  });
});

test.each([
  [
    { surface: 'skim', accepted: 2, rejected: 0, talks: 1 },
    'skim → SCIM, accepted twice in one talk',
  ],
  [
    { surface: null, accepted: 1, rejected: 3, talks: 2 },
    'SCIM, accepted once, rejected 3 times in 2 talks',
  ],
  [
    { surface: 'skim', accepted: 0, rejected: 1, talks: 1 },
    'skim → SCIM, rejected once in one talk',
  ],
])('the evidence %j in words', (given, expected) => {
  expect(evidenceText({ canonical: 'SCIM', ...given })).toBe(expected);
});
