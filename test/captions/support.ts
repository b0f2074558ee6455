/** Invented speech for tests of captions. */
import { buildCues } from '../../server/captions/build/build.ts';
import { columns } from '../../server/captions/width.ts';
import { type CaptionSettings } from '../../server/contract/captions.ts';
import type { CaptionWord } from '../../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';

const SECONDS_PER_CHARACTER = 0.06;

/** Words as spoken: their duration follows their length, with a pause after punctuation. */
export function speak(
  words: readonly string[],
  secondsPerCharacter = SECONDS_PER_CHARACTER,
): CaptionWord[] {
  let at = 0;
  return words.map((text) => {
    const start = at;
    // A wide character is at least a syllable.
    const length = [...text].reduce((sum, letter) => sum + (columns(letter) > 1 ? 2.5 : 1), 1);
    at += length * secondsPerCharacter;
    const word = { text, start, end: at };
    if (/[.?!。？！؟]["”’»)]*$/.test(text)) at += 0.5;
    else if (/[,;:—、，،]["”’»)]*$/.test(text)) at += 0.2;
    else at += 0.01;
    return word;
  });
}

/** The lines of the cues of a text spoken word by word. */
export const linesOf = (
  text: string,
  language = 'en',
  settings: Partial<CaptionSettings> = {},
): string[][] =>
  buildCues(speak(text.split(' ')), { ...DEFAULT_CAPTION_SETTINGS, ...settings }, language).map(
    (cue) => cue.lines,
  );

/** The same for a text that is timed character by character. */
export const linesOfCharacters = (
  text: string,
  language: string,
  settings: Partial<CaptionSettings> = {},
): string[][] =>
  buildCues(speak([...text]), { ...DEFAULT_CAPTION_SETTINGS, ...settings }, language).map(
    (cue) => cue.lines,
  );

/** Pseudo-random numbers from 0 up to but not including 1, always the same. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
