/** Determines the languages spoken in a recording from those of its windows. */
import type { Transcript } from '../../contract/results.ts';
import type { PieceTranscript } from '../provider.ts';

/** Whether the language is to be detected. */
export const isAuto = (language: string): boolean => language.trim().toLowerCase() === 'auto';

/**
 * The longest window, in seconds, if the language is detected. It is short because a window with two languages is
 * transcribed in one of them, and loses the other.
 */
export const WINDOW_OF_ONE_LANGUAGE = 12;

/** Facts about a recognised window other than its words. Plain JSON. */
export interface WindowNote {
  /** In seconds of the recording. */
  start: number;
  end: number;
  language: string;
  words: number;
  /** Number of words dropped as hallucinations. */
  dropped: number;
}

/**
 * Sets the language of the transcript to that of most of its words, and adds to its metadata where each language is
 * spoken and how many words were dropped as hallucinations, by Whisper itself or because they are too fast.
 */
export function withLanguages(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
): Transcript {
  const notes = pieces
    .flatMap(({ windows }) => (windows as WindowNote[] | undefined) ?? [])
    .toSorted((a, b) => a.start - b.start);
  const removed = pieces.reduce((sum, { dropped: count }) => sum + ((count as number) ?? 0), 0);
  if (notes.length === 0 && removed === 0) return transcript;
  const spoken: { language: string; start: number; end: number }[] = [];
  const words = new Map<string, number>();
  for (const { language, start, end, words: count } of notes) {
    if (count === 0) continue;
    words.set(language, (words.get(language) ?? 0) + count);
    const last = spoken.at(-1);
    if (last?.language === language) last.end = Math.max(last.end, end);
    else spoken.push({ language, start, end });
  }
  const dropped = notes.reduce((sum, note) => sum + note.dropped, removed);
  const [main] = [...words].toSorted(([, a], [, b]) => b - a);
  return {
    ...transcript,
    language: sameLanguage(transcript.language, main?.[0]),
    metadata: {
      ...transcript.metadata,
      ...(spoken.length > 0 ? { languages: spoken } : {}),
      ...(dropped > 0 ? { droppedWords: dropped } : {}),
    },
  };
}

/** The requested language, with its region, if it equals the detected one or nothing was detected. */
const sameLanguage = (asked: string, heard: string | undefined): string =>
  heard === undefined || asked.split(/[-_]/)[0]?.toLowerCase() === heard ? asked : heard;
