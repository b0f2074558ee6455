/** The panels of the desk by themselves. */
import './support/page.ts';
import { root } from './support/root.ts';
import { afterEach, describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { ProfileChoice, ProfileViolations } from '../../../web/review/desk/warnings-panel.tsx';
import { all, drawn, one } from './support/app.ts';
import { choose, click } from './support/hands.ts';
import type { Violation } from '../../../server/captions/rules/check.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { profiles as wording } from '../../../web/texts/profiles-and-rebuilding.ts';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { ReportPanel } from '../../../web/review/desk/report-panel.tsx';
import { panels } from '../../../web/texts/desk-parts.ts';
import { desk } from '../support/desk.ts';

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

/** Renders the report of captions of two seconds, three seconds apart, of a recording of 100 s. */
function shown(lines: readonly string[], transcript: object, metadata: object, length = 100) {
  const parts = desk(lines);
  parts.media.learn(length);
  const result = { transcript: { words: [], metadata: {}, ...transcript }, metadata };
  const page = document.createElement('div');
  render(h(ReportPanel, { desk: { ...parts, result } as unknown as Desk }), page);
  const rows = all('.report div', page).map((row) => [
    one('dt', row).textContent,
    one('dd', row).textContent,
  ]);
  return { page, rows, playback: parts.playback };
}

test('the report says what recognised the speech, and how long the run took', () => {
  const run = { metadata: { engine: 'deepgram', model: 'nova-3' } };
  const { rows } = shown(['One.'], run, { timingsMs: { total: 61_400 } });
  expect(rows).toContainEqual([panels.reportBy, 'nova-3, deepgram']);
  expect(rows).toContainEqual([panels.reportTook, '1:01 min']);
  expect(rows).toContainEqual([panels.reportLength, '1:40 min']);
  const names = shown(['One.'], {}, {}).rows.map(([name]) => name);
  expect(names).toContain(panels.reportLength);
  expect(names).not.toContain(panels.reportBy);
  expect(names).not.toContain(panels.reportTook);
});

test('the chart has a bar for the fastest caption of each part, and a click seeks', () => {
  // 10, 40 and 20 characters a second, of which 20 is the limit.
  const { page, playback } = shown(
    [20, 80, 40].map((size) => 'x'.repeat(size)),
    {},
    {},
  );
  const bars = all('.chart rect', page).map((bar) => [
    bar.getAttribute('height'),
    bar.getAttribute('y'),
    bar.getAttribute('class'),
  ]);
  expect(bars).toHaveLength(120);
  expect(bars[0]).toEqual(['20', '40', '']);
  expect(bars[3]).toEqual(['60', '0', 'over']);
  expect(bars[7]).toEqual(['40', '20', '']);
  expect(bars.filter(([height]) => height !== '0')).toHaveLength(3);
  expect(one('.chart line', page).getAttribute('y1')).toBe('20');
  const chart = one('.chart svg', page);
  Object.assign(chart, { getBoundingClientRect: () => ({ left: 50, width: 200 }) });
  chart.dispatchEvent(new MouseEvent('click', { clientX: 100, bubbles: true }));
  expect(playback.time.peek()).toBe(25);
});
