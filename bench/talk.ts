/** Generates a talk of any number of words. */
import type { CaptionWord } from '../server/captions/divide/fix-word-times.ts';

const VOCABULARY =
  'the agent reads one page and then it asks for a key, so we use a protocol that tells which tools there are. now'.split(
    ' ',
  );

/** Words at a constant speed, with occasional pauses. */
export function talk(count: number): CaptionWord[] {
  let at = 0;
  return Array.from({ length: count }, (_, index) => {
    const text = VOCABULARY[(index * 7) % VOCABULARY.length] ?? '';
    const start = at;
    at += 0.1 + text.length * 0.045;
    const word = { text, start, end: at };
    at += index % 23 === 22 ? 0.7 : 0.03;
    return word;
  });
}
