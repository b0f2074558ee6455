/**
 * Captions that just keep a publisher's limit, and captions that just break it. Written from the publishers' numbers,
 * like published-faults.ts, and without any code of the program.
 */
import type { Shown } from './published-faults.ts';
import type { Limits } from './published-limits.ts';

/** Captions at the edge of a rule, and where they break it. */
export interface Edge {
  rule: string;
  cues: readonly Shown[];
  /** Whether the caption `at` breaks the rule. */
  at: number;
  isBroken: boolean;
  /** The frames at which shots begin. */
  shots: readonly number[];
}

/** A caption that keeps every rule lasts this many seconds; so do the pauses beside it. */
const CALM = 4;
/** A caption with this many letters is slow enough for every publisher. */
const FEW_LETTERS = 'aaa bbb';
/** The frames past half a second up to which captions are placed beside a shot change. */
const FRAMES_BEYOND = 2;
const HOUR = 3600;

/** The steps in which times are written: frames, or milliseconds. */
const ticksOf = (rate: number | null): number => rate ?? 1000;
/** A millisecond more or less is tolerated, so a step without frames is two of them. */
const stepOf = (rate: number | null): number => (rate === null ? 2 : 1);

/** All edges of a publisher's rules for a picture with a frame rate, or without one. */
export function* edgeCaptions(limits: Limits, rate: number | null): Generator<Edge> {
  yield* lineEdges(limits, rate);
  yield* timeEdges(limits, rate);
  yield* speedEdges(limits, rate);
  yield* gapEdges(limits, rate);
  if (rate !== null) yield* frameEdges(rate);
  if (rate !== null && limits.outBefore !== undefined) yield* shotEdges(limits.outBefore, rate);
  if (limits.speakers) yield* speakerEdges(limits.speakers, rate);
}

/** The time of this many frames, as files write it. */
const timeOf = (frames: number, rate: number | null): number =>
  Math.round((frames * 1000) / ticksOf(rate)) / 1000;

/** A caption that begins at a whole second and lasts this many ticks. */
function lasting(ticks: number, lines: readonly string[], rate: number | null): Shown {
  const start = Math.round(10 * ticksOf(rate));
  return { start: timeOf(start, rate), end: timeOf(start + ticks, rate), lines };
}

/** The same edge with the caption alone, as the first, in the middle and as the last. */
function* placed(
  rule: string,
  cue: Shown,
  isBroken: boolean,
  rate: number | null,
): Generator<Edge> {
  const ticks = ticksOf(rate);
  const calm = (second: number): Shown => ({
    start: timeOf(Math.round(second * ticks), rate),
    end: timeOf(Math.round((second + CALM) * ticks), rate),
    lines: [FEW_LETTERS],
  });
  const [before, after] = [calm(1), calm(Math.ceil(cue.end) + CALM)];
  const edge = { rule, isBroken, shots: [] };
  yield { ...edge, cues: [cue], at: 0 };
  yield { ...edge, cues: [cue, after], at: 0 };
  yield { ...edge, cues: [before, cue, after], at: 1 };
  yield { ...edge, cues: [before, cue], at: 1 };
}

function* lineEdges({ chars, halves, lines }: Limits, rate: number | null): Generator<Edge> {
  const shown = Math.round(CALM * ticksOf(rate));
  const texts = (count: number): string[] => [
    'a'.repeat(halves ? 2 * count : count),
    '字'.repeat(count),
    // Marks above and below a letter do not count as characters.
    ...(halves ? [] : ['ก็'.repeat(count), 'é'.repeat(count)]),
    `${'字'.repeat(count - 1)}${halves ? 'a ' : 'a'}`.trim().padEnd(count, '.'),
  ];
  if (Number.isFinite(chars)) {
    for (const text of texts(chars)) {
      yield* placed('line_length', lasting(shown, [text], rate), false, rate);
      yield* placed('line_length', lasting(shown, ['a', text], rate), false, rate);
    }
    for (const text of texts(chars).slice(0, 2)) {
      yield* placed('line_length', lasting(shown, [`${text}a`], rate), true, rate);
      yield* placed('line_length', lasting(shown, ['a', `${text}字`], rate), true, rate);
    }
  }
  if (!Number.isFinite(lines)) return;
  const some = (count: number): string[] => Array<string>(count).fill('a');
  yield* placed('line_count', lasting(shown, some(lines), rate), false, rate);
  yield* placed('line_count', lasting(shown, some(lines + 1), rate), true, rate);
}

function* timeEdges({ shortest, longest }: Limits, rate: number | null): Generator<Edge> {
  const step = stepOf(rate);
  if (shortest !== undefined) {
    const least = Math.ceil(shortest * ticksOf(rate) - 1e-6);
    yield* placed('min_duration', lasting(least, ['a'], rate), false, rate);
    yield* placed('min_duration', lasting(least - step, ['a'], rate), true, rate);
  }
  if (longest !== undefined) {
    const most = Math.floor(longest * ticksOf(rate) + 1e-6);
    yield* placed('max_duration', lasting(most, [FEW_LETTERS], rate), false, rate);
    yield* placed('max_duration', lasting(most + step, [FEW_LETTERS], rate), true, rate);
  }
}

function* speedEdges({ cps, wpm }: Limits, rate: number | null): Generator<Edge> {
  const step = stepOf(rate);
  // A line break is read as a space, and a mark alone is no word.
  const texts: [string[], number][] =
    cps === undefined
      ? [
          [['aa bb cc dd', 'ee ff gg.'], 7],
          [['aa — bb … cc', '- dd 5'], 5],
        ]
      : [
          [['aaaa bbbb cccc'], 14],
          [['aaaa bbbb', 'cc dd.'], 16],
          [['aaaa é 👩‍👩‍👧'], 8],
        ];
  const perSecond = cps ?? (wpm === undefined ? undefined : wpm / 60);
  if (perSecond === undefined) return;
  for (const [lines, count] of texts) {
    const needed = Math.ceil((count / perSecond) * ticksOf(rate) - 1e-6);
    yield* placed('reading_speed', lasting(needed, lines, rate), false, rate);
    yield* placed('reading_speed', lasting(needed - step, lines, rate), true, rate);
  }
}

/** Two captions with every gap from an overlap to a second, at the start, in the middle and at the end of a talk. */
function* gapEdges({ gapFrames, smallGap }: Limits, rate: number | null): Generator<Edge> {
  const ticks = ticksOf(rate);
  const [step, small] = [stepOf(rate), Math.ceil(smallGap * ticks - 1e-6)];
  const gaps =
    rate === null
      ? [-500, -2, 0, 2, small - 2, small, small + 2]
      : Array.from({ length: Math.ceil(rate) + 3 }, (_, at) => at - 1);
  const length = Math.round(CALM * ticks);
  for (const gap of gaps) {
    const second = 2 * length + gap;
    const pair = [
      { start: timeOf(length, rate), end: timeOf(2 * length, rate), lines: [FEW_LETTERS] },
      { start: timeOf(second, rate), end: timeOf(second + length, rate), lines: [FEW_LETTERS] },
    ];
    const calm = (start: number): Shown => ({
      start: timeOf(start, rate),
      end: timeOf(start + length, rate),
      lines: [FEW_LETTERS],
    });
    const least = rate === null ? 0 : gapFrames;
    const isOver = gap < least;
    const isSmall = gap >= least + step && gap < small;
    const later = pair.map(({ lines, start, end }) => ({
      lines,
      start: timeOf(Math.round(start * ticks) + 3 * length, rate),
      end: timeOf(Math.round(end * ticks) + 3 * length, rate),
    }));
    for (const [rule, isBroken] of [
      ['gap', isOver],
      ['small_gap', isSmall],
    ] as const) {
      yield { rule, cues: pair, at: 0, isBroken, shots: [] };
      yield { rule, cues: [...pair, calm(second + 3 * length)], at: 0, isBroken, shots: [] };
      yield { rule, cues: [calm(0), ...later], at: 1, isBroken, shots: [] };
    }
  }
}

/** Times a millisecond or three away from their frames. */
function* frameEdges(rate: number): Generator<Edge> {
  const cue = lasting(Math.round(CALM * rate), [FEW_LETTERS], rate);
  yield* placed('on_frames', cue, false, rate);
  // After two hours, a rate of 23.976 has drifted from the exact one.
  const late = Math.round(2 * HOUR * rate);
  const end = timeOf(late + Math.round(CALM * rate), rate);
  yield* placed('on_frames', { ...cue, start: timeOf(late, rate), end }, false, rate);
  const moved = (time: number, by: number): number => Math.round(time * 1000 + by) / 1000;
  for (const by of [-3, -1, 1, 3]) {
    yield* placed('on_frames', { ...cue, start: moved(cue.start, by) }, true, rate);
    yield* placed('on_frames', { ...cue, end: moved(cue.end, by) }, true, rate);
  }
}

/** A caption that begins and one that ends at every distance from a shot change, up to more than half a second. */
function* shotEdges(outBefore: number, rate: number): Generator<Edge> {
  const half = Math.round(rate / 2);
  for (let away = -half - FRAMES_BEYOND; away <= half + FRAMES_BEYOND; away += 1) {
    const cue = lasting(Math.round(CALM * rate), [FEW_LETTERS], rate);
    const [start, end] = [cue.start, cue.end].map((time) => Math.round(time * rate));
    const isNear = Math.abs(away) < half;
    yield {
      rule: 'shot_in',
      cues: [cue],
      at: 0,
      isBroken: isNear && away !== 0,
      shots: [start! - away],
    };
    yield {
      rule: 'shot_out',
      cues: [cue],
      at: 0,
      isBroken: isNear && away !== -outBefore,
      shots: [end! - away],
    };
  }
}

/** Two speakers with the dashes of the language and with those of others, and three speakers. */
function* speakerEdges(
  { both, dash }: NonNullable<Limits['speakers']>,
  rate: number | null,
): Generator<Edge> {
  const other = dash === '-' ? '- ' : '-';
  const shown = Math.round(CALM * ticksOf(rate));
  const said: [string[], string[], boolean][] = [
    [[`${dash}Yes.`, `${dash}No.`], ['A', 'B'], !both],
    [['Yes.', `${dash}No.`], ['A', 'B'], both],
    [[`${dash}Yes.`, 'No.'], ['A', 'B'], true],
    [[both ? `${other}Yes.` : 'Yes.', `${other}No.`], ['A', 'B'], true],
    [[both ? `${dash}Yes.` : 'Yes.', `${other}No.`], ['A', 'B'], true],
    [[`${dash}Yes.`, `${dash}No.`, `${dash}Why?`], ['A', 'B', 'A'], true],
    [[`${dash}Yes.`, `${dash}No.`, `${dash}Why?`], ['A', 'B', 'C'], true],
    [['Yes.', 'No.'], ['A', 'A'], false],
    [['Yes.', 'No.'], ['', ''], false],
    [['Yes.', 'No.'], ['', 'B'], false],
    [['Yes.', 'No.'], ['A', 'B'], true],
  ];
  for (const [lines, speakers, isBroken] of said) {
    yield* placed('two_speakers', { ...lasting(shown, lines, rate), speakers }, isBroken, rate);
  }
}
