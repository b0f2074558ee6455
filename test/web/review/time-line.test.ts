/**
 * The calculations of the timeline: the visible part, the position of the pointer, and gestures.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { blocksIn, hitAt } from '../../../web/review/play/draw-time-line.ts';
import { showing, within, zoomed } from '../../../web/review/model/time-view.ts';
import { Pinch } from '../../../web/review/play/drag-cue.ts';
import { at, someCues } from './support.ts';

const some = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('the view', () => {
  test('stays within the recording, and keeps the point under the pointer if possible', () => {
    fc.assert(
      fc.property(
        some(0, 7200),
        some(1, 9000),
        some(0.1, 10),
        some(0, 1),
        some(3, 7200),
        (left, span, factor, part, length) => {
          const view = within({ left, span }, length);
          const time = view.left + part * view.span;
          const after = zoomed(view, time, factor, length);
          expect(after.left).toBeGreaterThanOrEqual(0);
          expect(after.left + after.span).toBeLessThanOrEqual(length + 1e-6);
          const isAtAnEdge = after.left < 1e-6 || after.left + after.span > length - 1e-6;
          if (!isAtAnEdge) expect((time - after.left) / after.span).toBeCloseTo(part, 6);
          const shown = showing(after, time, length);
          expect(time).toBeGreaterThanOrEqual(shown.left - 1e-6);
          expect(time).toBeLessThanOrEqual(shown.left + shown.span + 1e-6);
        },
      ),
    );
  });
});

test.each([
  [5, 10, 100, [5, 10]],
  [5, 1, 100, [5, 2]],
  [99.5, 1, 100, [98, 2]],
  [-3, 10, 100, [0, 10]],
  [95, 10, 100, [90, 10]],
  [20, 500, 100, [0, 100]],
  [1, 50, 0.5, [0, 2]],
])('a view from %p of %p s in a recording of %p s', (left, span, length, limited) => {
  const view = within({ left, span }, length);
  expect([view.left, view.span]).toEqual(limited);
});

test('a larger factor shows more time', () => {
  expect(zoomed({ left: 30, span: 20 }, 40, 2, 100)).toEqual({ left: 20, span: 40 });
  expect(zoomed({ left: 30, span: 20 }, 40, 0.5, 100)).toEqual({ left: 35, span: 10 });
  expect(zoomed({ left: 30, span: 20 }, 40, 9, 100)).toEqual({ left: 0, span: 100 });
  // The shortest view: the time under the pointer stays where it was.
  expect(zoomed({ left: 8, span: 4 }, 9, 0.1, 100)).toEqual({ left: 8.5, span: 2 });
});

test('a time out of view is shown with a tenth of the view before it', () => {
  expect(showing({ left: 0, span: 20 }, 50, 100)).toEqual({ left: 48, span: 20 });
  expect(showing({ left: 60, span: 20 }, 50, 100)).toEqual({ left: 48, span: 20 });
  // What is close to the right edge counts as out of view.
  const view = { left: 40, span: 20 };
  for (const time of [40, 50, 59]) expect(showing(view, time, 100)).toBe(view);
  expect(showing(view, 59.5, 100)).toEqual({ left: 57.5, span: 20 });
});

describe('blocks', () => {
  test('in a view are the visible ones', () => {
    fc.assert(
      fc.property(someCues, some(0, 60), some(1, 60), (cues, left, span) => {
        const [from, to] = blocksIn(cues, { left, span });
        const seen = cues.filter(({ start, end }) => end > left && start <= left + span);
        expect(cues.slice(from, to)).toEqual(seen);
      }),
    );
  });
  test('are outside a view that begins where they end', () => {
    expect(blocksIn([at(1, 0, 2), at(2, 3, 4)], { left: 2, span: 0.5 })).toEqual([1, 1]);
  });
  test.each([
    ['mouse', 5],
    ['touch', 14],
  ] as const)('an edge is hit by a %s up to %p pixels from it', (pointer, reach) => {
    const cues = [at(1, 0, 2), at(2, 4, 12)];
    // 64 pixels a second.
    const hit = (pixels: number) => hitAt(cues, 4 + pixels / 64, 1 / 64, pointer, -1)?.part;
    expect([hit(-reach), hit(reach)]).toEqual(['start', 'start']);
    expect([hit(-reach - 0.5), hit(reach + 0.5)]).toEqual([undefined, 'whole']);
  });
  test('a quarter of a short block belongs to each edge', () => {
    const hit = (pixels: number) => hitAt([at(1, 4, 4.125)], 4 + pixels / 64, 1 / 64, 'mouse', -1);
    // Outside it, an edge reaches as far as usual.
    expect([-5, 13].map((pixels) => hit(pixels)?.part)).toEqual(['start', 'end']);
    expect([1, 2, 2.5, 5.5, 6].map((pixels) => hit(pixels)?.part)).toEqual([
      'start',
      'start',
      'whole',
      'whole',
      'end',
    ]);
  });
  test('an edge of the current block is preferred by half of the reach', () => {
    const cues = [at(1, 0, 4), at(2, 4.0625, 8)];
    const hit = (pixels: number) => hitAt(cues, 4 + pixels / 64, 1 / 64, 'mouse', 0)?.index;
    expect([2, 3, 4].map(hit)).toEqual([0, 0, 1]);
  });
  test('are hit at their edges, the current one first, and in between as a whole', () => {
    const cues = [at(1, 0, 2), at(2, 2, 4), at(3, 6, 6.01)];
    const hit = (time: number, current = -1) => hitAt(cues, time, 0.01, 'mouse', current);
    expect(hit(1)).toEqual({ index: 0, part: 'whole' });
    expect(hit(1.97)).toEqual({ index: 0, part: 'end' });
    expect(hit(2.01, 0)).toEqual({ index: 0, part: 'end' });
    expect(hit(2.01, 1)).toEqual({ index: 1, part: 'start' });
    expect(hit(5)).toBeNull();
    expect(hitAt([at(1, 3, 4)], 1, 0.01, 'mouse', -1)).toBeNull();
    // Even a very short block can be moved by its middle.
    expect(hit(6.005)).toEqual({ index: 2, part: 'whole' });
  });
});

describe('fingers', () => {
  const finger = (pointerId: number, clientX: number, pointerType = 'touch') => ({
    pointerId,
    pointerType,
    clientX,
  });
  test('pan with one, and zoom with two', () => {
    const pinch = new Pinch();
    expect(pinch.down(finger(1, 100))).toBe(false);
    expect(pinch.move(finger(1, 90))).toEqual({ x: 90, by: -10, factor: 1 });
    expect(pinch.down(finger(2, 190))).toBe(true);
    expect(pinch.move(finger(2, 290))).toEqual({ x: 190, by: 50, factor: 0.5 });
    expect(pinch.up(finger(2, 290))).toBe(false);
    pinch.up(finger(1, 90));
    pinch.down(finger(3, 50));
    expect(pinch.up(finger(3, 50))).toBe(true);
    expect(pinch.down(finger(4, 50, 'mouse'))).toBe(false);
    expect(pinch.move(finger(4, 60, 'mouse'))).toBeNull();
    expect(pinch.up(finger(4, 60, 'mouse'))).toBe(false);
    // A finger that moved less than six pixels in all has tapped.
    for (const [last, taps] of [
      [99, true],
      [98, false],
    ] as const) {
      pinch.down(finger(8, 100));
      for (const x of [102, 100, last]) pinch.move(finger(8, x));
      expect(pinch.up(finger(8, last))).toBe(taps);
    }
    // Fingers in one place have no distance that could grow.
    pinch.down(finger(9, 100));
    pinch.down(finger(10, 100));
    expect(pinch.move(finger(10, 150))?.factor).toBe(1);
    expect(pinch.move(finger(10, 100))?.factor).toBe(1);
    for (const id of [9, 10]) pinch.up(finger(id, 100));
    // A finger that drags a caption neither pans nor taps.
    pinch.down(finger(5, 50));
    pinch.drag();
    expect(pinch.move(finger(5, 52))).toBeNull();
    expect(pinch.up(finger(5, 52))).toBe(false);
    // Unless a second one joins it.
    pinch.down(finger(6, 100));
    pinch.drag();
    expect(pinch.down(finger(7, 200))).toBe(true);
    expect(pinch.move(finger(7, 300))).toEqual({ x: 200, by: 50, factor: 0.5 });
    // Two fingers drag nothing.
    pinch.drag();
    expect(pinch.move(finger(7, 200))?.factor).toBe(2);
  });
});
