/** Rules of a search for texts of words with one letter each. */
import type { FoundText, SearchRules } from '../../../../server/whisper/search/found-text.ts';

/** Tokens 0 to 99 are words of a letter, 100 is a full stop. */
export const [STOP, END, NO_SPEECH, PROMPT] = [100, 101, 102, 103];
export const bytesOf = (text: string) => new TextEncoder().encode(text);
/** The rules of a search in so many frames. */
export const rules = (frames = 1): SearchRules => ({
  prompt: [PROMPT],
  end: END,
  noSpeech: NO_SPEECH,
  unspoken: [],
  neverFirst: [PROMPT, END],
  special: END + 1,
  most: 224,
  frameSeconds: 0.02,
  bytes: Array.from({ length: STOP + 1 }, (_, at) =>
    bytesOf(at < STOP ? ` ${String.fromCodePoint(0x4e00 + at * 37)}` : '.'),
  ),
  frames,
});
/** A text of different words, of which each and the end have a log probability. */
export const text = (each: number, more: Partial<FoundText> = {}): FoundText => ({
  tokens: [0, 1, 2, 3],
  logProbabilities: [each, each, each, each, each],
  attention: [],
  noSpeech: 0,
  ...more,
});
