/** Converts words from services into words of a transcript. */
import {
  MAX_RECORDING_SECONDS,
  MAX_TRANSCRIPT_WORDS,
  MAX_WORD_CHARACTERS,
} from '../../contract/limits.ts';
import { wholeMilliseconds, type TranscriptWord } from '../../contract/results.ts';
import type { PieceTranscript } from '../provider.ts';

/** A word as read from a payload, with times in seconds of the sent audio. */
export interface RawWord {
  text: string;
  start: number;
  end: number;
  confidence?: number | null | undefined;
  speaker?: string | number | null | undefined;
}

/**
 * Removes spaces around words and floating-point noise (0.79999995 becomes 0.8).
 * @param shift the start of the sent audio within the recording, in seconds
 */
export function transcriptWords(words: readonly RawWord[], shift = 0): TranscriptWord[] {
  return words.flatMap(({ text, start, end, confidence, speaker }) => {
    const shown = text.trim();
    if (shown === '') return [];
    const from = Math.max(0, wholeMilliseconds(start + shift));
    return [
      {
        text: shown,
        start: from,
        end: Math.max(from, wholeMilliseconds(end + shift)),
        ...(typeof confidence === 'number'
          ? { confidence: Math.min(1, Math.max(0, confidence)) }
          : {}),
        ...(speaker === null || speaker === undefined ? {} : { speaker: String(speaker) }),
      },
    ];
  });
}

/** The indexes at which groups of the transcript's words begin; none if the groups do not cover all words. */
export function groupStarts(
  lengths: readonly number[] | undefined,
  heard: readonly unknown[],
  words: readonly TranscriptWord[],
): number[] | undefined {
  if (!lengths || words.length !== heard.length || words.length === 0) return undefined;
  let next = 0;
  const starts = lengths.map((length) => (next += length) - length);
  return next === words.length ? starts : undefined;
}

/** The longest speaker name, and the longest metadata value of a service, in characters. */
const MAX_FACT = 200;

/**
 * Whether a service's transcript is plausible: a limited number of words of limited length, at times that a recording
 * can have. All later stages rely on that.
 */
export const isSpeech = ({ words, duration = 0 }: PieceTranscript): boolean =>
  words.length <= MAX_TRANSCRIPT_WORDS &&
  duration <= MAX_RECORDING_SECONDS &&
  words.every(
    ({ text, end, speaker = '' }) =>
      text.length <= MAX_WORD_CHARACTERS &&
      speaker.length <= MAX_FACT &&
      end <= MAX_RECORDING_SECONDS,
  );

/** The metadata of a service, without missing values. */
export const serviceMetadata = (
  facts: Record<string, string | null | undefined>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && entry[1].length <= MAX_FACT,
    ),
  );
