/** Moves the times of all captions: shifts, stretches and fits them, cuts a stretch out, or joins another part. */
import {
  cutOut,
  fitted,
  joined,
  shifted,
  stretched,
  type TimePoint,
} from '../../../server/captions/retime.ts';
import { frameRateOf, LATEST_MS } from '../../../server/captions/timestamps.ts';
import type { ReviewCue } from './cue.ts';

/** A change of all times; in seconds. */
export type Retime =
  | { kind: 'shift'; by: number }
  /** The picture was made for the first rate, and is played at the second. */
  | { kind: 'stretch'; from: number; to: number }
  | { kind: 'points'; points: readonly [TimePoint, TimePoint] }
  | { kind: 'cut'; from: number; to: number }
  | { kind: 'join'; part: readonly Omit<ReviewCue, 'id'>[]; begins: number };

/** The captions with their new times. */
export interface Retimed {
  cues: readonly ReviewCue[];
  /** How many lie outside of the recording then, or were cut out. */
  dropped: number;
}

/**
 * Changes the times of all captions. One that begins before the recording begins with it.
 * @param nextId the id of the first caption that is joined
 * @throws {RangeError} for two points at the same time, or in another order
 */
export function retimeAll(cues: readonly ReviewCue[], change: Retime, nextId: number): Retimed {
  const made = changed(cues, change, nextId);
  const kept = made
    .filter(({ end }) => end > 0 && end * 1000 <= LATEST_MS)
    .map((cue) => (cue.start < 0 ? { ...cue, start: 0 } : cue));
  const before = cues.length + (change.kind === 'join' ? change.part.length : 0);
  return { cues: kept, dropped: before - kept.length };
}

function changed(cues: readonly ReviewCue[], change: Retime, nextId: number): ReviewCue[] {
  switch (change.kind) {
    case 'shift':
      return shifted(cues, change.by);
    case 'stretch':
      return stretched(cues, frameRateOf(change.from).rate, frameRateOf(change.to).rate);
    case 'points':
      return fitted(cues, change.points);
    case 'cut':
      return cutOut(cues, change.from, change.to);
    default: {
      const part = change.part.map((cue, at) => ({ ...cue, id: nextId + at }));
      return joined([
        { captions: cues, begins: 0 },
        { captions: part, begins: change.begins },
      ]);
    }
  }
}
