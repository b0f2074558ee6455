/** Edits all captions at once and restores the position afterwards. */
import { lastStartedAt, textOf } from '../model/cue.ts';
import type { DecisionChange } from '../model/history.ts';
import { lettersOf } from '../model/spoken-cut.ts';
import type { Splice } from '../model/splice.ts';
import type { Desk } from './desk.ts';

/** Makes the edit; afterwards, the caption at the same time is current. */
export function editAll(
  desk: Desk,
  kind: string,
  splices: readonly Splice[],
  says: (captions: number) => string,
  decisions: readonly DecisionChange[] = [],
): void {
  const { review, selection } = desk;
  const time = review.cues.peek()[review.currentIndex.peek()]?.start ?? 0;
  if (!review.edit(kind, splices, { decisions, quiet: true })) return;
  selection.clear();
  const cues = review.cues.peek();
  const cue = cues[Math.max(0, lastStartedAt(cues, time + 0.001))];
  review.currentId.value = cue?.id ?? null;
  if (cue) review.reveal.value = { id: cue.id };
  review.message.value = says(cues.length);
}

/**
 * The decisions that follow from a script: an open term where it was used is accepted if the script
 * has it near its time, and rejected otherwise.
 */
export function scriptDecisions(
  { navigation }: Desk,
  inserted: Splice['inserted'],
): DecisionChange[] {
  const [first, last] = [inserted[0]?.start ?? 0, inserted.at(-1)?.end ?? 0];
  const touched = navigation.openTerms
    .peek()
    .filter(({ start, end }) => end > first && start < last);
  return touched.map(({ id, start, end, after }) => {
    const near = inserted.filter((cue) => cue.end > start - 1 && cue.start < end + 1);
    const isThere = lettersOf(near.map(textOf).join(' ')).includes(lettersOf(after));
    return {
      id,
      before: 'open',
      after: isThere ? 'accepted' : 'rejected',
    };
  });
}
