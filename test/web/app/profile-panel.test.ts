/** The list of what breaks a publisher's rules, with a check whose state a test sets. */
import { root } from './support/root.ts';
import { afterEach, expect, test } from 'bun:test';
import { h, render } from 'preact';
import { signal } from '@preact/signals';
import type { Violation } from '../../../server/captions/rules/check.ts';
import { ProfileChoice, ProfileViolations } from '../../../web/review/desk/warnings-panel.tsx';
import { settings } from '../../../web/review/desk/settings.ts';
import { profiles as texts } from '../../../web/texts/profiles-and-rebuilding.ts';
import { all, control, drawn, one } from './support/app.ts';
import { choose, click } from './support/hands.ts';

afterEach(() => {
  settings.profile.value = '';
  settings.frameRate.value = null;
});

/** What is wrong with the caption at a place; a caption's id is a hundred more than its first place. */
const broken = (at: number, change: object = {}): [number, Violation[]] => [
  100 + at,
  [
    {
      rule: 'line_length',
      at,
      says: `It breaks rule ${at}.`,
      sentence: 'Lines are short.',
      source: 'https://www.example.com/rules',
      fix: {},
      ...change,
    } as Violation,
  ],
];

function show(violations: [number, Violation[]][] | null, ids: readonly number[], busy = false) {
  const fixes: unknown[][] = [];
  const desk = {
    review: {
      language: 'en',
      cues: signal(ids.map((id) => ({ id, start: 0, end: 1, lines: [''] }))),
    },
    navigation: { select() {} },
    check: {
      violations: signal(violations && new Map(violations)),
      busy: signal(busy),
      fix: ({ id }: { id: number }, rule: string) => fixes.push([id, rule]),
      fixAll: (rule?: string) => fixes.push([rule]),
    },
  };
  render(h(ProfileViolations, { desk } as never), root);
  return fixes;
}
const buttons = () => all('button', root).map(({ textContent }) => textContent);

test('a check that ended without rules is not shown as going on', () => {
  show(null, [1], true);
  expect(root.textContent).toBe(texts.checking);
  show(null, [1]);
  expect(root.textContent).toBe(texts.failed);
});

test('captions that were added or removed since the check have their present numbers', async () => {
  const fixes = show([broken(0), broken(1), broken(2)], [101, 99, 102]);
  expect(all('.warnings b', root).map(({ textContent }) => textContent)).toEqual(['1', '3']);
  await click(control(texts.fixLabel(1, 'line_length'), root));
  expect(fixes).toEqual([[101, 'line_length']]);
});

test('everything of a rule is fixed at once if it is more than one thing', async () => {
  show([broken(0), broken(1, { fix: null })], [100, 101]);
  expect(buttons().filter((words) => words.startsWith('Fix all'))).toEqual([]);
  const fixes = show([broken(0), broken(1)], [100, 101]);
  await click(texts.fixAll(2));
  expect(fixes).toEqual([['line_length']]);
  // The button for all rules is there only if several can be fixed.
  expect(buttons()).not.toContain(texts.fixEverything(2));
  show([broken(0), broken(1, { rule: 'gap', fix: null })], [100, 101]);
  expect(buttons()).toContain(texts.fixEverything(1));
  show([broken(0, { fix: null }), broken(1, { rule: 'gap', fix: null })], [100, 101]);
  expect(buttons().some((words) => words.startsWith('Fix everything'))).toBe(false);
});

test('the source of a rule is a page, or its name', () => {
  show([broken(0)], [100]);
  expect(one('a', root).textContent).toBe('example.com');
  show([broken(0, { source: 'Our house' })], [100]);
  expect([all('a', root), one('section .hint span', root).textContent]).toEqual([
    [],
    texts.bySource('Our house'),
  ]);
});

test('as many violations as are listed leave none to count', () => {
  const many = Array.from({ length: 25 }, (_, at) => broken(at));
  show(
    many,
    many.map(([id]) => id),
  );
  expect(all('.warnings li', root)).toHaveLength(25);
  expect(root.textContent).not.toContain(texts.more(0));
});

test('a frame rate is chosen, and then left to the video or the profile again', async () => {
  settings.profile.value = 'netflix';
  const videoRate = signal<number | null>(null);
  const desk = { review: { language: 'en' }, videoRate, view: signal(null) };
  render(h(ProfileChoice, { desk } as never), root);
  const rate = all('select', root)[1] as HTMLSelectElement;
  const automatic = () => rate.options[0]!.textContent;
  await choose(rate, '25');
  expect([settings.frameRate.peek(), automatic()]).toEqual([25, texts.itsRate]);
  await choose(rate, '');
  expect(settings.frameRate.peek()).toBeNull();
  videoRate.value = 30;
  await drawn();
  expect(automatic()).toBe(texts.videoRate(30));
});
