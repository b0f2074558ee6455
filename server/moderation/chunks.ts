/** Divides a transcript into chunks for a moderator. */
import { endsSentence } from '../captions/sentence-end.ts';
import type { TranscriptWord } from '../contract/transcript.ts';

/** The approximate number of words in a chunk, unless a moderator requires more. */
export const CHUNK_WORDS = 200;
/** The largest overlap with the previous chunk, in words. */
export const OVERLAP_WORDS = 40;

export interface ModerationChunk {
  index: number;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** Indexes into the transcript's words, inclusive. */
  firstWord: number;
  lastWord: number;
  text: string;
}

/**
 * The chunks of a transcript, in order. A chunk ends at the last sentence end within its `size` words, but not before
 * half of them. The next chunk begins with the last sentence of this one, so that nothing can hide at a border; without
 * punctuation, 40 words are in both.
 */
export function moderationChunks(
  words: readonly TranscriptWord[],
  size = CHUNK_WORDS,
): ModerationChunk[] {
  const chunks: ModerationChunk[] = [];
  let first = 0;
  while (first < words.length) {
    const last = chunkEnd(words, first, size);
    const span = words.slice(first, last + 1);
    chunks.push({
      index: chunks.length,
      start: span[0]!.start,
      end: span.at(-1)!.end,
      firstWord: first,
      lastWord: last,
      text: span.map((word) => word.text.trim()).join(' '),
    });
    if (last === words.length - 1) break;
    first = nextStart(words, first, last);
  }
  return chunks;
}

function chunkEnd(words: readonly TranscriptWord[], first: number, size: number): number {
  const most = Math.min(first + size, words.length) - 1;
  if (most === words.length - 1) return most;
  for (let at = most; at >= first + size / 2; at -= 1) {
    if (endsSentence(words[at]!.text)) return at;
  }
  return most;
}

/** The start of the sentence that ends the chunk, or 40 words before its end if that is closer. */
function nextStart(words: readonly TranscriptWord[], first: number, last: number): number {
  const least = Math.max(first + 1, last + 1 - OVERLAP_WORDS);
  for (let at = last; at > least; at -= 1) {
    if (endsSentence(words[at - 1]!.text)) return at;
  }
  return least;
}
