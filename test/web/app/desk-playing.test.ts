/** Playing the recording in the review: the buttons, following it, and times at the playhead. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { transportKeys } from '../../../web/texts/review.ts';
import { control, current, drawn, field, has, one, openFile, until } from './support/app.ts';
import { click, press } from './support/hands.ts';
import { srtOf } from './support/talks.ts';
import { LINES, clock, media, openWithVideo } from './support/video.ts';

const says = text.review;
await openWithVideo();

test('without a recording, the page asks for it, and nothing can be played', async () => {
  await openFile(srtOf(...LINES));
  expect(one('.stage-note').textContent).toContain(says.noMedia);
  expect((control(says.play) as HTMLButtonElement).disabled).toBe(true);
});

test('the buttons play, pause and skip', async () => {
  await click(says.play);
  expect([media().paused, has(says.pause)]).toEqual([false, true]);
  media().currentTime = 10;
  field(2).focus();
  await click(transportKeys.on5);
  // The cursor stays in the text.
  expect(document.activeElement === field(2)).toBe(true);
  await click(transportKeys.back1);
  expect(media().currentTime).toBe(14);
  await click(transportKeys.on1);
  await click(transportKeys.back5);
  expect(media().currentTime).toBe(10);
  await click(says.pause);
  expect(media().paused).toBe(true);
  expect(clock()).toContain('00:10.0');
});

test('keys of the player are handled, and all others left to the browser', async () => {
  one('.cue-list').focus();
  expect(await press('KeyL')).toBe(true);
  expect(media().paused).toBe(false);
  expect(await press('KeyK')).toBe(true);
  expect(media().paused).toBe(true);
  expect(await press('F5')).toBe(false);
});

test('the captions follow the sound, and are shown on the picture', async () => {
  await click(says.play);
  media().currentTime = 3.5;
  await until('the second caption', () => current() === 2);
  expect(one('.overlay').textContent).toBe(LINES[1]!);
  media().currentTime = 5.5;
  await until('no caption', () => one('.overlay').textContent === '');
});

test('the captions do not follow while the user types in one of them', async () => {
  field(1).focus();
  await press('Alt+KeyL', field(1));
  media().currentTime = 3.5;
  await until('the second caption', () => one('.overlay').textContent === LINES[1]!);
  await drawn();
  expect([media().paused, current()]).toEqual([false, 1]);
});

test('a click on the number of a caption plays it', async () => {
  await click(says.goTo(3));
  expect([media().currentTime, media().paused, current()]).toEqual([6, false, 3]);
});

test('a click on a word leads to its sound, unless the recording plays', async () => {
  const listen = async (from: number) => {
    media().currentTime = from;
    field(2).setSelectionRange(0, 0);
    await click(field(2));
    return media().currentTime;
  };
  expect(await listen(20)).toBe(3);
  await click(says.play);
  expect(await listen(20)).toBe(20);
});
