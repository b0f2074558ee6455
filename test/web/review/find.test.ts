import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { textOf, type ReviewCue } from '../../../web/review/model/cue.ts';
import { expressionOf, findAll, replaceAll, replaceOne } from '../../../web/review/model/find.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { cuesOf, someCues } from './support.ts';

const loose = { matchCase: false, wholeWord: false };
const found = (cues: readonly ReviewCue[], query: string, options = loose) =>
  findAll(cues, query, options).map(({ index, from, to }) => textOf(cues[index]!).slice(from, to));

const replaced = (cues: readonly ReviewCue[], query: string, by: string, options = loose) =>
  replaceAll(cues, findAll(cues, query, options), by)
    .reduce(applySplice, cues)
    .map(textOf);

describe('find', () => {
  const cues = cuesOf('An MCP\nserver, an mcp server', 'Servers: naïve; don’t');
  test.each([
    ['mcp server', loose, ['MCP\nserver', 'mcp server']],
    ['MCP server', { ...loose, matchCase: true }, ['MCP\nserver']],
    ['server', { ...loose, wholeWord: true }, ['server', 'server']],
    ['na', { ...loose, wholeWord: true }, []],
    ["don't", loose, ['don’t']],
    ['don’t', loose, ['don’t']],
    ['s: naïve; d', loose, ['s: naïve; d']],
    ['an|server', loose, []],
    ['.', loose, []],
    ['  ', loose, []],
    ['an', loose, ['An', 'an']],
  ])('%p', (query, options, expected) => {
    expect(found(cues, query, options)).toEqual(expected);
  });
  test('a whole word may contain marks, and letters of any script', () => {
    const wholeWord = { ...loose, wholeWord: true };
    expect(found(cuesOf('C++ and C++20'), 'C++', wholeWord)).toEqual(['C++']);
    expect(found(cuesOf('Сервер, серверы'), 'сервер', wholeWord)).toEqual(['Сервер']);
    // A sign that follows a letter belongs to its word.
    for (const regex of [false, true]) {
      const options = { ...wholeWord, regex };
      expect(found(cuesOf('न नि'), 'न', options)).toEqual(['न']);
      expect(findAll(cuesOf('निम म'), 'म', options).map(({ from }) => from)).toEqual([4]);
    }
  });
  test('either apostrophe finds both, each time', () => {
    const both = cuesOf("Rock 'n' roll, ’n’ so on");
    for (const query of ["'n'", '’n’', "'n’"]) expect(found(both, query)).toEqual(["'n'", '’n’']);
  });
  test('all matches equal the query', () => {
    fc.assert(
      fc.property(
        someCues,
        fc.constantFrom('the', 'MCP server', 'n', 'a-b', '“so”'),
        (cues, query) => {
          for (const text of found(cues, query)) {
            expect(text.replace(/\s+/g, ' ').toLowerCase()).toBe(query.toLowerCase());
          }
        },
      ),
    );
  });
});

describe('a regular expression', () => {
  const options = { ...loose, regex: true };
  test('works like JavaScript, line by line, and finds no empty matches', () => {
    expect(found(cuesOf('In 2024\nand 2025', 'x'), '\\d+$', options)).toEqual(['2024', '2025']);
    expect(found(cuesOf('aab'), 'x*', options)).toEqual([]);
    expect(found(cuesOf('cat concat'), 'cat|dog', { ...options, wholeWord: true })).toEqual([
      'cat',
    ]);
    expect(found(cuesOf('cat concat'), 'dog|cat', { ...options, wholeWord: true })).toEqual([
      'cat',
    ]);
    expect(found(cuesOf('Cat cat'), 'c.t', { ...options, matchCase: true })).toEqual(['cat']);
    expect(found(cuesOf('Cat cat'), 'c.t', options)).toEqual(['Cat', 'cat']);
    expect(() => found(cuesOf('a'), '(', options)).toThrow(SyntaxError);
    expect(found(cuesOf('a'), '', options)).toEqual([]);
  });
  test('inserts its groups into the replacement, with lookaround', () => {
    const by = (query: string, text: string) => ({
      text,
      expression: expressionOf(query, options)!,
    });
    const made = (text: string, query: string, replacement: string) =>
      replaceAll(cuesOf(text), findAll(cuesOf(text), query, options), by(query, replacement))
        .reduce(applySplice, cuesOf(text))
        .map(textOf);
    expect(made('3 to 4 and 5 to 6', '(\\d) to (\\d)', '$2–$1')).toEqual(['4–3 and 6–5']);
    expect(made('one two', '(?<=one )(?<word>\\w+)', '<$<word>>')).toEqual(['one <two>']);
  });
});

describe('replace', () => {
  test('uses the replacement literally', () => {
    expect(replaced(cuesOf('a b a'), 'a', '$& $1 \\')).toEqual(['$& $1 \\ b $& $1 \\']);
  });
  test.each([
    ['Use auth\nkit here', 'auth kit', 'Auth Kit', 'Use Auth\nKit here'],
    ['Use auth\nkit here', 'auth kit', 'AuthKit', 'Use AuthKit\nhere'],
    ['Use auth\nkit', 'auth kit', 'AuthKit', 'Use\nAuthKit'],
    ['model context\nprotocol is', 'model context protocol', 'the new MCP', 'the new\nMCP is'],
    [
      'model context\nprotocol is',
      'context protocol',
      'Context and Protocol',
      'model Context\nand Protocol is',
    ],
    ['one\ntwo', 'one two', 'a\nb\nc', 'a\nb\nc'],
  ])('keeps the break of %p', (text, query, by, expected) => {
    expect(replaced(cuesOf(text), query, by)).toEqual([expected]);
  });
  test('makes one splice for each cue', () => {
    const cues = cuesOf('a a', 'b', 'a');
    const splices = replaceAll(cues, findAll(cues, 'a', loose), 'c');
    expect(splices.map(({ at }) => at)).toEqual([0, 2]);
    expect(replaceAll(cues, findAll(cues, 'a', loose), 'a')).toEqual([]);
  });
  test('works for one match', () => {
    const cues = cuesOf('a a');
    const [, second] = findAll(cues, 'a', loose);
    expect(textOf(applySplice(cues, replaceOne(cues, second!, 'b'))[0]!)).toBe('a b');
    expect(() => replaceOne([], second!, 'b')).toThrow(RangeError);
  });
  test('is reversible, and leaves no match', () => {
    const exact = { matchCase: true, wholeWord: true };
    fc.assert(
      fc.property(someCues, fc.constantFrom('the', 'MCP', 'night'), (cues, query) => {
        const there = replaceAll(cues, findAll(cues, query, exact), 'Ωμέγα').reduce(
          applySplice,
          cues,
        );
        expect(findAll(there, query, exact)).toEqual([]);
        expect(findAll(there, 'Ωμέγα', exact)).toHaveLength(findAll(cues, query, exact).length);
        expect(
          replaceAll(there, findAll(there, 'Ωμέγα', exact), query).reduce(applySplice, there),
        ).toEqual(cues);
      }),
    );
  });
});

test('each match of an expression is replaced as it was found', () => {
  const options = { ...loose, regex: true };
  const cues = cuesOf('aaa');
  const expression = expressionOf('a(?=a)', options)!;
  const by = { text: 'b', expression };
  const splices = replaceAll(cues, findAll(cues, 'a(?=a)', options), by);
  expect(splices.reduce(applySplice, cues as readonly ReviewCue[]).map(textOf)).toEqual(['bba']);
});
