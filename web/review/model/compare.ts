/** Compares the captions of a review with the original. */
import { diffArrays } from 'diff';
import { italicRuns } from '../../../server/captions/italics.ts';
import { joinWords } from '../../../server/captions/width.ts';
import { type ReviewCue, sameCue, withoutTags } from './cue.ts';

/** A stretch in which the cues have changed; one side is empty where cues were added or removed. */
interface Difference {
  readonly original: ReviewCue[];
  readonly now: ReviewCue[];
  /** The running texts compared word by word; all `same` where only times or line breaks differ. */
  readonly parts: DiffPart[];
  /**
   * Whether any cue's time has changed or, if the number of cues differs, the time of the whole
   * stretch.
   */
  readonly timesChanged: boolean;
  /** Whether the same words are in italics, or no longer. */
  readonly italicsChanged: boolean;
}

/** Cues that correspond: one pair of cues, and those that were added or removed after it. */
interface CorrespondingCues {
  original: ReviewCue[];
  now: ReviewCue[];
}

/** The stretches in which two lists of cues differ, in order. Cues are matched by id. */
export const compare = (original: readonly ReviewCue[], now: readonly ReviewCue[]): Difference[] =>
  joinFlowing(stretchesOf(original, now)).map((stretch) => ({
    ...stretch,
    parts: diffWords(runningText(stretch.original), runningText(stretch.now)),
    timesChanged: timesDiffer(stretch),
    italicsChanged: italicsOf(stretch.original) !== italicsOf(stretch.now),
  }));

/** The stretches that differ; null separates stretches that are not adjacent. */
function stretchesOf(
  original: readonly ReviewCue[],
  now: readonly ReviewCue[],
): (CorrespondingCues | null)[] {
  const idsBefore = new Set(original.map(({ id }) => id));
  const idsNow = new Set(now.map(({ id }) => id));
  const stretches: (CorrespondingCues | null)[] = [];
  let [left, right] = [0, 0];
  while (left < original.length || right < now.length) {
    const stretch: CorrespondingCues = { original: [], now: [] };
    const [before, after] = [original[left], now[right]];
    if (before && after && idsNow.has(before.id) && idsBefore.has(after.id)) {
      left += 1;
      right += 1;
      if (sameCue(before, after)) stretches.push(null);
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

/**
 * Joins adjacent stretches where words moved from one cue to the next, so that they show as moved
 * only.
 */
function joinFlowing(stretches: readonly (CorrespondingCues | null)[]): CorrespondingCues[] {
  const joined: CorrespondingCues[] = [];
  let last: CorrespondingCues | null = null;
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

/** Whether one side's text continues beyond the end of the other's. */
function flowsOn({ original, now }: CorrespondingCues): boolean {
  const [before, after] = [runningText(original), runningText(now)];
  if (before === '' || after === '' || before === after) return false;
  return before.startsWith(after) || after.startsWith(before);
}

/** The words of cues as one text, without line breaks. */
const runningText = (cues: readonly ReviewCue[]): string =>
  joinWords(cues.flatMap(({ lines }) => lines.flatMap((line) => withoutTags(line).trim() || [])));

/** The words of cues that are in italics. */
const italicsOf = (cues: readonly ReviewCue[]): string =>
  italicRuns(cues.flatMap(({ lines }) => lines))
    .flatMap((runs) => runs.flatMap(({ text, italic }) => (italic ? text.trim() : [])))
    .join(' ');

function timesDiffer({ original, now }: CorrespondingCues): boolean {
  if (original.length === now.length) {
    return original.some(({ start, end }, at) => start !== now[at]?.start || end !== now[at]?.end);
  }
  if (original.length === 0 || now.length === 0) return false;
  return original[0]?.start !== now[0]?.start || original.at(-1)?.end !== now.at(-1)?.end;
}

/** A piece of text that stayed, was removed or was added. */
export interface DiffPart {
  readonly text: string;
  readonly kind: 'same' | 'removed' | 'added';
}

// Segments words in any script; the usual regular expressions know only Latin letters.
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const wordsOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * The differences between two texts: without the added parts they make the first, without the
 * removed parts the second. Words that changed side by side are one removal and one addition.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [];
  let [removed, added] = ['', ''];
  /** Adds the pending change; a space that ends both sides is returned instead, as unchanged. */
  const flush = (): string => {
    const space = removed.endsWith(' ') && added.endsWith(' ') ? ' ' : '';
    const [gone, come] = [removed, added].map((text) => text.slice(0, text.length - space.length));
    if (gone) parts.push({ text: gone, kind: 'removed' });
    if (come) parts.push({ text: come, kind: 'added' });
    [removed, added] = ['', ''];
    return space;
  };
  const changes = diffArrays(wordsOf(before), wordsOf(after));
  for (const [at, change] of changes.entries()) {
    const text = change.value.join('');
    const isBetween = removed + added !== '' && at + 1 < changes.length && text.trim() === '';
    if (change.removed) removed += text;
    else if (change.added) added += text;
    else if (isBetween) {
      removed += text;
      added += text;
    } else {
      parts.push({ text: flush() + text, kind: 'same' });
    }
  }
  const space = flush();
  if (space !== '') parts.push({ text: space, kind: 'same' });
  return parts;
}
