/** A canvas before each drawing. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { prepare } from '../../../web/review/play/draw-time-line.ts';

const before = globalThis.devicePixelRatio;
beforeAll(() => void Object.assign(globalThis, { devicePixelRatio: 2 }));
afterAll(() => void Object.assign(globalThis, { devicePixelRatio: before }));

/** A canvas that lists what is done to it; giving it a size clears it, which takes time. */
function canvas(has = true) {
  const done: unknown[] = [];
  const context = {
    setTransform: (...to: number[]) => void done.push(to),
    clearRect: (...at: number[]) => void done.push(at),
  };
  const size = { width: 0, height: 0 };
  const sized = new Proxy(
    { ...size, getContext: () => (has ? context : null) },
    {
      set(on, side, value) {
        done.push(`${String(side)} ${String(value)}`);
        return Reflect.set(on, side, value);
      },
    },
  );
  const prepared = (width: number, height: number) => {
    done.length = 0;
    return [prepare(sized as unknown as HTMLCanvasElement, width, height) !== null, ...done];
  };
  return prepared;
}
const ready = (wide: number, high: number) => [
  [2, 0, 0, 2, 0, 0],
  [0, 0, wide, high],
];

test('a canvas is emptied and measured in pixels of the page, and given a size only when that changes', () => {
  const prepared = canvas();
  expect(prepared(600, 132)).toEqual([true, 'width 1200', 'height 264', ...ready(600, 132)]);
  expect(prepared(600, 132)).toEqual([true, ...ready(600, 132)]);
  expect(prepared(599.8, 132)).toEqual([true, ...ready(599.8, 132)]);
  expect(prepared(600, 60)).toEqual([true, 'width 1200', 'height 120', ...ready(600, 60)]);
  expect(prepared(300, 60)).toEqual([true, 'width 600', 'height 120', ...ready(300, 60)]);
});

test('a canvas without a width, or in a browser that cannot draw, is left alone', () => {
  expect(canvas()(0, 132)).toEqual([false]);
  expect(canvas(false)(600, 132)).toEqual([false]);
});
