/** Merges changes that are one step to the user: the keystrokes of a word, the taps of a nudge. */
import { sameCue } from './cue.ts';
import type { Change } from './change.ts';
import type { Splice } from './splice.ts';

/**
 * Merges two changes if they have the same group and cue, and the second builds on exactly what the
 * first left; otherwise null.
 */
export function mergeChanges(first: Change, second: Change): Change | null {
  const { group, cueId } = first;
  if (group === undefined || group !== second.group) return null;
  if (cueId === null || cueId !== second.cueId) return null;
  if (first.decisions?.length || second.decisions?.length) return null;
  const [one, another] = [onlySplice(first), onlySplice(second)];
  if (!one || !another || !continues(one, another)) return null;
  return { ...first, splices: [{ ...one, inserted: another.inserted }] };
}

const onlySplice = ({ splices }: Change): Splice | undefined =>
  splices.length === 1 ? splices[0] : undefined;

const continues = (first: Splice, second: Splice): boolean =>
  first.at === second.at &&
  first.inserted.length === second.removed.length &&
  first.inserted.every((cue, at) => {
    const next = second.removed[at];
    return next !== undefined && next.id === cue.id && sameCue(cue, next);
  });
