/** Words as services return them → words of a transcript. */
import {
  MAX_RECORDING_SECONDS,
  MAX_TRANSCRIPT_WORDS,
  MAX_WORD_CHARACTERS,
} from '../../../contract/limits.ts';
import { wholeMilliseconds, type TranscriptWord } from '../../../contract/transcript.ts';
import type { PieceTranscript } from '../../provider.ts';

/** A word as read from a payload; times in seconds of what was sent. */
export interface RawWord {
  text: string;
  start: number;
  end: number;
  confidence?: number | null | undefined;
  speaker?: string | number | null | undefined;
}

/**
 * Words with their spaces and their float noise taken off (0.79999995 is 0.8).
 * @param shift in seconds, from the start of the recording to the start of what was sent
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

/**
 * Where groups of the words that were heard begin; nowhere where the groups are not all of them, or
 * where a word of them is none.
 */
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

/** Longest speaker's name, and longest fact a service tells of its work, in characters. */
const MAX_FACT = 200;

/**
 * Whether what a service heard can be speech: words of bounded length and number, at moments that a
 * recording has. Everything behind transcription may rely on that.
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

/** What a service told of its work, without what it did not tell. */
export const told = (facts: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && entry[1].length <= MAX_FACT,
    ),
  );
