/** Reads plain text as captions: by the times that it has, or as fast as it is read. */
import { readLooseTime } from './loose-times.ts';
import { dividedWords, type Word } from './divided-words.ts';
import { readPlainText, speakersApart } from './plain-text.ts';
import { fileLines, type Reading, type ReadCue } from './portable-captions.ts';

/** The characters of a text without times that are read in a second, and the pause after a paragraph, in seconds. */
const [PACE, PAUSE] = [15, 1];

/** The most words of a text. */
const MOST_WORDS = 300_000;

/** Matches a time at the beginning of a line, as transcripts have it: `[00:01:02]`, `(1:02)`, `0:05 –`. */
const TIME =
  /^\s{0,9}[[(]?(\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?)[\])]?(?:\s*[-–—]\s|\s*:\s|\s+|$)/;

/** A stretch of a text, and the time at which it begins; without one, after the one before it. */
interface Stretch {
  text: string;
  start: number | null;
}

/**
 * Reads plain text as captions. A line that begins with a time begins there; where no line does, the text is shown as
 * fast as it is read, which is reported.
 * @example
 * readTextCaptions('[0:01] Hello.\n[0:03] Good day.')[1]; // => { start: 3, end: 3.8, lines: ['Good day.'] }
 */
export function readTextCaptions(document: string, { unread = () => {} }: Reading = {}): ReadCue[] {
  const stretches = stretchesOf(document);
  const isTimed = stretches.some(({ start }) => start !== null);
  const words: Word[] = [];
  let at = 0;
  for (const [n, { text, start }] of stretches.entries()) {
    at = Math.max(at, start ?? at);
    const next = stretches[n + 1]?.start ?? Number.POSITIVE_INFINITY;
    for (const { text: said, speaker } of readPlainText(speakersApart(text), undefined, 1)) {
      const parts = said.split(/\s+/).filter((part) => part !== '');
      if (words.length + parts.length > MOST_WORDS) {
        unread({ line: 0, text: said, reason: `it is after the first ${MOST_WORDS} words` });
        continue;
      }
      const length = said.length / PACE;
      // What is said faster than it is read ends with the next time.
      const seconds = next > at ? Math.min(length, next - at) : length;
      let from = at;
      for (const part of parts) {
        const to = from + (seconds * (part.length + 1)) / (said.length + 1);
        words.push({ text: part, start: from, end: to, speaker });
        from = to;
      }
      at += seconds + (isTimed ? 0 : PAUSE);
    }
  }
  if (!isTimed && words.length > 0) {
    const reason = `the text has no times: its captions follow one another at ${PACE} characters a second`;
    unread({ line: 0, text: '', reason });
  }
  return dividedWords(words, '');
}

function stretchesOf(document: string): Stretch[] {
  const stretches: { lines: string[]; start: number | null }[] = [{ lines: [], start: null }];
  let last = 0;
  for (const line of fileLines(document)) {
    const [whole = '', time] = TIME.exec(line) ?? [];
    const start = time === undefined ? null : readLooseTime(time);
    // A time that goes back is one that is spoken of.
    if (start === null || start < last) stretches.at(-1)!.lines.push(line);
    else {
      last = start;
      stretches.push({ lines: [line.slice(whole.length)], start });
    }
  }
  return stretches
    .map(({ lines, start }) => ({ text: lines.join('\n'), start }))
    .filter(({ text }) => text.trim() !== '');
}
