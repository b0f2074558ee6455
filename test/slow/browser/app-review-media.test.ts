/** Sound and video in a review: playback, the captions on the picture, and the waveform. */
import { expect, setDefaultTimeout } from 'bun:test';
import { chooseFile } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { placeOf, recordings, secondsOf, soundIsSeen } from '../../support/browser/review-sound.ts';
import type { ReviewPage } from '../../support/browser/review.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(300_000);

const { bench, captioned } = await recordings();

const time = ({ page }: ReviewPage): Promise<number> =>
  page.$eval('video', (video) => video.currentTime);
const isPlaying = ({ page }: ReviewPage): Promise<boolean> =>
  page.$eval('video', (video) => !video.paused);
const shown = ({ page }: ReviewPage): Promise<string> =>
  page.$$eval('.overlay span', (lines) => lines.map((line) => line.textContent).join('\n'));
const until = (review: ReviewPage, seconds: number): Promise<unknown> =>
  review.page.waitForFunction(
    (past) => (document.querySelector('video')?.currentTime ?? 0) > past,
    {},
    seconds,
  );

/** Drags with the mouse from a time on the timeline, by a number of pixels. */
async function drag(review: ReviewPage, time: number, by: number): Promise<void> {
  const { mouse } = review.page;
  const [x, y] = await placeOf(review, time);
  await mouse.move(x, y);
  await mouse.down();
  for (let step = 1; step <= 5; step += 1) await mouse.move(x + (by * step) / 5, y);
  await mouse.up();
  await review.settled();
}

needsChromium('the video plays from a caption, and shows captions and edits at once', async () => {
  const review = await captioned();
  await review.press('Caption 3: play from here');
  await until(review, 8.7);
  expect(await isPlaying(review)).toBe(true);
  expect(await shown(review)).toBe(await review.text(3));
  await review.keys('Control+Space');
  expect(await isPlaying(review)).toBe(false);
  await review.type(3, ' and more');
  await review.page.$eval('input.seek', (field) => {
    field.value = '9';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await review.settled();
  expect(await shown(review)).toEndWith('and more');
  // Space plays while no text field is focused.
  await review.page.$eval('#content', (main) => (main as HTMLElement).focus());
  await review.keys('Space');
  expect(await isPlaying(review)).toBe(true);
  expect(review.faults).toEqual([]);
  await review.close();
});

needsChromium(
  'dragging on the timeline changes times, one step of undo each; a click goes there, a wheel zooms',
  async () => {
    const review = await captioned();
    const [start, end] = await review.times(1);
    await drag(review, secondsOf(end), -80);
    const [, shorter] = await review.times(1);
    expect(shorter < end).toBe(true);
    expect((await review.times(1))[0]).toBe(start);
    await drag(review, secondsOf(start) + 1, 30);
    expect((await review.times(1))[0] > start).toBe(true);
    await review.keys('Control+KeyZ', 'Control+KeyZ');
    expect(await review.times(1)).toEqual([start, end]);

    // An edge pushes its neighbour's edge along at the minimum gap, and takes it back again.
    await drag(review, secondsOf(end), 600);
    const [own, next] = [await review.times(1), await review.times(2)];
    expect(secondsOf(next[0]) - secondsOf(own[1])).toBeCloseTo(0.084, 3);
    expect(secondsOf(next[1]) - secondsOf(next[0])).toBeGreaterThan(0.799);
    expect(await review.said()).toStartWith('Caption 2 would be too short.');

    const [x, y] = await placeOf(review, 7.5);
    await review.page.mouse.click(x, y - 70);
    expect(await time(review)).toBeCloseTo(7.5, 1);

    // With Ctrl, as for a pinch, it zooms; the time under the pointer stays in place.
    await review.page.keyboard.down('Control');
    await review.page.mouse.wheel({ deltaY: -60 });
    await review.page.keyboard.up('Control');
    await review.settled();
    const span = () =>
      review.page.$eval('.waveform-frame', (frame) =>
        Number((frame as HTMLElement).dataset['span']),
      );
    expect(await span()).toBeWithin(5, 10);
    expect(Math.abs((await placeOf(review, 7.5))[0] - x)).toBeLessThan(3);
    await review.close();
  },
);

needsChromium(
  'the recording is still there after a reload; another run may be given one',
  async () => {
    const review = await captioned();
    await review.page.reload();
    await review.page.waitForSelector('.cue');
    await soundIsSeen(review);
    await review.press('Play');
    await until(review, 0.5);

    const other = await bench().open(await bench().run());
    expect(await other.count('video')).toBe(0);
    await chooseFile(other.page, sample);
    await soundIsSeen(other);
    await other.press('Play');
    await until(other, 0.5);
    await other.page.reload();
    await other.page.waitForSelector('.cue');
    await soundIsSeen(other);
    expect([...review.faults, ...other.faults]).toEqual([]);
    await review.close();
    await other.close();
  },
);
