/** The timeline of the review: drawing, zooming, seeking and dragging. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { takeDrawn, textsIn } from './support/page.ts';
import { current, drawn, field, has, input, one, openFile, times, until } from './support/app.ts';
import { click, point, press, type } from './support/hands.ts';
import { LINES, media, openWithVideo } from './support/video.ts';

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

test('zooming shows less or more time around the middle', async () => {
  await click(says.zoomIn);
  expect(view().span).toBe(7.5);
  await click(says.zoomOut);
  expect(view().span).toBe(15);
  const wheel = new WheelEvent('wheel', { deltaY: -100, bubbles: true, cancelable: true });
  one('.waveform-frame').dispatchEvent(Object.assign(wheel, { ctrlKey: true, clientX: 0 }));
  await drawn();
  expect(view().span).toBeLessThan(15);
  await press('Alt+Shift+Minus', field(1));
  await press('Alt+Shift+Equal', field(1));
  const { left } = view();
  one('.waveform-frame').dispatchEvent(
    new WheelEvent('wheel', { deltaX: 60, bubbles: true, cancelable: true }),
  );
  await drawn();
  expect(view().left).toBeGreaterThan(left);
});

test('a second finger zooms, and ends the drag of the first', async () => {
  const finger = async (kind: string, clientX: number, pointerId: number) => {
    const event = { bubbles: true, cancelable: true, clientX, clientY: 100, pointerId };
    line().dispatchEvent(new PointerEvent(kind, { ...event, buttons: 1, pointerType: 'touch' }));
    await drawn();
  };
  await finger('pointerdown', 160, 1);
  await finger('pointermove', 190, 1);
  await finger('pointermove', 180, 1);
  // The view stays where it is.
  expect([times(2), view().left]).toEqual([['00:00:03,500', '00:00:05,500'], 0]);
  await finger('pointerdown', 400, 2);
  await finger('pointermove', 200, 1);
  const { left, span } = view();
  expect(times(2)).toEqual(['00:00:03,500', '00:00:05,500']);
  await finger('pointermove', 500, 2);
  // The time between the fingers stays between them, 50 pixels further.
  expect(view().span).toBeCloseTo((span * 200) / 300, 6);
  expect(xOf(left + span / 2)).toBeCloseTo(350, 6);
});

test('a press above the words seeks, and one on a caption makes it current', async () => {
  await drag(line(), xOf(4), xOf(4), 20);
  expect(media().currentTime).toBeCloseTo(4, 3);
  await drag(line(), xOf(6.5), xOf(6.5));
  await until('the third caption', () => current() === 3);
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

test('a drag stops at a neighbour, and the page says why', async () => {
  field(1).focus();
  await drawn();
  await point(line(), 'pointerdown', xOf(2));
  await point(line(), 'pointermove', xOf(6));
  await point(line(), 'pointermove', xOf(9));
  expect(document.querySelector('.held')?.textContent).toContain('Caption 2');
  await point(line(), 'pointerup', xOf(9));
  expect(document.querySelector('.held')).toBeNull();
});

test('a press on the overview seeks there', async () => {
  await drag(one('.overview'), 300, 300);
  expect(view().left).toBeGreaterThan(40);
  expect(media().currentTime).toBeCloseTo(50, 3);
  await drag(one('.overview'), 75, 75);
  expect(media().currentTime).toBeCloseTo(12.5, 3);
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

test('the overview frames a part of a very long recording so that it can be seen', async () => {
  await openFile('1\n08:00:00,000 --> 08:00:02,000\nGood night.\n');
  await until('the frame', () =>
    takeDrawn().some(([name, , , wide]) => name === 'fillRect' && wide === 3),
  );
  expect(view().span).toBe(15);
});

test('the overview frames the part in view, and marks the playhead', async () => {
  takeDrawn();
  media().currentTime = 50;
  await drawn();
  const calls = takeDrawn();
  // A hundred seconds on 600 pixels, of which 15 are in view around the playhead.
  const [from, wide] = [view().left * 6, view().span * 6];
  expect(calls).toContainEqual(['fillRect', from, 0, wide, 36, 'paper-raised']);
  expect(calls).toContainEqual(['strokeRect', from + 0.5, 0.5, wide - 1, 35, 'accent']);
  expect(calls).toContainEqual(['fillRect', 299.25, 0, 1.5, 36, 'error']);
  // The sound and the ticks, drawn beforehand at the same size.
  const [, still, ...place] = calls.find(([name]) => name === 'drawImage')!;
  const { width, height } = still as HTMLCanvasElement;
  expect([width, height, ...place.slice(0, 4)]).toEqual([600, 36, 0, 0, 600, 36]);
});
