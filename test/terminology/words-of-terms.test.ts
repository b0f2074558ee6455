/** Words prepared for comparison with terms: parts, endings, and ordinary words; and the packs of a run. */
import { describe, expect, test } from 'bun:test';
import {
  compactKey,
  fold,
  includesPhrase,
  phraseKey,
  stemOf,
  tokenize,
  wordParts,
} from '../../server/terminology/match/normalize.ts';
import {
  isCommonWord,
  isFunctionWord,
  isOrdinaryText,
  isOrdinaryWord,
} from '../../server/terminology/match/ordinary-words.ts';
import { describeIssues } from '../../server/terminology/packs/pack-lines.ts';
import type { TermPack } from '../../server/terminology/packs/pack.ts';
import { selectPacks, type PackSelectionRequest } from '../../server/terminology/packs/select.ts';

describe('a text', () => {
  test.each([
    ['Café’s', "cafe's"],
    ['ABC', 'abc'],
    ['ÅÉ`ʼ‘', "ae'''"],
    ['ﬁx', 'fix'],
  ])('%j is folded to %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  test.each([
    ['("work-OS\'s),', '("', "work-OS's", '),'],
    ['  C++. ', '', 'C++', '.'],
    ['C#', '', 'C#', ''],
    ['—', '—', '', ''],
    ['é!', '', 'é', '!'],
    ['(1)', '(', '1', ')'],
    ['cafe\u0301,', '', 'cafe\u0301', ','],
  ])('%j has parts', (text, lead, core, trail) => {
    expect(wordParts(text)).toEqual({ lead, core, trail });
  });

  test.each([
    ['Fine-grained OAuth 2.1!', ['fine', 'grained', 'oauth', '2.1']],
    ['S.L.A.', ['s', 'l', 'a']],
    ['U.S', ['u', 's']],
    ['a.b2', ['a.b2']],
    ['and/or_not', ['and', 'or', 'not']],
    ['one–two—three‑four', ['one', 'two', 'three', 'four']],
    ['- — ', []],
  ])('%j has tokens', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens);
  });

  test('has keys without case, hyphens or, if wanted, spaces', () => {
    expect([phraseKey('Open-Source,'), compactKey('Open-Source,')]).toEqual([
      'open source',
      'opensource',
    ]);
    expect(includesPhrase(['x', 'open-source'], 'Open Source')).toBe(true);
    expect(includesPhrase(['x', 'open-source'], 'Opensource')).toBe(false);
  });

  test.each([
    ["os's", 'os', "'s"],
    ['servers', 'server', 's'],
    ['ads', 'ad', 's'],
  ] as const)('%j is %j with an ending', (token, stem, suffix) => {
    expect(stemOf(token)).toEqual({ stem, suffix });
  });

  test.each(['as', 'class', "class's'", 'server', 's'])('%j has no ending', (token) => {
    expect(stemOf(token)?.suffix ?? 'none').toBe('none');
  });
});

describe('English', () => {
  test.each([
    ['finally', true, true],
    ['defense', true, true],
    ['favour', true, true],
    ["people's", true, true],
    ['exposure', true, false],
    ['emphasize', true, false],
    ['enquire', true, false],
    ['forfeit', true, false],
    ['glycerin', true, false],
    ['gybe', true, false],
    ['workflows', true, false],
    ['frumpy', false, false],
    ['epicenter', false, false],
  ])('%s is ordinary: %p, common: %p', (word, ordinary, common) => {
    expect([isOrdinaryWord(word), isCommonWord(word)]).toEqual([ordinary, common]);
  });

  test('knows function words, and texts of nothing else', () => {
    expect(['the', "they're", 'server'].map(isFunctionWord)).toEqual([true, true, false]);
    expect(isOrdinaryText("The server, and they're fine")).toBe(true);
    expect(isOrdinaryText('The AuthKit server')).toBe(false);
  });
});

describe('the packs of a run', () => {
  const pack = (id: string, triggers: string[], relatedPackIds: string[] = []): TermPack =>
    ({ id, triggers, relatedPackIds }) as unknown as TermPack;
  const packs = [
    pack('a', ['mcp', 'model context'], ['b']),
    pack('b', ['c++'], ['c']),
    pack('c', ['café'], ['a']),
    pack('d', ['mp3']),
  ];
  const selected = (request: Partial<PackSelectionRequest>): string[] =>
    selectPacks(packs, { requestedPacks: [], glossary: [], keyterms: [], ...request }).map(
      ({ pack: { id }, factor }) => `${id} ${factor}`,
    );

  test.each<[Partial<PackSelectionRequest>, string[]]>([
    [{}, []],
    [{ topic: 'On MCP!' }, ['a 1', 'b 0.5']],
    [{ topic: 'mcps' }, []],
    [{ topic: 'the model-context protocol' }, ['a 1', 'b 0.5']],
    [{ topic: 'the model', glossary: ['context'] }, []],
    [{ filename: 'my-mcp-talk.mp3' }, ['a 1', 'b 0.5']],
    [{ filename: 'mcp.MP3' }, ['a 1', 'b 0.5']],
    [{ filename: 'on-mp3.mp3' }, ['d 1']],
    [{ glossary: ['x', 'CAFÉ'] }, ['c 1', 'a 0.5']],
    [{ keyterms: ['Cafe'] }, ['c 1', 'a 0.5']],
    [{ topic: `${'x '.repeat(998)} mcp` }, ['a 1', 'b 0.5']],
    [{ topic: `${'x '.repeat(1000)}mcp` }, []],
    [{ filename: `${'x '.repeat(512)}mcp` }, []],
    [{ glossary: ['x'.repeat(201), `${'x '.repeat(99)}mcp`] }, []],
    [{ requestedPacks: ['c', 'x', 'c', 'a'], topic: 'c++' }, ['c 1', 'a 1', 'b 0.5']],
  ])('for %j', (request, expected) => {
    expect(selected(request)).toEqual(expected);
  });
});

test('errors in a pack name the line of their field, or of its nearest parent', () => {
  const text = 'id: x\nterms:\n  - canonical: A\n    weight: 3\n  - canonical: B\n';
  const issue = (field: string) => ({ field, message: 'is wrong' });
  const fields = ['terms.0.weight', 'terms.1.canonical', 'terms.1.weight', 'terms', 'title', ''];
  expect(describeIssues({ path: 'p.yaml', text, issues: fields.map(issue) })).toEqual([
    'p.yaml:4: terms.0.weight is wrong',
    'p.yaml:5: terms.1.canonical is wrong',
    'p.yaml:5: terms.1.weight is wrong',
    'p.yaml:3: terms is wrong',
    'p.yaml:1: title is wrong',
    'p.yaml:1: the file is wrong',
  ]);
  const [first] = describeIssues({
    path: 'p.yaml',
    text: 'id: x\nterms: [',
    issues: [issue('id')],
  });
  expect(first).toStartWith('p.yaml:2: ');
});
