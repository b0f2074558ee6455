/** Words are found and replaced, in the captions and in the bar. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import { cuesOf, reviewOf, someCues, texts } from './support.ts';
import { createFinder } from '../../../web/review/editing/finder.ts';
import { tryExpression } from '../../../web/review/editing/try-expression.ts';

/** A review of captions with an open finder. */
function finding(cues: readonly ReviewCue[]) {
  const review = reviewOf(cues);
  const finder = createFinder(review);
  finder.show('replace');
  const here = () => finder.at.value + 1;
  const caption = () => review.currentIndex.value + 1;
  const go = (index: number) => (review.currentId.value = review.cues.value[index - 1]!.id);
  /** The words that are found. */
  const found = (query: string) => {
    finder.query.value = query;
    return finder.matches.value.map(({ index, from, to }) =>
      textOf(review.cues.value[index]!).slice(from, to),
    );
  };
  const tried = async () => {
    while (finder.tried.value === 'trying') await new Promise((resolve) => setTimeout(resolve, 2));
    return finder.tried.value;
  };
  return { review, finder, here, caption, go, found, tried, words: () => texts(review.cues.value) };
}

test.each([
  ['mcp server', '', ['MCP\nserver', 'mcp server']],
  ['MCP server', 'case', ['MCP\nserver']],
  ['server', 'whole', ['server', 'server']],
  ['na', 'whole', []],
  ["don't", '', ['don’t']],
  ['don’t', '', ['don’t']],
  ['s: naïve; d', '', ['s: naïve; d']],
  ['an|server', '', []],
  ['.', '', []],
  ['  ', '', []],
  ['an', '', ['An', 'an']],
])('%p is found, by %p: %p', (query, how, expected) => {
  const { finder, found } = finding(
    cuesOf('An MCP\nserver, an mcp server', 'Servers: naïve; don’t'),
  );
  finder.matchCase.value = how === 'case';
  finder.wholeWord.value = how === 'whole';
  expect(found(query)).toEqual(expected);
});

test.each([
  ['In 2024\nand 2025', '\\d+$', '', ['2024', '2025'], 'In _\nand _'],
  ['aab', 'x*', '', [], 'aab'],
  ['cat concat', 'cat|dog', 'whole', ['cat'], '_ concat'],
  ['cat concat', 'dog|cat', 'whole', ['cat'], '_ concat'],
  ['Cat cat', 'c.t', 'case', ['cat'], 'Cat _'],
  ['Cat cat', 'c.t', '', ['Cat', 'cat'], '_ _'],
])('in %j the expression %j finds, by %p, %j', async (line, query, how, expected, replaced) => {
  const { finder, found, tried, words } = finding(cuesOf(line));
  finder.regex.value = true;
  finder.matchCase.value = how === 'case';
  finder.wholeWord.value = how === 'whole';
  finder.query.value = query;
  expect(await tried()).toBe('quick');
  expect(found(query)).toEqual(expected);
  finder.replacement.value = '_';
  finder.replaceAll();
  expect(words()).toEqual([replaced]);
});

test('replacing all is reversible, and leaves no match', () => {
  fc.assert(
    fc.property(someCues, fc.constantFrom('the', 'MCP', 'night'), (cues, query) => {
      const { finder, review, found } = finding(cues);
      finder.matchCase.value = finder.wholeWord.value = true;
      const { length } = found(query);
      finder.replacement.value = 'Ωμέγα';
      expect(finder.replaceAll()).toBe(length);
      expect([found(query), found('Ωμέγα').length]).toEqual([[], length]);
      finder.replacement.value = query;
      finder.replaceAll();
      expect(review.cues.value).toEqual([...cues]);
    }),
  );
});

test('a search begins at the current caption, and with the first match if there is none from there on', () => {
  const { finder, here, caption, go, review } = finding(
    cuesOf('skim', 'none', 'skim skim', 'none'),
  );
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
  const { finder, review, go } = finding(cuesOf('a skim b', 'none'));
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
  const { finder, tried, words } = finding(cuesOf('2026-11-24 and 2025-01-02', 'one two'));
  const state = () => [finder.isWrong.value, finder.tried.value, finder.matches.value.length];
  finder.regex.value = true;
  finder.query.value = String.raw`(\d+)-(\d+`;
  expect(state()).toEqual([true, 'quick', 0]);
  finder.query.value = '';
  expect(finder.isWrong.value).toBe(false);
  finder.query.value = String.raw`(\d+)-(\d+)-(\d+)`;
  expect(state()).toEqual([false, 'trying', 0]);
  await tried();
  expect([...state(), finder.at.value]).toEqual([false, 'quick', 2, 0]);
  finder.replacement.value = '$3.$2.$1';
  finder.replace();
  expect(words()[0]).toBe('24.11.2026 and 2025-01-02');
  expect(finder.replaceAll()).toBe(1);
  expect(words()[0]).toBe('24.11.2026 and 02.01.2025');
  // With other options, the same expression is tested again.
  finder.matchCase.value = true;
  expect(finder.matches.value).toEqual([]);
  finder.query.value = String.raw`(?<=one )(?<word>\w+)`;
  await tried();
  finder.replacement.value = '<$<word>>';
  finder.replace();
  expect(words()[1]).toBe('one <two>');
});

test('a slow expression is stopped, and the page stays responsive', async () => {
  const texts = [
    'Welcome back to the night\nwhere agents meet people',
    'and they talk about it for long',
  ];
  // Takes time exponential in the letters of a text.
  const endless = /^(?:\p{L}+\s?)+!$/gimu;
  const tried = await new Promise((resolve) => tryExpression(endless, texts, resolve, 50));
  expect(tried).toBe('slow');
});
