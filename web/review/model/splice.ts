/** The one way in which cues change: some in a row give way to others. Every splice can be undone. */
import { sameCue, sameInAll, type ReviewCue } from './cue.ts';

/** At a position, from 0, these cues go and those come. It is plain JSON, so that it can be stored. */
export interface Splice {
  readonly at: number;
  readonly removed: readonly ReviewCue[];
  readonly inserted: readonly ReviewCue[];
}

/**
 * The cues after a splice; those given stay as they are.
 * @throws {RangeError} where what is to be removed does not stand there
 */
export function applySplice(cues: readonly ReviewCue[], splice: Splice): readonly ReviewCue[] {
  const { at, removed, inserted } = splice;
  const fits =
    Number.isInteger(at) &&
    at >= 0 &&
    at + removed.length <= cues.length &&
    removed.every((cue, offset) => isSame(cue, cues[at + offset]));
  if (!fits) throw new RangeError(`The cues to be replaced do not stand at ${at}.`);
  return cues.slice(0, at).concat(inserted, cues.slice(at + removed.length));
}

/** The splice that undoes another. */
export const invertSplice = ({ at, removed, inserted }: Splice): Splice => ({
  at,
  removed: inserted,
  inserted: removed,
});

/** Speakers came later than the first journals: what was kept before may name none. */
const isSame = (cue: ReviewCue, other: ReviewCue | undefined): boolean =>
  other !== undefined && cue.id === other.id && sameCue(cue, other);

/** The splice that puts cues in place of as many or others from `at` on; null where nothing changes. */
export function replaceCues(
  cues: readonly ReviewCue[],
  at: number,
  count: number,
  inserted: readonly ReviewCue[],
): Splice | null {
  const removed = cues.slice(at, at + count);
  const isUnchanged =
    removed.length === inserted.length &&
    removed.every((cue, offset) => {
      const now = inserted[offset];
      return now !== undefined && cue.id === now.id && sameInAll(cue, now);
    });
  return isUnchanged ? null : { at, removed, inserted };
}
