/** Splits a cue in two. */
import { graphemes } from '../../../server/captions/width.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { cutItalics, withoutTags } from './cut-italics.ts';
import { splitLines } from './join-cues.ts';
import { clamp, toMs } from './available-time.ts';
import { spokenCut, type TimedWord } from './spoken-cut.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Splits a cue at a place in its text. The second half begins when its first word is spoken if the
 * transcript says, otherwise in proportion to the characters. White space at the cut is removed;
 * all other line breaks stay. Null if one half would have no text, or the cue is shorter than 2 ms.
 * @param offset in `textOf(cue)`
 * @param id the id of the second half; the first keeps its own
 * @param words the transcript's, in order
 */
export function split(
  cues: readonly ReviewCue[],
  index: number,
  offset: number,
  id: number,
  words: readonly TimedWord[],
): Splice | null {
  const cue = cues[index];
  if (!cue) return null;
  const text = textOf(cue);
  const at = beforeTag(text, beforeCharacter(text, clamp(offset, 0, text.length)));
  const [left, right] = cutItalics(text.slice(0, at).trimEnd(), text.slice(at).trimStart());
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  if ([left, right].some((part) => withoutTags(part).trim() === '') || end - start < 2) return null;
  const spoken = toMs(spokenCut(cue, left, right, words)?.start ?? Number.NaN);
  const share = graphemes(left) / (graphemes(left) + graphemes(right));
  const shared = clamp(start + Math.round((end - start) * share), start + 1, end - 1);
  // If the times were edited, the words may be spoken outside them.
  const cut = (spoken > start && spoken < end ? spoken : shared) / 1000;
  const line = text.slice(0, at + 1).split('\n').length - 1;
  const [one, other] = splitLines(cue, line, [left.split('\n'), right.split('\n')]);
  return replaceCues(cues, index, 1, [
    { ...one, end: cut },
    { ...other, id, start: cut },
  ]);
}

/** Moves an offset in front of the surrogate pair it would divide. */
const beforeCharacter = (text: string, offset: number): number =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(offset - 1, offset + 1)) ? offset - 1 : offset;

/** Moves an offset in front of the italic tag it would divide. */
function beforeTag(text: string, offset: number): number {
  const [tag = ''] = /<(?:\/(?:i)?|i)?$/i.exec(text.slice(0, offset)) ?? [];
  return /^<\/?i>/i.test(text.slice(offset - tag.length)) ? offset - tag.length : offset;
}
