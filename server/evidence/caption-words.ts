/** The words of captions with their times, speakers and doubts, of which a sample is drawn. */
import type { CaptionedWord } from './sample.ts';

/** A caption, as far as it matters here. */
interface ShownCaption {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly speaker?: string | undefined;
}

/** A stretch of which the recogniser was unsure. */
interface Doubt {
  readonly start: number;
  readonly end: number;
}

/** Captions to measure. */
export interface MeasuredCaptions {
  words: CaptionedWord[];
  /** The text of each word. */
  texts: string[];
  /** The length of the recording, in seconds. */
  duration: number;
  /** Words that belong to names. */
  names: string[];
}

/** A sound in brackets, which is judged as a whole, or a word; of a line without spaces, a part that can be compared. */
const PARTS = /\[[^[\]]{0,80}\]|\S{1,100}/gu;

/**
 * Divides captions into words. Within a caption each word takes time by its length.
 * @param doubts in the order of their starts
 */
export function captionWords(
  captions: readonly ShownCaption[],
  doubts: readonly Doubt[],
): Pick<MeasuredCaptions, 'words' | 'texts'> {
  const words: CaptionedWord[] = [];
  const texts: string[] = [];
  let from = 0;
  for (const { start, end, lines, speaker } of captions) {
    const parts =
      lines
        .join(' ')
        .replaceAll(/<\/?i>/g, '')
        .match(PARTS) ?? [];
    const letters = parts.reduce((sum, part) => sum + part.length, 0);
    while (doubts[from] && doubts[from]!.end < start) from += 1;
    let before = 0;
    for (const part of parts) {
      const time = (at: number): number => start + ((end - start) * at) / letters;
      const word = { start: time(before), end: time(before + part.length) };
      before += part.length;
      let doubtful = false;
      for (let at = from; doubts[at] && doubts[at]!.start < word.end; at += 1) {
        if (doubts[at]!.end > word.start) doubtful = true;
      }
      words.push({ ...word, speaker, doubtful });
      texts.push(part);
    }
  }
  return { words, texts };
}
