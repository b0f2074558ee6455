/** A phone: fingers on the timeline, and what stays where it is under them. */
import { expect, setDefaultTimeout } from 'bun:test';
import { needsChromium } from '../../support/browser/chromium.ts';
import { placeOf, recordings, secondsOf, soundIsSeen } from '../../support/browser/review-sound.ts';

setDefaultTimeout(300_000);

const { captioned } = await recordings();

needsChromium(
  'a finger on a phone drags a caption, or the view, and two fingers zoom',
  async () => {
    const review = await captioned();
    const { page } = review;
    await page.setViewport({ width: 360, height: 800, hasTouch: true });
    await page.waitForSelector('.cue');
    await review.press('Sound');
    await soundIsSeen(review);
    const view = () =>
      page.$eval('.waveform-frame', (frame) => {
        const { left, span } = (frame as HTMLElement).dataset;
        return { left: Number(left), span: Number(span) };
      });
    const finger = async (from: readonly [number, number], by: number): Promise<void> => {
      const touch = await page.touchscreen.touchStart(...from);
      for (let step = 1; step <= 5; step += 1) await touch.move(from[0] + (by * step) / 5, from[1]);
      await touch.end();
      await review.settled();
    };
    const before = { times: await review.times(1), view: await view() };
    const [start, end] = before.times.map(secondsOf) as [number, number];
    const [x, y] = await placeOf(review, start + (end - start) / 2);
    await finger([x, y], 40);
    expect(await view()).toEqual(before.view);
    const moved = (await review.times(1)).map(secondsOf) as [number, number];
    expect(moved[0] - start).toBeCloseTo((40 / 360) * before.view.span, 0);
    await review.keys('Control+KeyZ');
    expect(await review.times(1)).toEqual(before.times);

    // Above the words, between the edges of captions, a finger moves the view.
    await finger([x, y - 60], -60);
    const panned = await view();
    expect(panned.left).toBeGreaterThan(before.view.left);
    expect(panned.span).toBeCloseTo(before.view.span, 3);
    expect(await review.times(1)).toEqual(before.times);

    const one = await page.touchscreen.touchStart(x - 20, y - 60);
    const two = await page.touchscreen.touchStart(x + 20, y - 60);
    for (const apart of [30, 40, 50, 60]) {
      await one.move(x - apart, y - 60);
      await two.move(x + apart, y - 60);
    }
    await one.end();
    await two.end();
    await review.settled();
    expect((await view()).span).toBeLessThan(panned.span * 0.6);
    expect(await review.times(1)).toEqual(before.times);
    expect(review.faults).toEqual([]);
    await review.close();
  },
);

needsChromium(
  'on a phone the bar to seek has room, and a lost connection moves nothing',
  async () => {
    const review = await captioned();
    const { page } = review;
    await page.setViewport({ width: 360, height: 740, hasTouch: true });
    await review.settled();
    const placeOfPart = (selector: string) =>
      page.$eval(selector, (part) => {
        const { left, right, top } = part.getBoundingClientRect();
        return { width: right - left, toEdge: innerWidth - right, top };
      });
    const seek = await placeOfPart('.seek');
    expect(seek.width).toBeGreaterThan(64);
    expect(seek.toEdge).toBeGreaterThanOrEqual(8);
    const before = await placeOfPart('.cue-list');
    await page.setOfflineMode(true);
    await page.waitForSelector('main > .notice');
    expect(await placeOfPart('.cue-list')).toEqual(before);
    await review.close();
  },
);
