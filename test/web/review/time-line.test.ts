/** The time line: its view, its blocks, dragging and drawing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type Hit,
  type TimeLineContent,
  blocksIn,
  drawTimeLine,
  hitAt,
} from '../../../web/review/play/draw-time-line.ts';
import { showing, within, zoomed } from '../../../web/review/model/time-view.ts';
import { Pinch, dragCue } from '../../../web/review/play/drag-cue.ts';
import { at } from './support.ts';
import { desk } from '../support/desk.ts';
import { Surface, usePage } from '../support/page.ts';
import { text } from '../../../web/texts/review.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';

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

test('a time out of view is shown with a tenth of the view before it', () => {
  expect(showing({ left: 0, span: 20 }, 50, 100)).toEqual({ left: 48, span: 20 });
  expect(showing({ left: 60, span: 20 }, 50, 100)).toEqual({ left: 48, span: 20 });
  // What is close to the right edge counts as out of view.
  const view = { left: 40, span: 20 };
  for (const time of [40, 50, 59]) expect(showing(view, time, 100)).toBe(view);
  expect(showing(view, 59.5, 100)).toEqual({ left: 57.5, span: 20 });
});

describe('blocks', () => {
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

describe('dragging a caption', () => {
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
      expect(times()[1]).toEqual([3, 5]);
      to(5.3);
      up();
      to(5.9);
      expect(times()[1]).toEqual([3, 5.3]);
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
  });
});

describe('the drawing', () => {
  /** Something drawn: a rectangle with its colour, or a text with its place. */
  interface Drawn {
    what: 'box' | 'text';
    /** The colour, with its opacity where it is not whole. */
    in: string;
    at: number[];
    text?: string;
  }

  /** A text, its alignment, and the rectangles to which it is clipped. */
  type Placed = [text: string, side: string, within: number[][]];

  const before = { style: globalThis.getComputedStyle, scale: globalThis.devicePixelRatio };

  beforeAll(() => {
    const style = {
      color: 'text',
      fontFamily: 'Letters',
      getPropertyValue: (name: string) => name,
    };
    Object.assign(globalThis, { getComputedStyle: () => style, devicePixelRatio: 2 });
  });

  afterAll(() => {
    Object.assign(globalThis, { getComputedStyle: before.style, devicePixelRatio: before.scale });
  });

  /** Draws a view of 600 pixels. */
  function draw(
    content: Partial<TimeLineContent>,
    { left = 0, span = 60, width = 600 } = {},
  ): { drawn: Drawn[]; fonts: string[]; directions: string[]; size: number[]; placed: Placed[] } {
    const drawn: Drawn[] = [];
    const fonts: string[] = [];
    const directions: string[] = [];
    const placed: Placed[] = [];
    const kept: object[] = [];
    let path: number[][] = [];
    const context = {
      fillStyle: '',
      globalAlpha: 1,
      textAlign: 'start',
      clipped: [] as number[][],
      set font(value: string) {
        fonts.push(value);
      },
      set direction(value: string) {
        directions.push(value);
      },
      setTransform() {},
      beginPath() {
        path = [];
      },
      rect: (...at: number[]) => void path.push(at),
      clip() {
        this.clipped = [...this.clipped, ...path];
      },
      clearRect: () => void drawn.splice(0),
      save() {
        const { fillStyle, globalAlpha, textAlign, clipped } = this;
        kept.push({ fillStyle, globalAlpha, textAlign, clipped });
      },
      restore() {
        Object.assign(this, kept.pop());
      },
      paint(more: Pick<Drawn, 'what' | 'at' | 'text'>) {
        const alpha = this.globalAlpha === 1 ? '' : ` ${this.globalAlpha}`;
        drawn.push({ ...more, in: this.fillStyle.replace(/^--/, '') + alpha });
      },
      fillRect(...at: number[]) {
        this.paint({ what: 'box', at });
      },
      fillText(text: string, ...at: number[]) {
        this.paint({ what: 'text', at, text });
        placed.push([text, this.textAlign, this.clipped]);
      },
    };
    const canvas = { width: 0, height: 0, getContext: () => context };
    drawTimeLine(canvas as never, { left, span }, [width, 132], {
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
    return { drawn, fonts, directions, size: [canvas.width, canvas.height], placed };
  }

  const cue = (id: number, start: number, end: number, more: Partial<ReviewCue> = {}) =>
    ({ id, start, end, lines: ['Words'], ...more }) as ReviewCue;

  const boxes = (drawn: Drawn[], style: string) =>
    drawn.filter((each) => each.what === 'box' && each.in === style).map(({ at }) => at);

  const textsOf = (drawn: Drawn[]) => drawn.flatMap(({ text }) => text ?? []);

  test('a caption is a block with two edges, its number and its words', () => {
    const { drawn } = draw({
      cues: [cue(1, 10, 20, { lines: ['One <i>and</i>', 'two', 'three'] })],
    });
    expect(boxes(drawn, 'line-strong 0.16')).toEqual([[100, 0, 99, 114]]);
    expect(boxes(drawn, 'line-strong')).toEqual([
      [100, 0, 1, 114],
      [198, 0, 1, 114],
    ]);
    expect(boxes(drawn, 'paper-raised 0.82')).toEqual([[102, 65, 95, 49]]);
    expect(drawn.filter(({ what, in: colour }) => what === 'text' && colour === 'ink')).toEqual([
      { what: 'text', in: 'ink', at: [106, 79], text: '1' },
      { what: 'text', in: 'ink', at: [106, 94], text: 'One and' },
      { what: 'text', in: 'ink', at: [106, 109], text: 'two' },
    ]);
  });

  test('the caption at the playhead is underlined in its colour', () => {
    const cues = [cue(1, 10, 20), cue(2, 20, 40)];
    expect(boxes(draw({ cues, heardId: 2 }).drawn, 'error')).toContainEqual([200, 111, 199, 3]);
  });

  test('a view that finer peaks cover is drawn from them, another from the usual ones', () => {
    const peaks = new Uint8Array(100 * 50).fill(255);
    const fine = { from: 0, perSecond: 400, values: new Uint8Array(60 * 400) };
    const loud = (span: number) => {
      const { drawn } = draw({ peaks, fine }, { left: 0, span });
      return drawn.filter(({ what, at }) => what === 'box' && at[3] === 114).length;
    };
    expect([loud(60), loud(61)]).toEqual([0, 600]);
  });

  test('a speaker has a stripe of their colour', () => {
    const speakers = new Map([
      ['Ada', 0],
      ['Bo', 1],
    ]);
    const cues = [cue(1, 0, 10, { speakers: ['Bo'] }), cue(2, 10, 20, { speakers: [''] })];
    const stripes = draw({ cues, speakers }).drawn.filter(({ at }) => at[3] === 3 && at[1] === 0);
    expect(stripes.map(({ in: colour, at }) => [colour, at[0], at[2]])).toEqual([
      [expect.stringContaining('speaker'), 0, 99],
    ]);
  });

  test('a narrow block has no words, and blocks that share a pixel are one, except the current', () => {
    const narrow = draw({ cues: [cue(1, 0, 2.69), cue(2, 3, 5.71)] }).drawn;
    expect(textsOf(narrow)).toContain('2');
    expect(textsOf(narrow).filter((text) => text === 'Words')).toHaveLength(1);
    const wide = draw({ cues: [cue(1, 0, 27)] }, { left: 0, span: 600 }).drawn;
    expect(textsOf(wide)).toContain('Words');
    const many = Array.from({ length: 100 }, (_, at) => cue(at + 1, at / 100, (at + 1) / 100));
    const share = (content: Partial<TimeLineContent>) =>
      draw({ cues: many, ...content }, { left: 0, span: 600 }).drawn;
    expect(boxes(share({}), 'line-strong 0.16')).toHaveLength(2);
    expect(boxes(share({ currentId: 50 }), 'accent-wash 0.5')).toHaveLength(1);
    expect(boxes(share({ selected: new Set([50, 51]) }), 'accent-wash 0.5')).toHaveLength(2);
  });

  test('shots are dotted lines, matches are at the top, and the playhead crosses all', () => {
    const { drawn } = draw({ shots: [-1, 0, 30, 60, 61], found: [-1, 0, 6, 60, 61], time: 45 });
    const dots = boxes(drawn, 'warning');
    expect([...new Set(dots.map(([x]) => x))]).toEqual([0, 300, 600]);
    expect(dots.slice(0, 3)).toEqual([
      [0, 0, 1, 3],
      [0, 6, 1, 3],
      [0, 12, 1, 3],
    ]);
    expect(dots.filter(([x]) => x === 0)).toHaveLength(19);
    expect(boxes(drawn, 'accent')).toEqual([
      [-1, 0, 3, 14],
      [59, 0, 3, 14],
      [599, 0, 3, 14],
    ]);
    expect(boxes(drawn, 'error')).toEqual([[449.25, 0, 1.5, 132]]);
  });

  test.each([
    [60, 0, ['00:00', '00:10', '00:20', '00:30', '00:40', '00:50']],
    [15, 7, ['00:08', '00:10', '00:12', '00:14', '00:16', '00:18', '00:20']],
    [7, 0, ['00:00', '00:01', '00:02', '00:03', '00:04', '00:05', '00:06']],
    [600, 0, ['00:00', '02:00', '04:00', '06:00', '08:00']],
    [7200, 0, ['00:00', '30:00', '1:00:00', '1:30:00']],
    [43_200, 0, ['00:00', '2:00:00', '4:00:00', '6:00:00', '8:00:00', '10:00:00']],
    [30_000, 0, ['00:00', '2:00:00', '4:00:00', '6:00:00', '8:00:00']],
  ])('a view of %p s from %p has labels that do not touch', (span, left, labels) => {
    const { drawn, fonts } = draw({}, { left, span });
    const shown = drawn.filter(({ what }) => what === 'text');
    expect(fonts.at(-1)).toBe('11px Letters');
    const gap = (shown[1]?.at[0] ?? 0) - (shown[0]?.at[0] ?? 0);
    expect(gap).toBeGreaterThanOrEqual(70);
    expect(shown.map(({ text }) => text)).toEqual(labels);
    expect(new Set(shown.map(({ at: [, y] }) => y))).toEqual(new Set([128]));
    const ticks = boxes(drawn, 'ink-soft');
    expect(ticks.map(([x, y, wide, high]) => [(x ?? 0) + 3, y, wide, high])).toEqual(
      shown.map(({ at: [x] }) => [x, 114, 1, 18]),
    );
  });

  test('the sound is a bar for each pixel, as high as its loudest moment', () => {
    const peaks = new Uint8Array(3000);
    peaks.set([255, 64], 50);
    peaks[59] = 255;
    const bars = boxes(draw({ peaks }, { left: 0, span: 6 }).drawn, 'text');
    expect(bars).toHaveLength(600);
    expect(bars[0]).toEqual([0, 56.5, 1, 1]);
    expect(bars[100]).toEqual([100, 0, 1, 114]);
    expect(bars[102]![3]).toBeCloseTo(Math.sqrt(64 / 255) * 114, 6);
    expect(bars[104]).toEqual([104, 56.5, 1, 1]);
    const far = boxes(draw({ peaks }, { left: 0, span: 60 }).drawn, 'text');
    expect(far.flatMap(([x, , , high]) => ((high ?? 0) > 1 ? [x] : []))).toEqual([10, 11]);
  });

  test('sound without captions is coloured, and named where there is room', () => {
    const unheard = [
      { start: 2, end: 5 },
      { start: 8, end: 8.5 },
      { start: 90, end: 95 },
    ];
    const { drawn } = draw({ unheard }, { left: 0, span: 10 });
    expect(boxes(drawn, 'warning 0.2')).toEqual([
      [120, 0, 180, 114],
      [480, 0, 30, 114],
    ]);
    expect(textsOf(drawn)).toContain(text.review.unheard);
    expect(textsOf(drawn).filter((each) => each === text.review.unheard)).toHaveLength(1);
  });
});
