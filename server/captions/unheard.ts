/**
 * Finds the sound that has no words: stretches of a recording in which somebody may have spoken, and nothing was
 * written. The desk shows what of it is left, too. All times are in seconds.
 */

import type { Stretch } from '../contract/unheard.ts';

/** Words and captions closer than this have no gap between them: people pause, and word times are inexact. */
const SHORTEST_GAP = 2;
/** The part of a gap, at either end, that may belong to the words beside it. */
const MARGIN = 0.25;
/** Stretches of a gap closer than this are one, and less sound than `LEAST_SOUND` is a cough or a chair. */
const JOINED_WITHIN = 2;
const LEAST_SOUND = 1;
/** A word covers its time only up to this length: a service may stretch a word across what it lost. */
const LONGEST_WORD = 2.5;

/** Frames of sound closer than this are one stretch, because speech pauses. */
const PAUSE = 0.5;
/** A shorter stretch is a click. */
const SHORTEST_SOUND = 0.2;
/** The level below which audio is silence (-54 dB of full scale). */
const SILENCE = 0.002;
/** How much quieter than the speech in the words sound may be (20 dB), and how much louder than the noise it must be. */
const BELOW_SPEECH = 10;
const ABOVE_NOISE = 4;

/**
 * The gaps in which speech could be missing: before, between and after words or captions, in order.
 * @param spans in order of their starts; they may overlap
 * @param duration of the recording
 * @example
 * gapsBetween([{ start: 0.5, end: 1 }, { start: 9, end: 10 }], 10); // => [{ start: 1, end: 9 }]
 */
export function gapsBetween(spans: readonly Stretch[], duration: number): Stretch[] {
  const gaps: Stretch[] = [];
  let covered = 0;
  for (const { start, end } of [...spans, { start: duration, end: duration }]) {
    if (start - covered >= SHORTEST_GAP) gaps.push({ start: covered, end: start });
    covered = Math.max(covered, end);
  }
  return gaps;
}

/**
 * The parts of speech that no word or caption covers, in order, to a hundredth of a second.
 * @param speech the stretches in which speech or sound was found, in any order
 * @param spans the words or captions, in order of their starts
 * @example
 * const words = [{ start: 0, end: 3 }, { start: 12, end: 13 }];
 * unheardSpeech([{ start: 0, end: 13 }], words, 13); // => [{ start: 3.25, end: 11.75 }]
 */
export function unheardSpeech(
  speech: readonly Stretch[],
  spans: readonly Stretch[],
  duration: number,
): Stretch[] {
  const sorted = speech.toSorted((a, b) => a.start - b.start);
  const found: Stretch[] = [];
  let first = 0;
  for (const gap of gapsBetween(spans, duration)) {
    const from = gap.start === 0 ? 0 : gap.start + MARGIN;
    const to = gap.end >= duration ? gap.end : gap.end - MARGIN;
    let open: (Stretch & { sound: number }) | null = null;
    const close = (): void => {
      if (open && open.sound >= LEAST_SOUND)
        found.push({ start: rounded(open.start), end: rounded(open.end) });
      open = null;
    };
    while (first < sorted.length && sorted[first]!.end <= from) first += 1;
    for (let at = first; at < sorted.length && sorted[at]!.start < to; at += 1) {
      const start = Math.max(from, sorted[at]!.start, open?.end ?? 0);
      const end = Math.min(to, sorted[at]!.end);
      if (end <= start) continue;
      if (open && start - open.end >= JOINED_WITHIN) close();
      open = open
        ? { start: open.start, end, sound: open.sound + end - start }
        : { start, end, sound: end - start };
    }
    close();
  }
  return found;
}

/**
 * The time that words cover. A word that lasts improbably long covers only its beginning, except for a sound in
 * brackets.
 */
export const spokenSpans = (words: readonly (Stretch & { text: string })[]): Stretch[] =>
  words.map(({ text, start, end }) => ({
    start,
    end: /^[[(（［【*#♩♪♫♬]/u.test(text) ? end : Math.min(end, start + LONGEST_WORD),
  }));

/** The levels of a recording, at equal distances from its start. */
interface Levels {
  /** From 0 to `full`; a negative value was not measured. */
  values: ArrayLike<number>;
  perSecond: number;
  full: number;
}

/**
 * The stretches of sound that no word or caption covers. Sound is what is at most 20 dB quieter than the words beside
 * it, and louder than the noise of the recording.
 * @param spans the words or captions, in order of their starts
 * @example
 * const values = Array.from({ length: 400 }, (_, at) => (at % 40 < 5 ? 0 : 80));
 * unheardSound({ values, perSecond: 20, full: 255 }, [{ start: 0, end: 12 }]); // => [{ start: 12.25, end: 20 }]
 */
export function unheardSound(levels: Levels, spans: readonly Stretch[]): Stretch[] {
  const { values, perSecond } = levels;
  const threshold = soundThreshold(levels, spans);
  const sound: Stretch[] = [];
  for (let at = 0; at < values.length; at += 1) {
    if (values[at]! < threshold) continue;
    const start = at / perSecond;
    const end = (at + 1) / perSecond;
    const last = sound.at(-1);
    if (last && start - last.end < PAUSE) last.end = end;
    else sound.push({ start, end });
  }
  return unheardSpeech(
    sound.filter(({ start, end }) => end - start >= SHORTEST_SOUND),
    spans,
    values.length / perSecond,
  );
}

/** A frame with at least this level is sound. */
function soundThreshold({ values, perSecond, full }: Levels, spans: readonly Stretch[]): number {
  const measured = Float32Array.from(values).filter((value) => value >= 0);
  const covered: number[] = [];
  for (const { start, end } of spans) {
    const to = Math.min(values.length, Math.ceil(end * perSecond));
    for (let at = Math.floor(start * perSecond); at < to; at += 1)
      if (values[at]! >= 0) covered.push(values[at]!);
  }
  const all = measured.sort();
  const speech =
    covered.length > 0 ? quantile(Float32Array.from(covered).sort(), 0.5) : quantile(all, 0.9);
  return Math.max(SILENCE * full, speech / BELOW_SPEECH, quantile(all, 0.1) * ABOVE_NOISE);
}

/** @param sorted in ascending order */
const quantile = (sorted: Float32Array, share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;

const rounded = (seconds: number): number => Math.round(seconds * 100) / 100;

/**
 * What remains of stretches where captions have been written, as far as it is a second or longer.
 * @param cues in order
 * @example
 * withoutCues([{ start: 70, end: 84 }], [{ start: 69, end: 80 }]); // => [{ start: 80, end: 84 }]
 */
export const withoutCues = <Found extends Stretch>(
  stretches: readonly Found[],
  cues: readonly Stretch[],
): Found[] =>
  stretches.flatMap((stretch) => {
    const left: Found[] = [];
    let from = stretch.start;
    const keep = (to: number): void => {
      if (to - from >= 1) left.push({ ...stretch, start: from, end: to });
    };
    for (const { start, end } of cues) {
      if (start >= stretch.end) break;
      if (end <= from) continue;
      keep(start);
      from = end;
    }
    keep(stretch.end);
    return left;
  });
