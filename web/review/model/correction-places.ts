/** Finds the words of a correction in the cues. */
import { joinsWithoutSpace } from '../../../server/captions/width.ts';
import type { Wording } from './correction-wordings.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { phraseExpression } from './phrase.ts';

/** The most time between a correction and the cue that contains it, in seconds. */
const MARGIN = 0.5;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** A range in the text of one cue, or of two consecutive cues joined by `\n`. */
export interface Place {
  /** The position of the first cue, from 0. */
  readonly index: number;
  readonly cues: 1 | 2;
  /** Offsets in the text; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** A place with the approximate time at which its words are spoken, in seconds. */
interface TimedPlace extends Place {
  readonly time: number;
}

/**
 * The occurrence of the words nearest to the time of a correction, ignoring case; null if there is
 * none near it. Occurrences that already read as wanted are skipped.
 * @param spoken the time of the correction, in seconds
 */
export function nearestPlace(
  cues: readonly ReviewCue[],
  wording: Wording,
  spoken: { readonly start: number; readonly end: number },
): Place | null {
  const expression = phraseExpression(wording.found, { matchCase: false, wholeWord: false });
  if (!expression) return null;
  const middle = (spoken.start + spoken.end) / 2;
  const isNear = ({ start, end }: ReviewCue): boolean =>
    start <= spoken.end + MARGIN && end >= spoken.start - MARGIN;
  let nearest: TimedPlace | null = null;
  for (const [index, cue] of cues.entries()) {
    const next = cues[index + 1];
    const near = isNear(cue);
    const places = [
      ...(near ? placesIn(cue, index, expression, wording) : []),
      ...(next && (near || isNear(next))
        ? placesAcross(cue, next, index, expression, wording)
        : []),
    ];
    for (const place of places) {
      const isNearer = !nearest || Math.abs(place.time - middle) < Math.abs(nearest.time - middle);
      if (isNearer) nearest = place;
    }
  }
  return nearest;
}

function placesIn(
  cue: ReviewCue,
  index: number,
  expression: RegExp,
  wording: Wording,
): TimedPlace[] {
  const text = textOf(cue);
  const each = (cue.end - cue.start) / text.length;
  return stretches(text, expression, wording).map(({ from, to }) => ({
    index,
    cues: 1,
    from,
    to,
    time: cue.start + (each * (from + to)) / 2,
  }));
}

/** Places that begin in one cue and end in the next. */
function placesAcross(
  cue: ReviewCue,
  next: ReviewCue,
  index: number,
  expression: RegExp,
  wording: Wording,
): TimedPlace[] {
  const first = textOf(cue);
  return stretches(`${first}\n${textOf(next)}`, expression, wording)
    .filter(({ from, to }) => from < first.length && to > first.length + 1)
    .map(({ from, to }) => ({ index, cues: 2, from, to, time: (cue.end + next.start) / 2 }));
}

const stretches = (
  text: string,
  expression: RegExp,
  { wanted }: Wording,
): { from: number; to: number }[] =>
  Array.from(text.matchAll(expression), ({ 0: found, index: from }) => ({
    found,
    from,
    to: from + found.length,
  })).filter(
    ({ found, from, to }) =>
      found.replace(/\s+/g, ' ') !== wanted && !isWithinWord(text, from) && !isWithinWord(text, to),
  );

/** Whether an offset is inside a word; scripts without spaces can be divided anywhere. */
function isWithinWord(text: string, at: number): boolean {
  const before = /.$/su.exec(text.slice(0, at).slice(-2))?.[0] ?? '';
  const after = /^./su.exec(text.slice(at, at + 2))?.[0] ?? '';
  return (
    WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after) && !joinsWithoutSpace(before, after)
  );
}
