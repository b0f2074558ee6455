/** Words as providers return them, with all their faults → tokens that captions can be built of. */
import { repairTimes, type CaptionWord } from './repair.ts';
import { segmentSpaceless } from './spaceless.ts';
import { splitAtSpaces } from './spaces.ts';
import { columns, joinsWithoutSpace } from './width.ts';

/** A piece of text that is never divided. Times in seconds, in order, never overlapping. */
export interface Token {
  text: string;
  start: number;
  end: number;
  speaker: string | undefined;
  /** Whether a space stands before it. */
  spaced: boolean;
  columns: number;
}

/** Tokens in the order of the words, with sound times: repaired, never dropped. */
export function tokensOf(words: readonly CaptionWord[]): Token[] {
  const pieces = segmentSpaceless(splitAtSpaces(repairTimes(words)));
  return pieces.map(({ text, start, end, speaker, spaced }, index) => {
    const before = pieces[index - 1];
    return {
      text,
      start,
      end,
      speaker,
      spaced: before !== undefined && (spaced ?? !joinsWithoutSpace(before.text, text)),
      columns: columns(text),
    };
  });
}
