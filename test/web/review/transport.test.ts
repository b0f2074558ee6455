/** The transport: steps by seconds and frames, one caption alone, and the speeds of J, K and L. */
import { describe, expect, test } from 'bun:test';
import { createPlayback } from '../../../web/review/play/playback.ts';
import { createTransport } from '../../../web/review/play/transport.ts';
import { text } from '../../support/browser/words.ts';
import { drawFrame, MediaElement, usePage } from '../support/page.ts';
import { cuesOf, reviewOf } from './support.ts';

usePage();

/** Captions from 0 to 2, 3 to 5 and 6 to 8 seconds; the second is current. */
function opened(cues = cuesOf('One.', 'Two.', 'Three.')) {
  const review = reviewOf(cues);
  review.currentId.value = cues[1]?.id ?? null;
  const playback = createPlayback(100);
  const media = new MediaElement();
  playback.attach(media.asMedia());
  return { review, playback, media, transport: createTransport(review, playback) };
}

describe('steps', () => {
  test('by seconds do not stop playback', () => {
    const { playback, media, transport } = opened();
    playback.playFrom(10);
    transport.skip(5);
    expect([playback.time.value, media.paused]).toEqual([15, false]);
    transport.skip(-1);
    expect(playback.time.value).toBe(14);
  });
  test('by frames pause, in the middle of the next or previous frame', () => {
    const { playback, media, transport } = opened();
    playback.playFrom(1);
    transport.frame(1);
    expect(media.paused).toBe(true);
    expect(playback.time.value).toBeCloseTo(26.5 / 25, 9);
    transport.frame(1);
    expect(playback.time.value).toBeCloseTo(27.5 / 25, 9);
    transport.frame(-1);
    transport.frame(-1);
    expect(playback.time.value).toBeCloseTo(25.5 / 25, 9);
    playback.seek(0);
    transport.frame(-1);
    expect(playback.time.value).toBe(0);
    // Frame 29 begins here, though 1.16 / 0.04 is a little less.
    playback.seek(1.16);
    transport.frame(1);
    expect(playback.time.value).toBeCloseTo(30.5 / 25, 9);
  });
  test('by frames are as long as those of the video', () => {
    const { playback, media, transport } = opened();
    for (let at = 0; at < 16; at += 1) media.show(at / 50);
    playback.seek(1);
    transport.frame(1);
    expect(playback.time.value).toBeCloseTo(51.5 / 50, 9);
  });
});

describe('the current caption', () => {
  test('plays once from its start', () => {
    const { playback, media, transport } = opened();
    playback.seek(50);
    transport.replay();
    expect(playback.stretch.value).toEqual({ from: 3, to: 5, loop: false });
    expect([media.currentTime, media.paused]).toEqual([3, false]);
    expect(transport.looping.value).toBe(false);
  });
  test('plays from the playhead to its end, or whole if that is elsewhere', () => {
    const { playback, transport } = opened();
    for (const [from, begins] of [
      [4, 4],
      [3, 3],
      [5, 3],
      [2.9, 3],
    ] as const) {
      playback.seek(from);
      transport.playRest();
      expect(playback.stretch.value).toEqual({ from: begins, to: 5, loop: false });
    }
  });
  test('is looped until the command is repeated, or something else is sought', () => {
    const { review, playback, transport } = opened();
    transport.loop();
    expect(playback.stretch.value?.loop).toBe(true);
    expect([transport.looping.value, review.message.value]).toEqual([true, text.review.loopOn]);
    transport.loop();
    expect([transport.looping.value, playback.stretch.value]).toEqual([false, null]);
    expect(review.message.value).toBe(text.review.loopOff);
    transport.loop();
    playback.seek(20);
    transport.loop();
    expect([transport.looping.value, playback.stretch.value?.from]).toEqual([true, 3]);
    transport.playFromCaption();
    expect([transport.looping.value, playback.stretch.value]).toEqual([false, null]);
    expect(playback.time.value).toBe(3);
  });
  test('that does not exist plays nothing', () => {
    const { review, media, transport } = opened();
    review.currentId.value = null;
    transport.replay();
    transport.playFromCaption();
    transport.playRest();
    expect([media.paused, media.currentTime]).toEqual([true, 0]);
  });
});

describe('the speed', () => {
  test('increases and decreases in steps, within limits, and is announced', () => {
    const { review, playback, transport } = opened();
    const speeds = (step: 1 | -1) =>
      Array.from({ length: 7 }, () => {
        transport.rate(step);
        return playback.rate.value;
      });
    expect(speeds(1)).toEqual([1.25, 1.5, 2, 3, 3, 3, 3]);
    expect(review.message.value).toBe(text.review.rateNow(3));
    expect(speeds(-1)).toEqual([2, 1.5, 1.25, 1, 0.75, 0.5, 0.5]);
  });
  test('L plays, then faster each time; K stops and restores the speed', () => {
    const { playback, media, transport } = opened();
    playback.rate.value = 0.75;
    transport.forward();
    expect([media.paused, playback.rate.value]).toEqual([false, 0.75]);
    transport.forward();
    transport.forward();
    expect(playback.rate.value).toBe(1.25);
    transport.stop();
    expect([media.paused, playback.rate.value]).toEqual([true, 0.75]);
    playback.rate.value = 2;
    transport.stop();
    expect(playback.rate.value).toBe(2);
  });
  test('J plays backwards, twice as fast each time, to the start', () => {
    const { playback, media, transport } = opened();
    playback.playFrom(10);
    drawFrame();
    const started = performance.now();
    transport.backward();
    expect([transport.backwards.value, media.paused]).toEqual([1, true]);
    drawFrame(started + 1000);
    expect(playback.time.value).toBeCloseTo(9, 1);
    drawFrame(started + 2000);
    expect(playback.time.value).toBeCloseTo(8, 1);
    transport.backward();
    expect(transport.backwards.value).toBe(2);
    expect(drawFrame()).toBe(1);
    for (let times = 0; times < 4; times += 1) transport.backward();
    expect(transport.backwards.value).toBe(8);
    drawFrame(performance.now() + 5000);
    expect([playback.time.value, transport.backwards.value]).toEqual([0, 0]);
    expect(drawFrame()).toBe(0);
  });
  test('a caption that is played after going backwards is played to its end', () => {
    const { playback, transport } = opened();
    playback.seek(50);
    transport.backward();
    transport.replay();
    drawFrame();
    expect(playback.stretch.value).toEqual({ from: 3, to: 5, loop: false });
  });
  test('every other playback or seek ends backward playback', () => {
    const { playback, transport } = opened();
    for (const does of [
      transport.stop,
      transport.forward,
      transport.replay,
      transport.playFromCaption,
      () => transport.skip(1),
      () => transport.frame(1),
    ]) {
      playback.seek(50);
      transport.backward();
      does();
      expect(transport.backwards.value).toBe(0);
      const { value } = playback.time;
      drawFrame(performance.now() + 1000);
      expect(playback.time.value).toBeCloseTo(value, 1);
      transport.stop();
    }
  });
});
