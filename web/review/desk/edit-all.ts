/** Edits all captions at once and restores the position afterwards. */
import { lastStartedAt } from '../model/cue.ts';
import type { DecisionChange } from '../model/history.ts';
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
