/** The result of recognising a window with Whisper. */
import type { SpokenWord } from './text.ts';

/** The result for a window. */
export interface WindowResult {
  words: SpokenWord[];
  /** The ISO 639 tag and its probability (1 if the language was given). */
  language: string;
  languageProbability: number;
  /** The number of words dropped as hallucinations. */
  dropped: number;
  /** The words of a second search with key terms; absent if no term sounds like the words. */
  biased?: SpokenWord[];
  /** The words with terms in place of some, where the decoder finds these nearly as probable; absent if there are none. */
  weighed?: SpokenWord[];
  /** Set if the second search or the weighing of terms failed. */
  biasedFailed?: boolean;
}
