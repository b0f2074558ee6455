/** The highlights under the text of a caption, for matches and doubts that a test sets. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { CueMarks } from '../../../web/review/desk/cue-row.tsx';
import { all } from './support/app.ts';

interface Found {
  from: number;
  to: number;
  isMeant?: boolean;
}

/** The marked text, with the look of each mark before it. */
function marked(lines: string[], found: Found[], doubts: Found[] = [], open = 'find'): string {
  const desk = {
    finder: { open: signal(open), byCue: signal(new Map([[2, found]])) },
    doubts: { of: () => doubts },
    review: { language: 'en' },
  };
  render(null, root);
  render(h(CueMarks, { desk, cue: { id: 1, start: 0, end: 1, lines }, index: 2 } as never), root);
  for (const mark of all('mark', root)) mark.prepend(`${mark.className}:`);
  return all('mark', root).reduce(
    (words, mark) => words.replace(mark.textContent, `[${mark.textContent}]`),
    root.textContent,
  );
}

test('matches and doubts are marked at their places, and the current match has its own look', () => {
  const lines = ['one two three four five six'];
  const found = [
    { from: 4, to: 7 },
    { from: 14, to: 18, isMeant: true },
  ];
  expect(marked(lines, found, [{ from: 8, to: 13 }])).toBe(
    'one [found:two] [doubt:three] [meant:four] five six',
  );
  expect(marked(lines, found, [], 'closed')).toBe('');
  expect(marked(lines, [], [{ from: 8, to: 13 }], 'closed')).toBe(
    'one two [doubt:three] four five six',
  );
});

test('where marks overlap, the match wins', () => {
  expect(marked(['one two'], [{ from: 4, to: 6 }], [{ from: 4, to: 7 }])).toBe(
    'one [found:tw][doubt:o]',
  );
});

test('a doubt that reaches beyond a text that became shorter marks what is left', () => {
  expect(marked(['one two'], [], [{ from: 4, to: 40 }])).toBe('one [doubt:two]');
});
