/** The panels of the desk by themselves. */
import { root } from './support/root.ts';
import { afterEach, describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { DoubtsPanel } from '../../../web/review/desk/doubts-panel.tsx';
import { TabNotice } from '../../../web/review/save/tab-notice.tsx';
import { TermsPanel } from '../../../web/review/desk/terms-panel.tsx';
import { ProfileChoice, ProfileViolations } from '../../../web/review/desk/warnings-panel.tsx';
import { panels } from '../../../web/texts/panels.ts';
import { tabText, speakersText as texts } from '../../../web/texts/desk-parts.ts';
import { correction } from '../review/support.ts';
import { all, control, drawn, input, one } from './support/app.ts';
import { MAX_SPEAKER_CHARS } from '../../../server/contract/limits.ts';
import { SpeakersPanel } from '../../../web/review/desk/speakers-panel.tsx';
import { choose, click, press, submit, type } from './support/hands.ts';
import type { Violation } from '../../../server/captions/rules/check.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { profiles as wording } from '../../../web/texts/profiles-and-rebuilding.ts';

test('another tab can be asked again if it has not answered', async () => {
  const asking = signal<'asked' | 'unanswered' | null>(null);
  render(h(TabNotice, { lock: { asking, take() {} } } as never), root);
  const isOff = () => control(tabText.editHere, root).getAttribute('aria-disabled');
  expect(isOff()).toBe('false');
  asking.value = 'asked';
  await drawn();
  expect(isOff()).toBe('true');
  asking.value = 'unanswered';
  await drawn();
  expect([isOff(), root.textContent.includes(tabText.asking.unanswered)]).toEqual(['false', true]);
});

test('corrections to review come before those that were applied', () => {
  const made = (id: string, before: string, decision: string) => ({
    ...correction(id, 1),
    before,
    decision,
  });
  const corrections = [made('a', 'skim', 'applied'), made('b', 'off kit', 'needs_review')];
  const review = { corrections, decisions: signal(new Map()), cues: signal([]), language: 'en' };
  render(h(TermsPanel, { desk: { review } } as never), root);
  expect(all('.term-words del', root).map(({ textContent }) => textContent)).toEqual([
    'off kit',
    'skim',
  ]);
});

test('a confidence of zero is a confidence', () => {
  const says = () => root.textContent.includes(panels.doubtsUnknown);
  const show = (word: object) => {
    const desk = {
      review: { words: [word] },
      doubts: { open: signal([]), unheard: signal([]) },
      navigation: { left: signal({ doubt: 0 }) },
    };
    render(h(DoubtsPanel, { desk } as never), root);
  };
  show({ text: 'One.', start: 0, end: 1 });
  expect(says()).toBe(true);
  show({ text: 'One.', start: 0, end: 1, confidence: 0 });
  expect(says()).toBe(false);
});

function show(cues: readonly object[], names: readonly string[] = []) {
  const told: unknown[][] = [];
  const tell =
    (what: string) =>
    (...given: unknown[]) =>
      told.push([what, ...given]);
  const selected = signal<readonly number[]>([]);
  const desk = {
    review: { cues: signal(cues), currentIndex: signal(0) },
    selection: { indices: selected },
    speakers: {
      all: signal(names.map((name) => ({ name, captions: 1 }))),
      rename: tell('rename'),
      give: tell('give'),
      giveLines: tell('lines'),
      toTop: () => tell('top')(),
    },
  };
  render(h(SpeakersPanel, { desk } as never), root);
  return { told, selected };
}

test('a new name is given once, without spaces alone, and the field is emptied', async () => {
  const { told } = show([{ lines: ['One.'] }]);
  const field = input(texts.add);
  expect(field.maxLength).toBe(MAX_SPEAKER_CHARS);
  await type(field, '  ');
  await submit(one('.new-speaker', root));
  expect(told).toEqual([]);
  await type(field, 'Ann');
  await submit(one('.new-speaker', root));
  expect([told, field.value]).toEqual([[['give', 'Ann']], '']);
});

test('a name is changed by Enter and when its field is left, and by no other key', async () => {
  const { told } = show([{ lines: ['One.'] }], ['Ann']);
  const field = input(texts.name('Ann'));
  field.value = 'Eve';
  await press('KeyE', field);
  expect(told).toEqual([]);
  await press('Enter', field);
  field.dispatchEvent(new Event('change', { bubbles: true }));
  expect(told).toEqual([
    ['rename', 'Ann', 'Eve'],
    ['rename', 'Ann', 'Eve'],
  ]);
});

test('lines have speakers of their own if there are several lines, or a speaker', async () => {
  show([{ lines: ['One.'] }], ['Ann']);
  expect(all('.speaker-lines', root)).toEqual([]);
  show([{ lines: ['One.'], speakers: ['Ann'] }], ['Ann']);
  expect(all('.speaker-lines select', root)).toHaveLength(1);
  const { told } = show([{ lines: ['One.', 'Two.'], speakers: ['Ann', 'Ben'] }], ['Ann', 'Ben']);
  const [, second] = all('.speaker-lines select', root) as HTMLSelectElement[];
  expect(second!.value).toBe('Ben');
  await choose(second!, '');
  expect(told).toEqual([['lines', ['Ann', '']]]);
});

test('without captions, speakers can still be named', () => {
  show([]);
  expect([root.textContent.includes(texts.none), all('.check', root)]).toEqual([true, []]);
});

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

  test('a check that ended without rules is not shown as going on', () => {
    show(null, [1], true);
    expect(root.textContent).toBe(wording.checking);
    show(null, [1]);
    expect(root.textContent).toBe(wording.failed);
  });

  test('captions that were added or removed since the check have their present numbers', async () => {
    const fixes = show([broken(0), broken(1), broken(2)], [101, 99, 102]);
    expect(all('.warnings b', root).map(({ textContent }) => textContent)).toEqual(['1', '3']);
    await click(control(wording.fixLabel(1, 'line_length'), root));
    expect(fixes).toEqual([[101, 'line_length']]);
  });

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
