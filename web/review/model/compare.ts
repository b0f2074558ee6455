/** Compares the captions of a review with the original. */
import { joinWords } from '../../../server/captions/width.ts';
import { sameCue, type ReviewCue } from './cue.ts';
import { diffWords, type DiffPart } from './word-diff.ts';

/** A stretch in which the cues are not what they were; a side is empty where cues came or went. */
export interface Difference {
  readonly original: ReviewCue[];
  readonly now: ReviewCue[];
  /** The running texts, word by word; all the same where only times or line breaks differ. */
  readonly parts: DiffPart[];
  /** Whether any cue is shown at another time; of a stretch cut otherwise, whether all of it is. */
  readonly timesChanged: boolean;
}

/** The cues that stand for the same: one that both have, and those that came or went after it. */
interface Stretch {
  original: ReviewCue[];
  now: ReviewCue[];
}

/** The stretches in which two lists of cues differ, in order. Cues are the same by their ids. */
export const compare = (original: readonly ReviewCue[], now: readonly ReviewCue[]): Difference[] =>
  joinFlowing(stretchesOf(original, now)).map((stretch) => ({
    ...stretch,
    parts: diffWords(runningText(stretch.original), runningText(stretch.now)),
    timesChanged: timesDiffer(stretch),
  }));

/** The stretches that differ; null parts those that do not follow each other. */
function stretchesOf(
  original: readonly ReviewCue[],
  now: readonly ReviewCue[],
): (Stretch | null)[] {
  const idsBefore = new Set(original.map(({ id }) => id));
  const idsNow = new Set(now.map(({ id }) => id));
  const stretches: (Stretch | null)[] = [];
  let [left, right] = [0, 0];
  while (left < original.length || right < now.length) {
    const stretch: Stretch = { original: [], now: [] };
    const [before, after] = [original[left], now[right]];
    if (before && after && idsNow.has(before.id) && idsBefore.has(after.id)) {
      left += 1;
      right += 1;
      if (before.id === after.id && sameCue(before, after)) stretches.push(null);
      else {
        stretch.original.push(before);
        stretch.now.push(after);
      }
    }
    for (let cue = original[left]; cue && !idsNow.has(cue.id); cue = original[left]) {
      stretch.original.push(cue);
      left += 1;
    }
    for (let cue = now[right]; cue && !idsBefore.has(cue.id); cue = now[right]) {
      stretch.now.push(cue);
      right += 1;
    }
    if (stretch.original.length + stretch.now.length > 0) stretches.push(stretch);
  }
  return stretches;
}

/** Words that went from one cue to the next are seen to have only moved where both are one stretch. */
function joinFlowing(stretches: readonly (Stretch | null)[]): Stretch[] {
  const joined: Stretch[] = [];
  let last: Stretch | null = null;
  for (const stretch of stretches) {
    if (stretch && last && flowsOn(last)) {
      last.original.push(...stretch.original);
      last.now.push(...stretch.now);
    } else {
      last = stretch;
      if (stretch) joined.push(stretch);
    }
  }
  return joined;
}

/** Whether one side's text goes on where the other's has ended. */
function flowsOn({ original, now }: Stretch): boolean {
  const [before, after] = [runningText(original), runningText(now)];
  if (before === '' || after === '' || before === after) return false;
  return before.startsWith(after) || after.startsWith(before);
}

/** The words of cues, whatever their lines. */
const runningText = (cues: readonly ReviewCue[]): string =>
  joinWords(cues.flatMap(({ lines }) => lines.flatMap((line) => line.trim() || [])));

function timesDiffer({ original, now }: Stretch): boolean {
  if (original.length === now.length) {
    return original.some(({ start, end }, at) => start !== now[at]?.start || end !== now[at]?.end);
  }
  if (original.length === 0 || now.length === 0) return false;
  return original[0]?.start !== now[0]?.start || original.at(-1)?.end !== now.at(-1)?.end;
}
