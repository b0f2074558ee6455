/** Matches captions with the words of their speech, by counting letters, without any code of the program. */
import type { Shown } from './published-faults.ts';

/** A word with the time at which it begins, in seconds. */
interface SpokenWord {
  text: string;
  start: number;
}

const lettersIn = (text: string): number =>
  text.replaceAll(/<\/?i>/g, '').match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/**
 * The words that begin in each caption, except those without letters. A long word may go on in the next caption.
 * @throws {Error} if the captions have more or fewer letters than the words
 */
export function wordsOfCaptions<Word extends SpokenWord>(
  cues: readonly Shown[],
  words: readonly Word[],
): Word[][] {
  const spoken = words.filter(({ text }) => lettersIn(text) > 0);
  let [shown, said, at] = [0, 0, 0];
  const each = cues.map(({ lines }) => {
    const own: Word[] = [];
    shown += lettersIn(lines.join(' '));
    for (; said < shown && at < spoken.length; at += 1) {
      own.push(spoken[at]!);
      said += lettersIn(spoken[at]!.text);
    }
    return own;
  });
  if (said !== shown || at < spoken.length)
    throw new Error(`${shown} of ${said} letters are shown`);
  return each;
}
