/** Dragging captions and their edges on the timeline, at 100 pixels a second. */
import { describe, expect, test } from 'bun:test';
import type { Hit } from '../../../web/review/play/draw-time-line.ts';
import { dragCue } from '../../../web/review/play/drag-cue.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { desk } from '../support/desk.ts';
import { Surface, usePage } from '../support/page.ts';

usePage();

const SCALE = 100;

/** Presses on a part of the second of three captions, which lasts from 3 to 5 seconds. */
function press(part: Hit['part'], at: number) {
  const opened = desk(['One.', 'Two.', 'Three.']);
  const surface = new Surface();
  const held: string[] = [];
  let clicks = 0;
  const down = { clientX: at * SCALE, pointerId: 1, currentTarget: surface };
  const cancel = dragCue(
    down as unknown as PointerEvent,
    { review: opened.review, magnets: () => opened.magnets.value },
    {
      hit: { index: 1, part },
      timeAt: (x) => x / SCALE,
      secondsAPixel: () => 1 / SCALE,
      onLimit: (reason) => held.push(reason),
      onClick: () => (clicks += 1),
    },
  );
  const to = (time: number, fields: { pointerId?: number; altKey?: boolean } = {}) =>
    surface.point('pointermove', { clientX: time * SCALE, ...fields });
  const up = (type = 'pointerup') => surface.point(type, { clientX: 0 });
  const times = () =>
    opened.review.cues.value.map(({ start, end }) =>
      [start, end].map((time) => Math.round(time * 1000) / 1000),
    );
  return { ...opened, surface, held, clicks: () => clicks, cancel, to, up, times };
}

describe('a drag', () => {
  test('of an edge moves it, as one undo step', () => {
    const { to, up, times, at, review, surface, clicks } = press('end', 5);
    expect([at(), surface.captured]).toEqual([2, 1]);
    to(5.2);
    to(5.4);
    up();
    expect(times()[1]).toEqual([3, 5.4]);
    expect(clicks()).toBe(0);
    review.undo();
    expect(times()[1]).toEqual([3, 5]);
  });
  test('of the whole moves both edges, from where it was grabbed', () => {
    const { to, times } = press('whole', 4.5);
    to(4.9);
    expect(times()[1]).toEqual([3.4, 5.4]);
    to(4.1);
    expect(times()[1]).toEqual([2.6, 4.6]);
  });
  test('of less than three pixels is a click', () => {
    const { to, up, times, clicks } = press('start', 3);
    to(3.02);
    up();
    expect([times()[1], clicks()]).toEqual([[3, 5], 1]);
    const moved = press('start', 3);
    moved.to(3.03);
    moved.to(3.01);
    moved.up();
    expect([moved.times()[1], moved.clicks()]).toEqual([[3.01, 5], 0]);
  });
  test('snaps within eight pixels, unless Alt is held', () => {
    const { to, times, magnets } = press('start', 3);
    magnets.value = { shots: [3.5] };
    to(3.43);
    expect(times()[1]).toEqual([3.5, 5]);
    to(3.43, { altKey: true });
    expect(times()[1]).toEqual([3.43, 5]);
    to(3.4);
    expect(times()[1]).toEqual([3.4, 5]);
    const whole = press('whole', 4);
    whole.magnets.value = { shots: [3.5] };
    whole.to(4.45);
    expect(whole.times()[1]).toEqual([3.5, 5.5]);
  });
  test('snaps to neighbouring captions, a gap away, if they do not move', () => {
    const { to, times } = press('end', 5);
    to(5.86);
    expect(times()[1]).toEqual([3, 5.916]);
    to(5.86, { altKey: true });
    expect(times()[1]).toEqual([3, 5.86]);
    // Beyond reach, the neighbour makes room.
    to(6.1);
    expect(times().slice(1)).toEqual([
      [3, 6.1],
      [6.184, 8],
    ]);
    const start = press('start', 3);
    start.to(2.13);
    expect(start.times()[1]).toEqual([2.084, 5]);
    const whole = press('whole', 4);
    whole.to(4.87);
    expect(whole.times()[1]).toEqual([3.916, 5.916]);
    whole.to(3.15);
    expect(whole.times()[1]).toEqual([2.084, 4.084]);
  });
  test('snaps to neighbours also where they never make room', () => {
    settings.mode.value = 'free';
    const { to, times } = press('end', 5);
    to(5.86);
    settings.mode.value = 'push';
    expect(times()[1]).toEqual([3, 5.916]);
  });
  test('does not snap to neighbours that move along, or if snapping is off', () => {
    settings.mode.value = 'ripple';
    const { to, times } = press('end', 5);
    to(5.86);
    expect(times()[1]).toEqual([3, 5.86]);
    settings.mode.value = 'push';
    settings.snapNeighbours.value = false;
    const off = press('end', 5);
    off.to(5.86);
    expect(off.times()[1]).toEqual([3, 5.86]);
    settings.snapNeighbours.value = true;
  });
  test('says what stops it, until it is released', () => {
    const { to, up, held, review } = press('start', 3);
    to(9);
    expect(held.at(-1)).not.toBe('');
    expect(review.message.value).toBe(held.at(-1)!);
    to(3.1);
    expect(held.at(-1)).toBe('');
    to(9);
    up();
    expect(held.at(-1)).toBe('');
  });
  test('restores a neighbour that it had pushed away', () => {
    const { to, times } = press('end', 5);
    to(6.5);
    expect(times()[2]?.[0]).toBeGreaterThan(6.5);
    to(5.5);
    expect(times()).toEqual([
      [0, 2],
      [3, 5.5],
      [6, 8],
    ]);
  });
  test('ends with its own pointer, and follows no other', () => {
    const { to, up, times } = press('end', 5);
    to(5.5, { pointerId: 2 });
    expect(times()[1]).toEqual([3, 5]);
    to(5.3);
    up();
    to(5.9);
    expect(times()[1]).toEqual([3, 5.3]);
  });
  test.each(['cancel', 'pointercancel'])('that is interrupted leaves the captions: %s', (how) => {
    const { to, up, cancel, times, held, clicks } = press('end', 5);
    to(5.3);
    if (how === 'cancel') cancel();
    else up(how);
    to(5.9);
    expect([times()[1], held.at(-1), clicks()]).toEqual([[3, 5.3], '', 0]);
  });
  test('has no effect once its caption is deleted', () => {
    const { to, times, commands } = press('end', 5);
    to(5.3);
    commands.remove();
    to(5.6);
    expect(times()).toEqual([
      [0, 2],
      [6, 8],
    ]);
  });
  test('has no effect once another caption is deleted', () => {
    const { to, times, go, commands } = press('whole', 4);
    go(3);
    commands.remove();
    to(4.3);
    expect(times()).toEqual([
      [0, 2],
      [3, 5],
    ]);
  });
});
