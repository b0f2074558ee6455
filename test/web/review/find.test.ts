/** Words are found and replaced, in the captions and in the bar. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { cuesOf, reviewOf, someCues } from './support.ts';
import {
  createFinder,
  expressionOf,
  findAll,
  replaceAll,
} from '../../../web/review/desk/finder.ts';
import { type Tried, tryExpression } from '../../../web/review/desk/try-expression.ts';

const loose = { matchCase: false, wholeWord: false };

const found = (cues: readonly ReviewCue[], query: string, options = loose) =>
  findAll(cues, query, options).map(({ index, from, to }) => textOf(cues[index]!).slice(from, to));

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

/** A review of these captions with an open finder. */
function finding(...lines: string[]) {
  const review = reviewOf(cuesOf(...lines));
  const finder = createFinder(review);
  finder.show('replace');
  const here = () => finder.at.value + 1;
  const caption = () => review.currentIndex.value + 1;
  const go = (index: number) => (review.currentId.value = review.cues.value[index - 1]!.id);
  const words = () => review.cues.value.map(({ lines: each }) => each.join('\n'));
  return { review, finder, here, caption, go, words };
}

test('a search begins at the current caption, and with the first match if there is none from there on', () => {
  const { finder, here, caption, go, review } = finding('skim', 'none', 'skim skim', 'none');
  go(2);
  finder.query.value = 'ski';
  expect([here(), caption(), finder.matches.value.length]).toEqual([2, 3, 3]);
  expect(review.reveal.value).toEqual({ id: 3 });
  go(4);
  finder.query.value = 'skim';
  expect([here(), caption()]).toEqual([1, 1]);
  finder.query.value = 'nothing';
  expect([here(), caption()]).toEqual([0, 1]);
  go(3);
  finder.query.value = '';
  expect(caption()).toBe(3);
});

test('closing selects the match in its caption, or puts the cursor into the current one', () => {
  const { finder, review, go } = finding('a skim b', 'none');
  finder.query.value = 'skim';
  finder.close();
  expect(review.reveal.value).toEqual({ id: 1, select: [2, 6] });
  finder.show('find');
  expect([finder.open.value, finder.asked.value]).toEqual(['find', 2]);
  finder.query.value = 'nothing';
  go(2);
  finder.close();
  expect(review.reveal.value).toEqual({ id: 2, select: 'start' });
});

test('an expression is tested before it is used, and an invalid one is reported', async () => {
  const { finder, words } = finding('2026-11-24 and 2025-01-02', 'none');
  finder.regex.value = true;
  finder.query.value = String.raw`(\d+)-(\d+`;
  expect([finder.isWrong.value, finder.tried.value, finder.matches.value]).toEqual([
    true,
    'quick',
    [],
  ]);
  finder.query.value = '';
  expect(finder.isWrong.value).toBe(false);
  finder.query.value = String.raw`(\d+)-(\d+)-(\d+)`;
  expect([finder.isWrong.value, finder.tried.value, finder.matches.value]).toEqual([
    false,
    'trying',
    [],
  ]);
  while (finder.tried.value === 'trying') await new Promise((resolve) => setTimeout(resolve, 2));
  expect([finder.tried.value, finder.matches.value.length, finder.at.value]).toEqual([
    'quick',
    2,
    0,
  ]);
  finder.replacement.value = '$3.$2.$1';
  finder.replace();
  expect(words()[0]).toBe('24.11.2026 and 2025-01-02');
  expect(finder.replaceAll()).toBe(1);
  expect(words()[0]).toBe('24.11.2026 and 02.01.2025');
  // With other options, the same expression is tested again.
  finder.matchCase.value = true;
  expect(finder.matches.value).toEqual([]);
  finder.regex.value = false;
  expect(finder.tried.value).toBe('quick');
});

const TEXTS = [
  'Welcome back to the night\nwhere agents meet people',
  'and they talk about it for long',
];

/** Takes time exponential in the letters of a text. */
const ENDLESS = /^(?:\p{L}+\s?)+!$/gimu;

const tried = (expression: RegExp, limit?: number): Promise<Tried> =>
  new Promise((resolve) => tryExpression(expression, TEXTS, resolve, limit));

test('a fast expression is accepted, with or without matches', async () => {
  expect(await Promise.all([tried(/night|day/gu, 60_000), tried(/(no) such/gimu, 60_000)])).toEqual(
    ['quick', 'quick'],
  );
});

test('a slow expression is stopped, and the page stays responsive', async () => {
  expect(await tried(ENDLESS, 50)).toBe('slow');
});
