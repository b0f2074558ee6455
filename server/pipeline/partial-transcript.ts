/** A preview of a run's transcript, reported while transcription goes on. */
import type { TranscriptWord } from '../contract/results.ts';
import { joinWords } from '../captions/width.ts';

/** A part of the preview; times in seconds of the recording. */
export interface TranscriptPart {
  start: number;
  end: number;
  text: string;
}

/** Receives the preview of a run. */
export interface PartialTranscriptListener {
  /** The end of the last part already reported, in seconds; 0 if there is none. */
  after: number;
  report(parts: TranscriptPart[]): void;
}

/** The longest part of the preview, in seconds, and about the most characters. */
const PART_SECONDS = 30;
const PART_CHARACTERS = 1000;
/** The longest preview, in characters; six hours of speech have 400,000. */
const MAX_CHARACTERS = 2_000_000;

/**
 * Collects the words of pieces that are recognised at the same time, and reports them in order of time. Words before
 * the end of those already reported are dropped, because a repeated piece recognises its words again, and pieces may
 * overlap.
 */
export function createPartialTranscript(listener: PartialTranscriptListener) {
  /** The words of the pieces after the current one, in order. */
  const early: TranscriptWord[][] = [];
  const ended = new Set<number>();
  let current = 0;
  let until = listener.after;
  let left = MAX_CHARACTERS;

  const report = (words: readonly TranscriptWord[]): void => {
    if (left <= 0) return;
    const fresh = words.filter(({ start, end }) => {
      const isNew = (start + end) / 2 > until;
      if (isNew) until = end;
      return isNew;
    });
    if (fresh.length === 0) return;
    const parts = partsOf(fresh);
    left -= parts.reduce((sum, { text }) => sum + text.length, 0);
    listener.report(parts);
  };

  const take = (index: number, words: TranscriptWord[]): void => {
    if (index === current) report(words);
    else if (index > current) (early[index - current - 1] ??= []).push(...words);
  };

  return {
    /** Takes words of a piece, in order. */
    take,
    /** Takes the transcript of a finished piece, in case its words were not reported before. */
    finish(index: number, words: TranscriptWord[]): void {
      take(index, words);
      ended.add(index);
      while (ended.delete(current)) {
        current += 1;
        report(early.shift() ?? []);
      }
    },
  };
}

function partsOf(words: readonly TranscriptWord[]): TranscriptPart[] {
  const groups: { start: number; words: TranscriptWord[]; characters: number }[] = [];
  let group: (typeof groups)[number] | undefined;
  for (const word of words) {
    if (!group || group.characters > PART_CHARACTERS || word.end - group.start > PART_SECONDS) {
      group = { start: word.start, words: [], characters: 0 };
      groups.push(group);
    }
    group.words.push(word);
    group.characters += word.text.length + 1;
  }
  return groups.map(({ start, words }) => ({
    // A service may time its first word just before the start of the recording.
    start: Math.max(0, start),
    end: words.at(-1)!.end,
    text: joinWords(words.map((word) => word.text)).slice(0, 2 * PART_CHARACTERS),
  }));
}
