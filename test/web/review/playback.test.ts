/** Playing a recording: its position, its speed, a part of it, and the frames of a video. */
import { describe, expect, test } from 'bun:test';
import { createPlayback } from '../../../web/review/play/playback.ts';
import { drawFrame, MediaElement, usePage } from '../support/page.ts';

usePage();

function opened(expected = 100) {
  const playback = createPlayback(expected);
  const media = new MediaElement();
  const detach = playback.attach(media.asMedia());
  return { playback, media, detach };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a recording', () => {
  test('is followed frame by frame, only while it plays', () => {
    const { playback, media } = opened();
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
    const { playback, media } = opened();
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
  test('is followed once a frame, however often its position is reported', () => {
    const { playback, media } = opened();
    playback.play();
    for (const time of [1, 2, 3]) media.reach(time);
    expect([drawFrame(), drawFrame()]).toEqual([1, 1]);
  });
  test('that is detached no longer plays, counts frames, or is muted', () => {
    const { playback, media, detach } = opened();
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
  test('plays a part shorter than the pause before its end', () => {
    const { playback, media } = opened();
    playback.playStretch({ from: 1, to: 1.003, loop: false });
    media.reach(1.004);
    expect([media.paused, media.currentTime]).toEqual([true, 1]);
  });
  test('seeks only within its length', () => {
    const { playback, media } = opened(100);
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
  test('reports its length when it is known, even during playback', () => {
    const { playback, media } = opened(0);
    media.learn(Infinity);
    expect(playback.length.value).toBe(0);
    media.duration = 35;
    media.reach(1);
    expect([playback.length.value, playback.time.value]).toEqual([35, 1]);
  });
  test('starts at the position and speed of the review', () => {
    const { playback, media } = opened();
    playback.seek(7);
    playback.rate.value = 1.5;
    playback.muted.value = true;
    expect([media.playbackRate, media.muted]).toEqual([1.5, true]);
    const other = new MediaElement();
    playback.attach(other.asMedia());
    other.playbackRate = 1;
    other.dispatchEvent(new Event('loadedmetadata'));
    expect([other.currentTime, other.playbackRate]).toEqual([7, 1.5]);
  });
  test('that cannot be read is reported, until another is opened', () => {
    const { playback, media } = opened();
    media.dispatchEvent(new Event('error'));
    expect(playback.failed.value).toBe(true);
    playback.attach(new MediaElement().asMedia());
    expect(playback.failed.value).toBe(false);
  });
  test('that was replaced by another is closed without it', () => {
    const { playback, detach } = opened();
    const other = new MediaElement();
    playback.attach(other.asMedia());
    detach();
    playback.seek(4);
    expect(other.currentTime).toBe(4);
  });
  test('that is closed is no longer followed, and cannot seek', () => {
    const { playback, media, detach } = opened();
    playback.play();
    detach();
    expect(playback.playing.value).toBe(false);
    playback.rate.value = 2;
    media.reach(9);
    playback.seek(4);
    expect([media.playbackRate, media.currentTime, playback.time.value]).toEqual([1, 9, 4]);
  });
});

describe('a part', () => {
  test('stops at its end, just before the next caption', () => {
    const { playback, media } = opened();
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
  test('that repeats begins again', () => {
    const { playback, media } = opened();
    playback.playStretch({ from: 2, to: 4, loop: true });
    media.currentTime = 4.01;
    drawFrame();
    expect([media.currentTime, media.paused]).toEqual([2, false]);
    expect(playback.stretch.value).toEqual({ from: 2, to: 4, loop: true });
  });
  test('ends when something else is sought or played', () => {
    const { playback, media } = opened();
    playback.playStretch({ from: 2, to: 4, loop: true });
    playback.seek(8);
    expect(playback.stretch.value).toBeNull();
    playback.playStretch({ from: 2, to: 4, loop: true });
    playback.playFrom(6);
    expect([playback.stretch.value, media.currentTime, media.paused]).toEqual([null, 6, false]);
  });
  test('that does not play does not end', () => {
    const { playback, media } = opened();
    playback.playStretch({ from: 2, to: 4, loop: false });
    playback.pause();
    media.reach(5);
    expect(playback.stretch.value).not.toBeNull();
  });
});

describe('the frame rate', () => {
  test('is measured from sixteen frames in a row', () => {
    const { playback, media } = opened();
    for (let at = 0; at < 15; at += 1) expect(media.show(at / 25)).toBe(true);
    expect(playback.frameRate.value).toBeNull();
    media.show(15 / 25);
    expect(playback.frameRate.value).toBe(25);
    expect(media.show(16 / 25)).toBe(false);
  });
  test('is measured again after a jump, back or ahead', () => {
    for (const jump of [-5, 0.6]) {
      const { playback, media } = opened();
      for (let at = 0; at < 10; at += 1) media.show(10 + at / 25);
      for (let at = 0; at < 15; at += 1) media.show(10 + 9 / 25 + jump + at / 30);
      expect(playback.frameRate.value).toBeNull();
      media.show(10 + 9 / 25 + jump + 15 / 30);
      expect(playback.frameRate.value).toBe(30);
    }
  });
  test('is forgotten with its video', () => {
    const { playback, media, detach } = opened();
    for (let at = 0; at < 16; at += 1) media.show(at / 25);
    const other = new MediaElement();
    playback.attach(other.asMedia());
    expect(playback.frameRate.value).toBeNull();
    detach();
  });
});
