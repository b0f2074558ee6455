/** Moves the times of whole caption files: shifts, stretches, cuts and joins them. */
import type { Caption } from './cue.ts';

/** The parts of a caption that a change of times needs. */
type Timed = Pick<Caption, 'start' | 'end' | 'words'>;

/** Rounds to milliseconds, the precision of captions. */
const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/**
 * Captions with times that a function changes.
 * @param change the new time of a time, in seconds
 */
const mapped = <Each extends Timed>(
  captions: readonly Each[],
  change: (seconds: number) => number,
): Each[] =>
  captions.map((caption) => ({
    ...caption,
    start: toMs(change(caption.start)),
    end: toMs(change(caption.end)),
    ...(caption.words && {
      words: caption.words.map((word) => ({ ...word, start: toMs(change(word.start)) })),
    }),
  }));

/**
 * Captions that are shown later, or earlier for a negative number of seconds.
 * @example
 * shifted([{ start: 1, end: 2 }], 0.5); // => [{ start: 1.5, end: 2.5 }]
 */
export const shifted = <Each extends Timed>(captions: readonly Each[], seconds: number): Each[] =>
  mapped(captions, (time) => time + seconds);

/**
 * Captions of a picture that is played at another rate: from 25 to 23.976 frames a second, they take longer.
 * @param from frames a second of the picture for which they were made, exactly
 * @param to frames a second at which it is played
 * @example
 * stretched([{ start: 24, end: 48 }], 25, 24); // => [{ start: 25, end: 50 }]
 */
export const stretched = <Each extends Timed>(
  captions: readonly Each[],
  from: number,
  to: number,
): Each[] => mapped(captions, (time) => (time * from) / to);

/** A time of captions, and the time at which it should be. */
export interface TimePoint {
  is: number;
  shall: number;
}

/**
 * Captions that two points put in their places: the first is moved, and the rest is stretched so that the second fits.
 * @throws {RangeError} for points at the same time, and for points whose order changes
 * @example
 * fitted([{ start: 5, end: 10 }], [{ is: 0, shall: 1 }, { is: 10, shall: 21 }]); // => [{ start: 11, end: 21 }]
 */
export function fitted<Each extends Timed>(
  captions: readonly Each[],
  [one, other]: readonly [TimePoint, TimePoint],
): Each[] {
  const pace = (other.shall - one.shall) / (other.is - one.is);
  if (!(pace > 0 && Number.isFinite(pace))) {
    throw new RangeError(
      'Two points must be at different times, and in the same order before and after.',
    );
  }
  return mapped(captions, (time) => one.shall + (time - one.is) * pace);
}

/**
 * Captions without those of a stretch that is cut out, such as an advertisement: what follows moves forward. One that
 * reaches into the stretch keeps the part outside.
 * @param from seconds, as is `to`
 * @example
 * cutOut([{ start: 1, end: 2 }, { start: 5, end: 6 }, { start: 9, end: 11 }], 4, 10);
 * // => [{ start: 1, end: 2 }, { start: 4, end: 5 }]
 */
export function cutOut<Each extends Timed>(
  captions: readonly Each[],
  from: number,
  to: number,
): Each[] {
  const moved = (time: number): number =>
    time <= from ? time : Math.max(from, time - (to - from));
  return mapped(captions, moved).filter(({ start, end }, at) => {
    const before = captions[at]!;
    return end > start || before.end <= before.start;
  });
}

/** Captions of a part, and the time at which the part begins in the whole. */
export interface Part<Each extends Timed> {
  captions: readonly Each[];
  begins: number;
}

/**
 * The captions of parts that follow one another, in order of time.
 * @example
 * joined([{ captions: [{ start: 1, end: 2 }], begins: 0 }, { captions: [{ start: 0, end: 1 }], begins: 60 }]);
 * // => [{ start: 1, end: 2 }, { start: 60, end: 61 }]
 */
export const joined = <Each extends Timed>(parts: readonly Part<Each>[]): Each[] =>
  parts
    .flatMap(({ captions, begins }) => shifted(captions, begins))
    .sort((one, other) => one.start - other.start);
