/** The panels of the desk by themselves. */
import { root } from './support/root.ts';
import { afterEach, describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { ProfileChoice, ProfileViolations } from '../../../web/review/desk/warnings-panel.tsx';
import { all, drawn } from './support/app.ts';
import { choose, click } from './support/hands.ts';
import type { Violation } from '../../../server/captions/rules/check.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { profiles as wording } from '../../../web/texts/profiles-and-rebuilding.ts';

describe('the check by a profile', () => {
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

  test('everything of a rule is fixed at once if it is more than one thing', async () => {
    show([broken(0), broken(1, { fix: null })], [100, 101]);
    expect(buttons().filter((words) => words.startsWith('Fix all'))).toEqual([]);
    const fixes = show([broken(0), broken(1)], [100, 101]);
    await click(wording.fixAll(2));
    expect(fixes).toEqual([['line_length']]);
    // The button for all rules is there only if several can be fixed.
    expect(buttons()).not.toContain(wording.fixEverything(2));
    show([broken(0), broken(1, { rule: 'gap', fix: null })], [100, 101]);
    expect(buttons()).toContain(wording.fixEverything(1));
    show([broken(0, { fix: null }), broken(1, { rule: 'gap', fix: null })], [100, 101]);
    expect(buttons().some((words) => words.startsWith('Fix everything'))).toBe(false);
  });

  test('a frame rate is chosen, and then left to the video or the profile again', async () => {
    settings.profile.value = 'netflix';
    const videoRate = signal<number | null>(null);
    const desk = { review: { language: 'en' }, videoRate, view: signal(null) };
    render(h(ProfileChoice, { desk } as never), root);
    const rate = all('select', root)[1] as HTMLSelectElement;
    const automatic = () => rate.options[0]!.textContent;
    await choose(rate, '25');
    expect([settings.frameRate.peek(), automatic()]).toEqual([25, wording.itsRate]);
    await choose(rate, '');
    expect(settings.frameRate.peek()).toBeNull();
    videoRate.value = 30;
    await drawn();
    expect(automatic()).toBe(wording.videoRate(30));
  });
});
