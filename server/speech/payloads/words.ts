/** Words as services return them → words of a transcript. */
import type { TranscriptWord } from '../../contract/transcript.ts';

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
    const from = Math.max(0, milliseconds(start + shift));
    return [
      {
        text: shown,
        start: from,
        end: Math.max(from, milliseconds(end + shift)),
        ...(typeof confidence === 'number'
          ? { confidence: Math.min(1, Math.max(0, confidence)) }
          : {}),
        ...(speaker === null || speaker === undefined ? {} : { speaker: String(speaker) }),
      },
    ];
  });
}

/** Where groups of so many words begin; none where they are not all of the words. */
export function startsOf(lengths: readonly number[], wordCount: number): number[] | undefined {
  let next = 0;
  const starts = lengths.map((length) => (next += length) - length);
  return next === wordCount && wordCount > 0 ? starts : undefined;
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
