/** The clock of a desk: milliseconds, or the time code of a picture whose rate is known. */
import { computed, type ReadonlySignal } from '@preact/signals';
import {
  type FrameCount,
  frameCountOf,
  frameOfTimeCode,
  timeCodeOf,
} from '../../../server/captions/time-code.ts';
import { formatTimestamp, frameAt, secondsAtFrame } from '../../../server/captions/timestamps.ts';
import { position, readTime } from '../../texts/format.ts';
import { settings } from './settings.ts';

/** Writes and reads times. */
export interface DeskClock {
  /** How frames are counted; null for milliseconds. */
  count: FrameCount | null;
  /** The frame at which the programme begins. */
  firstFrame: number;
  /** A time of a caption, as it is typed. */
  write(seconds: number): string;
  /** A position of the playhead. */
  position(seconds: number): string;
  /** The seconds of a time; null if it is none, or before the beginning of the programme. */
  read(typed: string): number | null;
}

const MILLISECONDS: DeskClock = {
  count: null,
  firstFrame: 0,
  write: (seconds) => formatTimestamp(seconds),
  position,
  read: readTime,
};

/** The frame at which a programme begins by its time code, and 0 if that is none. */
export const firstFrameOf = (start: string, count: FrameCount): number =>
  frameOfTimeCode(start, count) ?? 0;

/**
 * The clock of time code.
 * @param start the time code at which the programme begins; empty for the beginning
 */
export function timeCodeClock(count: FrameCount, start: string): DeskClock {
  const firstFrame = firstFrameOf(start, count);
  const write = (seconds: number): string =>
    timeCodeOf(frameAt(seconds, count.rate) + firstFrame, count);
  return {
    count,
    firstFrame,
    write,
    position: write,
    read(typed) {
      const frame = frameOfTimeCode(typed, count);
      if (frame === null) return readTime(typed);
      return frame < firstFrame ? null : secondsAtFrame(frame - firstFrame, count.rate);
    },
  };
}

/**
 * The clock by the settings: time code if a person asks for it, or the rules that are checked do.
 * @param asked whether the rules ask for frames
 * @param rate frames a second, as far as they are known
 */
export function clockFor(asked: boolean, rate: number | null): DeskClock {
  const shown = settings.times.value;
  const isInFrames = shown === 'frames' || (shown === 'auto' && asked);
  if (!isInFrames || rate === null) return MILLISECONDS;
  const count = frameCountOf(rate, settings.dropFrame.value);
  return timeCodeClock(count, settings.programmeStart.value);
}

/** The same while the settings, the picture and the rules change. */
export const createDeskClock = (
  rate: ReadonlySignal<number | null>,
  asked: ReadonlySignal<boolean>,
): ReadonlySignal<DeskClock> => computed(() => clockFor(asked.value, rate.value));
