/** Small parts of the review by themselves: the notice of another tab, and the speakers of a caption. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { CueSpeakers } from '../../../web/review/speaker-mark.tsx';
import { TabNotice } from '../../../web/review/tab-notice.tsx';
import { tabText } from '../../../web/texts/tabs.ts';
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
