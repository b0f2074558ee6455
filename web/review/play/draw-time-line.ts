/**
 * Draws the timeline: the sound, captions as blocks with their words, shots, times and the
 * playhead.
 */
import { lastStartedAt, type ReviewCue } from '../model/cue.ts';
import { colourOf } from '../editing/speakers.ts';
import type { TimeView } from '../model/time-view.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { text } from '../../texts/review.ts';

interface TimeLineContent {
  /** 50 values a second, from 0 to 255. */
  peaks: Uint8Array | null;
  /** Finer peaks of a part of the recording, for a view that is zoomed in. */
  fine: FinePeaks | null;
  cues: readonly ReviewCue[];
  currentId: number | null;
  /** The caption at the playhead. */
  heardId: number | null;
  selected: ReadonlySet<number>;
  /** The number of each speaker by name, from 0. */
  speakers: ReadonlyMap<string, number>;
  /** The times at which search matches are spoken, in seconds. */
  found: readonly number[];
  shots: readonly number[];
  /** Stretches of sound without captions, in seconds. */
  unheard: readonly Stretch[];
  /** The times of open comments, in seconds. */
  comments: readonly number[];
  /** The position of the playhead, in seconds. */
  time: number;
  /** Writes the times below. */
  write(seconds: number): string;
}

/** Peaks of a part of the recording, which begins at `from` (seconds). */
export interface FinePeaks {
  readonly from: number;
  readonly perSecond: number;
  readonly values: Uint8Array;
}

/** Whether these peaks are enough to draw a view. */
export const covers = ({ from, perSecond, values }: FinePeaks, view: TimeView): boolean =>
  from <= Math.max(0, view.left) && from + values.length / perSecond >= view.left + view.span;

/** Matches a line whose first letter is Hebrew, Arabic or of a related script. */
const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08ff]/u;
/** The height of the times below the sound, and of the words over its lower part, in CSS pixels. */
const TIMES = 18;
/** A finger above the words moves the view, one on them drags a caption. */
export const WORDS = 66;
const PER_SECOND = 50;
/** The minimum distance between two time labels, in pixels. */
const TICK = 80;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
/** Stretches without captions narrower than this are only coloured. */
const NAMED = 80;
/** Blocks narrower than this show no words. */
const NARROW = 26;
const LINE = 15;
/** The size of the flag of a comment. */
const FLAG = 10;
/** The height of a match. */
const MATCH = 14;

/** Prepares a canvas for drawing in CSS pixels; null if it has no size. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const scale = devicePixelRatio;
  const context = canvas.getContext('2d');
  if (!context || width <= 0) return null;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Draws the loudness between two times as bars of at most the given height. */
export function drawSound(
  context: CanvasRenderingContext2D,
  peaks: Uint8Array,
  { left, span }: TimeView,
  width: number,
  height: number,
  perSecond = PER_SECOND,
): void {
  for (let x = 0; x < width; x += 1) {
    const from = Math.floor((left + (x / width) * span) * perSecond);
    const to = Math.max(from + 1, Math.floor((left + ((x + 1) / width) * span) * perSecond));
    const loudest = loudestIn(peaks, from, to);
    // The square root keeps quiet voices visible.
    const high = Math.max(1, Math.sqrt(loudest / 255) * height);
    context.fillRect(x, (height - high) / 2, 1, high);
  }
}

/** Draws the timeline in the colours of the page. */
export function drawTimeLine(
  canvas: HTMLCanvasElement,
  view: TimeView,
  [width, height]: readonly [width: number, height: number],
  content: TimeLineContent,
): void {
  const { peaks, fine, cues, currentId, heardId, selected } = content;
  const { speakers, found, shots, unheard, time } = content;
  const sound = height - TIMES;
  const context = prepare(canvas, width, height);
  if (!context) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  const xOf = (at: number): number => ((at - view.left) / view.span) * width;

  context.fillStyle = style.color;
  if (fine && covers(fine, view)) {
    const part = { left: view.left - fine.from, span: view.span };
    drawSound(context, fine.values, part, width, sound, fine.perSecond);
  } else if (peaks) drawSound(context, peaks, view, width, sound);

  context.font = `12px ${style.fontFamily}`;
  for (const { start, end } of unheard) {
    const [x, wide] = [xOf(start), xOf(end) - xOf(start)];
    if (x > width || x + wide < 0) continue;
    context.fillStyle = colour('warning');
    context.globalAlpha = 0.2;
    context.fillRect(x, 0, wide, sound);
    context.globalAlpha = 1;
    if (wide >= NAMED) context.fillText(text.review.unheard, Math.max(0, x) + 6, sound - 6);
  }

  const [from, to] = blocksIn(cues, view);
  const [wash, accent] = [colour('accent-wash'), colour('accent')];
  const [edge, ink] = [colour('line-strong'), colour('ink')];
  let drawnTo = -1;
  for (const [at, cue] of cues.slice(from, to).entries()) {
    const isCurrent = cue.id === currentId;
    const [x, end] = [xOf(cue.start), xOf(cue.end)];
    // In a view of hours, many captions share a pixel: they are drawn as one block.
    if (Math.floor(end) === drawnTo && !isCurrent && !selected.has(cue.id)) continue;
    drawnTo = Math.floor(end);
    const wide = Math.max(1, end - x - 1);
    context.fillStyle = isCurrent || selected.has(cue.id) ? wash : edge;
    context.globalAlpha = isCurrent || selected.has(cue.id) ? 0.5 : 0.16;
    context.fillRect(x, 0, wide, sound);
    context.globalAlpha = 1;
    context.fillStyle = isCurrent ? accent : edge;
    context.fillRect(x, 0, isCurrent ? 2 : 1, sound);
    context.fillRect(x + wide - (isCurrent ? 2 : 1), 0, isCurrent ? 2 : 1, sound);
    const [name] = cue.speakers ?? [];
    if (name) {
      context.fillStyle = colour(colourOf(speakers.get(name)!));
      context.fillRect(x, 0, wide, 3);
    }
    if (wide >= NARROW) {
      drawWords(context, cue, from + at + 1, [Math.max(0, x), Math.min(width, x + wide)], {
        paper: colour('paper-raised'),
        ink,
        bottom: sound,
      });
    }
    if (cue.id === heardId) {
      context.fillStyle = colour('error');
      context.fillRect(x, sound - 3, wide, 3);
    }
  }

  context.fillStyle = colour('warning');
  for (const shot of shots) {
    const x = xOf(shot);
    if (x < 0 || x > width) continue;
    for (let y = 0; y < sound; y += 6) context.fillRect(x, y, 1, 3);
  }

  context.fillStyle = colour('accent');
  for (const at of found) {
    const x = xOf(at);
    if (x >= 0 && x <= width) context.fillRect(x - 1, 0, 3, MATCH);
  }

  // A small flag, whose pole is at the time.
  context.fillStyle = colour('info');
  for (const at of content.comments) {
    const x = xOf(at);
    if (x < -FLAG || x > width) continue;
    context.fillRect(x, 0, 2, sound);
    context.fillRect(x, 0, FLAG, FLAG);
  }

  context.font = `11px ${style.fontFamily}`;
  context.fillStyle = colour('ink-soft');
  const step = STEPS.find((seconds) => (seconds / view.span) * width >= TICK) ?? 7200;
  for (let at = Math.ceil(view.left / step) * step; at < view.left + view.span; at += step) {
    context.fillText(content.write(at).replace('.0', ''), xOf(at) + 3, height - 4);
    context.fillRect(xOf(at), sound, 1, TIMES);
  }
  context.fillStyle = colour('error');
  context.fillRect(xOf(time) - 0.75, 0, 1.5, height);
}

function drawWords(
  context: CanvasRenderingContext2D,
  { lines }: ReviewCue,
  number: number,
  [from, to]: readonly [from: number, to: number],
  { paper, ink, bottom }: { paper: string; ink: string; bottom: number },
): void {
  context.save();
  context.beginPath();
  context.rect(from + 2, 0, to - from - 4, bottom);
  context.clip();
  context.fillStyle = paper;
  context.globalAlpha = 0.82;
  const high = Math.min(3, lines.length + 1) * LINE + 4;
  context.fillRect(from + 2, bottom - high, to - from - 4, high);
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.textAlign = 'left';
  const top = bottom - high + LINE - 1;
  context.fillText(String(number), from + 6, top);
  for (const [at, line] of lines.slice(0, 2).entries()) {
    context.direction = RIGHT_TO_LEFT.test(line) ? 'rtl' : 'ltr';
    context.fillText(line.replaceAll(/<\/?i>/gi, ''), from + 6, top + (at + 1) * LINE);
  }
  context.restore();
}

/** The distance to an edge that counts as a hit, in pixels: more for a finger. */
const REACH = { mouse: 5, touch: 14 };

/** The part of a caption under the pointer. */
export interface Hit {
  readonly index: number;
  readonly part: 'start' | 'end' | 'whole';
}

/** The positions of the captions in a view; the end is exclusive. */
function blocksIn(
  cues: readonly ReviewCue[],
  { left, span }: TimeView,
): [from: number, to: number] {
  const first = lastStartedAt(cues, left);
  const from = first >= 0 && cues[first]!.end > left ? first : first + 1;
  return [from, lastStartedAt(cues, left + span) + 1];
}

/** The edge or caption at a time; edges of the current caption take precedence. */
export function hitAt(
  cues: readonly ReviewCue[],
  time: number,
  secondsAPixel: number,
  pointer: 'mouse' | 'touch',
  current: number,
): Hit | null {
  const reach = REACH[pointer] * secondsAPixel;
  const near = lastStartedAt(cues, time);
  let best: (Hit & { distance: number }) | null = null;
  for (const index of [near - 1, near, near + 1]) {
    const cue = cues[index];
    if (!cue) continue;
    for (const part of ['start', 'end'] as const) {
      // The middle half of a short block is for moving it.
      const own = Math.min(reach, (cue.end - cue.start) / 4);
      const inside = part === 'start' ? time - cue.start : cue.end - time;
      const distance = Math.abs(inside) - (index === current ? reach / 2 : 0);
      if (inside > own || inside < -reach) continue;
      if (!best || distance < best.distance) best = { index, part, distance };
    }
  }
  if (best) return { index: best.index, part: best.part };
  const cue = cues[near];
  return cue && time < cue.end ? { index: near, part: 'whole' } : null;
}

/** The number of values that one value of the next level summarises. */
const STEP = 8;

const known = new WeakMap<Uint8Array, readonly Uint8Array[]>();

/** Peaks in ever coarser levels: each value is the highest of the eight below it. */
function levelsOf(peaks: Uint8Array): readonly Uint8Array[] {
  const before = known.get(peaks);
  if (before) return before;
  const levels = [peaks];
  for (let fine = peaks; fine.length > 1;) {
    const coarse = new Uint8Array(Math.ceil(fine.length / STEP));
    for (const [at, value] of fine.entries()) {
      const above = Math.floor(at / STEP);
      coarse[above] = Math.max(coarse[above]!, value);
    }
    levels.push(coarse);
    fine = coarse;
  }
  known.set(peaks, levels);
  return levels;
}

/** The highest of the values from one position up to another, which is exclusive; 0 if there are none. */
function loudestIn(peaks: Uint8Array, from: number, to: number): number {
  let [first, end] = [Math.max(0, from), Math.min(to, peaks.length)];
  let loudest = 0;
  for (const level of levelsOf(peaks)) {
    const take = (at: number): void => {
      loudest = Math.max(loudest, level[at]!);
    };
    // The values at either end that do not fill a value of the next level.
    while (first < end && first % STEP !== 0) take(first++);
    while (end > first && end % STEP !== 0) take(--end);
    first /= STEP;
    end /= STEP;
  }
  return loudest;
}
