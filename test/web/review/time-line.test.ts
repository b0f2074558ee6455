/** The time line: its view, its blocks, dragging and drawing. */
import { position } from '../../../web/texts/format.ts';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { drawTimeLine, hitAt } from '../../../web/review/play/draw-time-line.ts';
import { showing, within, zoomed } from '../../../web/review/model/time-view.ts';
import { dragCue } from '../../../web/review/screen/drag-cue.ts';
import { at, spans } from './support.ts';
import { desk } from '../support/desk.ts';
import { Surface, usePage } from '../support/page.ts';
import { text } from '../../../web/texts/review.ts';

const some = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test('the view stays within the recording, and keeps the point under the pointer if possible', () => {
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

describe('blocks', () => {
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

describe('dragging a caption', () => {
  usePage();

  const SCALE = 100;

  /** Presses on a part of the second of three captions, which lasts from 3 to 5 seconds. */
  function press(part: 'start' | 'end' | 'whole', at: number) {
    const opened = desk(['One.', 'Two.', 'Three.']);
    const surface = new Surface();
    const held: string[] = [];
    let clicks = 0;
    const down = { clientX: at * SCALE, pointerId: 1, currentTarget: surface };
    const cancel = dragCue(
      down as unknown as PointerEvent,
      { review: opened.review, magnets: () => opened.magnets.value, clock: opened.clock },
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
    /** The second caption, and the one after it. */
    const times = () =>
      spans(
        opened.review.cues.value.slice(1).map((cue) => ({
          ...cue,
          start: Math.round(cue.start * 1000) / 1000,
          end: Math.round(cue.end * 1000) / 1000,
        })),
      );
    return { ...opened, surface, held, clicks: () => clicks, cancel, to, up, times };
  }

  test('of less than three pixels is a click', () => {
    const { to, up, times, clicks } = press('start', 3);
    to(3.02);
    up();
    expect([times(), clicks()]).toEqual(['3-5 6-8', 1]);
    const moved = press('start', 3);
    moved.to(3.03);
    moved.to(3.01);
    moved.up();
    expect([moved.times(), moved.clicks()]).toEqual(['3.01-5 6-8', 0]);
  });
  test('snaps to neighbouring captions, a gap away, if they do not move', () => {
    const { to, times } = press('end', 5);
    to(5.86);
    expect(times()).toBe('3-5.916 6-8');
    to(5.86, { altKey: true });
    expect(times()).toBe('3-5.86 6-8');
    // Beyond reach, the neighbour makes room.
    to(6.1);
    expect(times()).toBe('3-6.1 6.184-8');
    const whole = press('whole', 4);
    whole.to(4.87);
    expect(whole.times()).toBe('3.916-5.916 6-8');
    whole.to(3.15);
    expect(whole.times()).toBe('2.084-4.084 6-8');
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
  test('ends with its own pointer, and follows no other', () => {
    const { to, up, times } = press('end', 5);
    to(5.5, { pointerId: 2 });
    expect(times()).toBe('3-5 6-8');
    to(5.3);
    up();
    to(5.9);
    expect(times()).toBe('3-5.3 6-8');
  });
  test('has no effect once its caption is deleted', () => {
    const { to, times, commands } = press('end', 5);
    to(5.3);
    commands.remove();
    to(5.6);
    expect(times()).toBe('6-8');
  });
});

describe('the drawing', () => {
  const before = { style: globalThis.getComputedStyle, scale: globalThis.devicePixelRatio };

  beforeAll(() => {
    const style = { color: 'text', fontFamily: 'A', getPropertyValue: (name: string) => name };
    Object.assign(globalThis, { getComputedStyle: () => style, devicePixelRatio: 2 });
  });
  afterAll(() => {
    Object.assign(globalThis, { getComputedStyle: before.style, devicePixelRatio: before.scale });
  });

  /** The rectangles of a view of 600 pixels, by their colour, and its texts with their places. */
  function draw(
    content: Partial<Parameters<typeof drawTimeLine>[3]>,
    { left = 0, span = 60 } = {},
  ) {
    const drawn: [colour: string, x: number, y: number, wide: number, high: number][] = [];
    const texts: [text: string, x: number, y: number][] = [];
    const nothing = () => {};
    const rest = { setTransform: nothing, beginPath: nothing, rect: nothing, clip: nothing };
    const context = {
      ...rest,
      save: nothing,
      restore: nothing,
      fillStyle: '',
      fillRect(...at: [number, number, number, number]) {
        drawn.push([this.fillStyle.replace(/^--/, ''), ...at]);
      },
      fillText: (...given: [string, number, number]) => void texts.push(given),
      clearRect: () => void drawn.splice(0),
    };
    const canvas = { width: 0, height: 0, getContext: () => context };
    drawTimeLine(canvas as never, { left, span }, [600, 132], {
      write: position,
      peaks: null,
      fine: null,
      cues: [],
      currentId: null,
      heardId: null,
      selected: new Set(),
      speakers: new Map(),
      found: [],
      shots: [],
      unheard: [],
      comments: [],
      time: 0,
      ...content,
    });
    const boxes = (colour: string) =>
      drawn.flatMap(([which, ...place]) => (which === colour ? [place] : []));
    return { boxes, texts, shown: texts.map(([words]) => words) };
  }

  test('captions that share a pixel are one block, except the current and the selected', () => {
    const cues = Array.from({ length: 100 }, (_, index) =>
      at(index + 1, index / 100, (index + 1) / 100),
    );
    const blocks = (content: Partial<Parameters<typeof drawTimeLine>[3]>, colour: string) =>
      draw({ cues, ...content }, { span: 600 })
        .boxes(colour)
        .filter(([, , , high]) => high === 114);
    const alone = blocks({}, 'line-strong').length;
    expect(alone).toBeLessThan(10);
    expect(blocks({ selected: new Set([50, 51]) }, 'accent-wash')).toHaveLength(2);
    expect(blocks({ currentId: 50 }, 'accent-wash')).toHaveLength(1);
  });

  test('the sound is a bar for each pixel, from finer peaks if they cover the view', () => {
    const peaks = new Uint8Array(3000);
    peaks[50] = 255;
    const bars = draw({ peaks }, { span: 6 }).boxes('text');
    expect([bars.length, bars[0]![3], bars[100]]).toEqual([600, 1, [100, 0, 1, 114]]);
    const fine = { from: 0, perSecond: 400, values: new Uint8Array(60 * 400) };
    const loud = (span: number) =>
      draw({ peaks: peaks.fill(255), fine }, { span })
        .boxes('text')
        .filter(([, , , high]) => high === 114);
    expect([loud(60).length, loud(61).length > 0]).toEqual([0, true]);
  });

  test('shots, matches and the playhead are at their times, and sound without captions is named', () => {
    const unheard = [{ start: 2, end: 12 }];
    const { boxes, shown } = draw({ shots: [30, 61], found: [6, 61], time: 45, unheard });
    expect(new Set(boxes('warning').map(([x]) => x))).toEqual(new Set([20, 300]));
    expect([boxes('accent'), boxes('error')]).toEqual([[[59, 0, 3, 14]], [[449.25, 0, 1.5, 132]]]);
    expect(shown).toContain(text.review.unheard);
  });

  test.each([
    [60, 0, ['00:00', '00:10', '00:20', '00:30', '00:40', '00:50']],
    [15, 7, ['00:08', '00:10', '00:12', '00:14', '00:16', '00:18', '00:20']],
    [43_200, 0, ['00:00', '2:00:00', '4:00:00', '6:00:00', '8:00:00', '10:00:00']],
  ])('a view of %p s from %p has labels that do not touch', (span, left, labels) => {
    const { texts, shown } = draw({}, { left, span });
    expect(shown).toEqual(labels);
    expect(texts[1]![1] - texts[0]![1]).toBeGreaterThanOrEqual(70);
  });
});
