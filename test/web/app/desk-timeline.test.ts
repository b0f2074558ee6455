/** The timeline of the review: drawing, zooming, seeking and dragging. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { takeDrawn, textsIn } from './support/page.ts';
import { drawn, field, has, input, one, times, until } from './support/app.ts';
import { click, point, press, type } from './support/hands.ts';
import { LINES, openWithVideo } from './support/video.ts';

const says = text.review;
await openWithVideo();

/** Presses a pointer on an element, moves it and releases it; in pixels from the left edge of its 600. */
async function drag(on: Element, from: number, to: number, y?: number): Promise<void> {
  await point(on, 'pointerdown', from, y);
  if (to !== from) {
    await point(on, 'pointermove', (from + to) / 2, y);
    await point(on, 'pointermove', to, y);
  }
  await point(on, 'pointerup', to, y);
}

const line = () => one('.waveform-frame canvas');
const view = () => {
  const { left, span } = one('.waveform-frame').dataset;
  return { left: Number(left), span: Number(span) };
};
/** The pixel of a time on the timeline. */
const xOf = (time: number) => ((time - view().left) / view().span) * 600;

test('the timeline shows the words and the numbers of the captions in view', async () => {
  const shown = textsIn(takeDrawn());
  for (const words of [...LINES, '1', '2', '3']) expect(shown).toContain(words);
  expect(view()).toEqual({ left: 0, span: 15 });
  await type(field(2), 'It worked.');
  expect(textsIn(takeDrawn())).toContain('It worked.');
});

test('an edge and a whole caption can be dragged', async () => {
  field(2).focus();
  await drawn();
  await drag(line(), xOf(5), xOf(5.4));
  expect(times(2)[1]).toBe('00:00:05,400');
  await drag(line(), xOf(4.2), xOf(4.4));
  expect(times(2)).toEqual(['00:00:03,200', '00:00:05,600']);
  await click(says.undo);
  expect(times(2)).toEqual(['00:00:03,000', '00:00:05,400']);
});

const colours = ['paper-raised', 'accent', 'error', 'warning'].map((name) => `--${name}: ${name};`);
document.head.append(
  Object.assign(document.createElement('style'), {
    textContent: `canvas { ${colours.join(' ')} }`,
  }),
);

test('the overview marks warnings and matches at their times', async () => {
  takeDrawn();
  await type(field(2), 'So many words that nobody could ever read them all in so little time.');
  // At 3 of 100 seconds on 600 pixels, in the third lane below the sound.
  expect(takeDrawn()).toContainEqual(['fillRect', 17, 30, 2, 5, 'warning']);
  await press('Ctrl+KeyF', field(1));
  await until('the bar', () => has(says.findLabel));
  takeDrawn();
  await type(input(says.findLabel), 'They');
  expect(takeDrawn()).toContainEqual(['fillRect', -1, 0, 2, 18, 'accent']);
});
