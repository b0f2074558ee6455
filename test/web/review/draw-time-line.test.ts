/** Drawing the timeline: positions, colours, and omissions. */
import { text } from '../../../web/texts/review.ts';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { drawTimeLine, type TimeLineContent } from '../../../web/review/play/draw-time-line.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';

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
  const style = { color: 'text', fontFamily: 'Letters', getPropertyValue: (name: string) => name };
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
  drawTimeLine(canvas as never, { left, span }, width, {
    peaks: null,
    cues: [],
    currentId: null,
    selected: new Set(),
    speakers: new Map(),
    found: [],
    shots: [],
    unheard: [],
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

test('the canvas has the pixels of the screen', () => {
  expect(draw({}).size).toEqual([1200, 264]);
});

test('nothing is drawn without a width', () => {
  expect(draw({ time: 3 }, { width: 0 }).drawn).toEqual([]);
});

test('a caption is a block with two edges, its number and its words', () => {
  const { drawn } = draw({ cues: [cue(1, 10, 20, { lines: ['One <i>and</i>', 'two', 'three'] })] });
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

test('words show only within their block, from its left in every language', () => {
  const cues = [cue(1, 10, 20), cue(2, 20, 40, { lines: ['שלום'] })];
  const { placed, fonts } = draw({ cues });
  expect(fonts).toEqual(['12px Letters', '11px Letters']);
  expect(placed.slice(0, 5)).toEqual([
    ['1', 'left', [[102, 0, 95, 114]]],
    ['Words', 'left', [[102, 0, 95, 114]]],
    ['2', 'left', [[202, 0, 195, 114]]],
    ['שלום', 'left', [[202, 0, 195, 114]]],
    ['00:00', 'start', []],
  ]);
});

test('the current and the selected captions are highlighted', () => {
  const cues = [cue(1, 0, 10), cue(2, 10, 20), cue(3, 20, 30)];
  const { drawn } = draw({ cues, currentId: 2, selected: new Set([3]) });
  expect(boxes(drawn, 'line-strong 0.16').map(([x]) => x)).toEqual([0]);
  expect(boxes(drawn, 'accent-wash 0.5').map(([x]) => x)).toEqual([100, 200]);
  expect(boxes(drawn, 'accent')).toEqual([
    [100, 0, 2, 114],
    [197, 0, 2, 114],
  ]);
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

test('captions outside the view are omitted, and those at its edge are cut', () => {
  const cues = [cue(1, 0, 5), cue(2, 5, 15), cue(3, 65, 75), cue(4, 75, 80)];
  const { drawn } = draw({ cues }, { left: 10, span: 60 });
  expect(boxes(drawn, 'line-strong 0.16').map(([x]) => x)).toEqual([-50, 550]);
  expect(boxes(drawn, 'paper-raised 0.82').map(([x, , wide]) => [x, wide])).toEqual([
    [2, 45],
    [552, 46],
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

test('words are drawn in their direction', () => {
  const cues = [cue(1, 0, 20, { lines: ['(שלום) world', 'world שלום'] })];
  expect(draw({ cues }).directions).toEqual(['rtl', 'ltr']);
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

test.each([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200])(
  'labels are %d s apart in a view of seven times that',
  (step) => {
    const [one, other] = draw({}, { span: 7 * step }).drawn.filter(({ what }) => what === 'text');
    expect(other!.at[0]! - one!.at[0]!).toBeCloseTo(600 / 7, 6);
  },
);

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
