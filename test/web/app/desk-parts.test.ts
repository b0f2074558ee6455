/** Small parts of the review by themselves: the notice of another tab, speakers, and lines of the panels. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { DoubtsPanel } from '../../../web/review/desk/doubts-panel.tsx';
import { CueSpeakers } from '../../../web/review/desk/speaker-mark.tsx';
import { TabNotice } from '../../../web/review/save/tab-notice.tsx';
import { TermsPanel } from '../../../web/review/desk/terms-panel.tsx';
import { WarningsPanel } from '../../../web/review/desk/warnings-panel.tsx';
import { panels } from '../../../web/texts/panels.ts';
import { tabText } from '../../../web/texts/desk-parts.ts';
import { correction } from '../review/support.ts';
import { all, control, drawn } from './support/app.ts';

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

test('the speaker of several lines is named once', () => {
  const order = new Map([
    ['Ann', 0],
    ['Ben', 1],
  ]);
  const show = (...speakers: string[]) => {
    const cue = { id: 1, start: 0, end: 1, lines: speakers.map(() => 'One.'), speakers };
    render(h(CueSpeakers, { desk: { speakers: { order: signal(order) } }, cue } as never), root);
    return all('.cue-speakers > span', root).map(({ textContent }) => textContent);
  };
  expect([show('Ann', 'Ann'), show('Ben', 'Ann', 'Ben')]).toEqual([['Ann'], ['Ben', 'Ann']]);
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

test('a remark looks different from a warning', () => {
  const cue = { id: 1, start: 0, end: 1, lines: ['One.'] };
  const warnings = [
    { flag: 'dangling_line_break', severity: 'info' },
    { flag: 'reading_speed_high', severity: 'warning' },
  ];
  const desk = {
    review: {
      cues: signal([cue]),
      judged: signal([{ warnings, quality: { charsPerSecond: 30, lineLengths: [4] } }]),
      settings: {},
      language: 'en',
    },
    navigation: { left: signal({ warning: 2 }) },
  };
  render(h(WarningsPanel, { desk } as never), root);
  const looks = all('.warnings li', root).map((line) => [
    line.className,
    line.querySelector('path')!.getAttribute('d'),
  ]);
  expect(looks.map(([kind]) => kind)).toEqual(['info', 'warning']);
  expect(looks[0]![1]).not.toBe(looks[1]![1]!);
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
