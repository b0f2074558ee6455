/** The interface of moderators, which decide whether a transcript may be captioned and published. */
import { mapConcurrently } from '../base/concurrency.ts';
import type { Compute } from '../base/compute.ts';
import type { ContentModerationSummary, Transcript, TranscriptWord } from '../contract/results.ts';
import { endsSentence } from '../captions/punctuation.ts';

/** The summary of the contract, before the event is stored. */
type ModerationVerdict = Omit<ContentModerationSummary, 'eventLog'>;

export interface ModerationContext {
  /** Aborted when the run is cancelled or the process stops. */
  signal: AbortSignal;
  /** Called as the moderation progresses, 0..1. */
  progress(fraction: number): void;
  /** Runs the computations of this process; if absent, they are not counted. */
  compute?: Compute;
}

/**
 * Moderates transcripts. Throws StageFailure if it cannot, so that nothing passes unchecked. Rejects with the signal's
 * reason once the signal is aborted.
 */
export interface Moderator {
  readonly model: string;
  moderate(transcript: Transcript, context: ModerationContext): Promise<ModerationVerdict>;
}

/** The verdict on a transcript without words. */
const emptyVerdict = (model: string): ModerationVerdict => ({
  source: 'audio_transcript',
  model,
  decision: 'allow',
  severity: 'none',
  reason: 'empty_transcript',
  chunksChecked: 0,
});

/** The finding for a chunk; null if the chunk is safe. */
export type ChunkFinding = { severity: 'medium' | 'high' } | null;

interface ChunkChecks {
  model: string;
  chunks: readonly ModerationChunk[];
  /** The number of chunks checked in parallel. */
  atOnce: number;
  check(chunk: ModerationChunk, signal: AbortSignal): Promise<ChunkFinding>;
}

/**
 * Checks every chunk. The worst finding decides the severity, and the first chunk with that severity is named.
 * @throws the error of a check, because a transcript with an unchecked chunk does not pass
 */
export async function moderateChunks(
  { model, chunks, atOnce, check }: ChunkChecks,
  { signal, progress }: ModerationContext,
): Promise<ModerationVerdict> {
  signal.throwIfAborted();
  if (!chunks.some(({ text }) => text !== '')) return emptyVerdict(model);
  // The first check that fails ends the others.
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  let done = 0;
  const findings = await mapConcurrently(chunks, atOnce, async (chunk) => {
    ending.throwIfAborted();
    const finding = await check(chunk, ending).catch((error: unknown) => {
      failing.abort(error);
      throw error;
    });
    progress((done += 1) / chunks.length);
    return finding;
  });
  const head = { source: 'audio_transcript' as const, model, chunksChecked: chunks.length };
  for (const severity of ['high', 'medium'] as const) {
    const flagged = chunks.find((_, at) => findings[at]?.severity === severity);
    if (!flagged) continue;
    const { index, start, end } = flagged;
    return {
      ...head,
      decision: 'block',
      severity,
      reason: 'content_policy_violation',
      flaggedChunk: { index, start, end },
    };
  }
  return { ...head, decision: 'allow', severity: 'none', reason: 'safe' };
}

/** The approximate number of words in a chunk, unless a moderator requires more. */
const CHUNK_WORDS = 200;
/** The largest overlap with the previous chunk, in words. */
const OVERLAP_WORDS = 40;

interface ModerationChunk {
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
