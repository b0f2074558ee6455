/** Turns the words of providers, with all their faults, into the tokens of captions. */
import { repairTimes, type CaptionWord } from './repair.ts';
import { segmentSpaceless } from './spaceless.ts';
import { splitAtSpaces } from './spaces.ts';
import { columns, joinsWithoutSpace } from './width.ts';

/** A piece of text that is never divided. Times are in seconds, in order, without overlaps. */
export interface Token {
  text: string;
  start: number;
  end: number;
  speaker: string | undefined;
  /** Whether a space precedes it. */
  spaced: boolean;
  columns: number;
}

/** The running text of the tokens from `from` up to but not including `to`. */
export function textOfTokens(tokens: readonly Token[], from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) {
    const token = tokens[at]!;
    text += at > from && token.spaced ? ` ${token.text}` : token.text;
  }
  return text;
}

/**
 * The tokens of words, in order and with valid times; faulty words are repaired, never dropped.
 * @example
 * tokensOf([{ text: 'Hello there.', start: 0, end: 1 }]).map(({ text }) => text); // => ['Hello', 'there.']
 */
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
