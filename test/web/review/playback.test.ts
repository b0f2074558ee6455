/** The recording is played, stepped through and looped. */
import { describe, expect, test } from 'bun:test';
import { createPlayback } from '../../../web/review/play/playback.ts';
import { MediaElement, drawFrame, usePage } from '../support/page.ts';
import { createTransport } from '../../../web/review/play/transport.ts';
import { text } from '../../support/browser/words.ts';
import { cuesOf, reviewOf } from './support.ts';

usePage();

function recording(expected = 100) {
  const playback = createPlayback(expected);
  const media = new MediaElement();
  const detach = playback.attach(media.asMedia());
  return { playback, media, detach };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a recording', () => {
  test('is followed frame by frame, only while it plays', () => {
    const { playback, media } = recording();
    playback.play();
    expect(playback.playing.value).toBe(true);
    media.currentTime = 3;
    expect(drawFrame()).toBe(1);
    expect(playback.time.value).toBe(3);
    playback.toggle();
    expect([playback.playing.value, media.paused]).toEqual([false, true]);
    drawFrame();
    expect(drawFrame()).toBe(0);
    playback.toggle();
    expect(media.paused).toBe(false);
  });
  test('that the browser refuses to play is not shown as playing', async () => {
    const { playback, media } = recording();
    media.refuses = true;
    playback.play();
    await settled();
    expect(playback.playing.value).toBe(false);
    // Some browsers report that they play before they refuse.
    media.dispatchEvent(new Event('play'));
    expect(playback.playing.value).toBe(true);
    playback.play();
    await settled();
    expect(playback.playing.value).toBe(false);
  });
  test('that is detached no longer plays, counts frames, or is muted', () => {
    const { playback, media, detach } = recording();
    playback.play();
    detach();
    expect([playback.playing.value, drawFrame()]).toEqual([false, 0]);
    media.dispatchEvent(new Event('play'));
    for (let at = 0; at < 20; at += 1) media.show(at / 25);
    playback.muted.value = true;
    expect([playback.playing.value, playback.frameRate.value, media.muted]).toEqual([
      false,
      null,
      false,
    ]);
  });
  test('seeks only within its length', () => {
    const { playback, media } = recording(100);
    playback.seek(120);
    expect([playback.time.value, media.currentTime]).toEqual([100, 100]);
    playback.seek(-1);
    expect([playback.time.value, media.currentTime]).toEqual([0, 0]);
    media.learn(40);
    playback.seek(99);
    expect([playback.length.value, playback.time.value]).toEqual([40, 40]);
    const unknown = createPlayback(0);
    unknown.seek(12);
    expect(unknown.time.value).toBe(12);
  });
});

test('a part stops at its end, just before the next caption', () => {
  const { playback, media } = recording();
  playback.playStretch({ from: 2, to: 4, loop: false });
  expect([media.currentTime, playback.playing.value]).toEqual([2, true]);
  media.currentTime = 3.9;
  drawFrame();
  expect(media.paused).toBe(false);
  media.currentTime = 4;
  drawFrame();
  expect([media.paused, playback.stretch.value]).toEqual([true, null]);
  expect(media.currentTime).toBeCloseTo(3.995, 9);
});

test('the frame rate is measured again after a jump, back or ahead', () => {
  for (const jump of [-5, 0.6]) {
    const { playback, media } = recording();
    for (let at = 0; at < 10; at += 1) media.show(10 + at / 25);
    for (let at = 0; at < 15; at += 1) media.show(10 + 9 / 25 + jump + at / 30);
    expect(playback.frameRate.value).toBeNull();
    media.show(10 + 9 / 25 + jump + 15 / 30);
    expect(playback.frameRate.value).toBe(30);
  }
});

/** Captions from 0 to 2, 3 to 5 and 6 to 8 seconds; the second is current. */
function opened(cues = cuesOf('One.', 'Two.', 'Three.')) {
  const review = reviewOf(cues);
  review.currentId.value = cues[1]?.id ?? null;
  const playback = createPlayback(100);
  const media = new MediaElement();
  playback.attach(media.asMedia());
  return { review, playback, media, transport: createTransport(review, playback) };
}

test('the current caption is looped until the command is repeated, or something else is sought', () => {
  const { review, playback, transport } = opened();
  const state = () => [transport.looping.value, playback.stretch.value?.from];
  transport.loop();
  expect([...state(), review.message.value]).toEqual([true, 3, text.review.loopOn]);
  transport.loop();
  expect([...state(), review.message.value]).toEqual([false, undefined, text.review.loopOff]);
  transport.loop();
  playback.seek(20);
  transport.loop();
  expect(state()).toEqual([true, 3]);
  transport.playFromCaption();
  expect([...state(), playback.time.value]).toEqual([false, undefined, 3]);
});

describe('the speed', () => {
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
