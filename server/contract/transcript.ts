/** The transcript with the time of every word, which every stage after transcription takes as input. */
import { open, Type, type Static } from './schema.ts';

/**
 * Rounds seconds to whole milliseconds, the precision of transcripts.
 * @example
 * wholeMilliseconds(1.23456); // => 1.235
 */
export const wholeMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** One spoken word. Times are seconds from the start of the recording. */
export const TranscriptWord = open({
  text: Type.String({ description: 'as shown: punctuated and capitalised where known' }),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  speaker: Type.Optional(Type.String()),
  original: Type.Optional(
    Type.Array(Type.String(), {
      description: 'the words as recognised, if a correction replaced them',
    }),
  ),
});
export type TranscriptWord = Static<typeof TranscriptWord>;

/**
 * A stretch of speech between two pauses, or by one speaker. `firstWord` and `lastWord` are indexes into `words`, both
 * inclusive.
 */
export const TranscriptSpan = open({
  text: Type.String(),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  firstWord: Type.Integer({ minimum: 0 }),
  lastWord: Type.Integer({ minimum: 0 }),
  speaker: Type.Optional(Type.String()),
});
export type TranscriptSpan = Static<typeof TranscriptSpan>;

/** A whole transcript, before it becomes part of a result. */
export interface Transcript {
  /** The language of the speech, BCP 47. */
  language: string;
  /** The length of the recording in seconds. */
  duration: number;
  words: TranscriptWord[];
  utterances: TranscriptSpan[];
  paragraphs: TranscriptSpan[];
  /** The whole transcript as running text. */
  text: string;
  /** The provider's own metadata, such as request id, model versions and detected language. */
  metadata?: Record<string, unknown>;
}
