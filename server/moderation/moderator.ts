/** What a moderator is: it tells whether a transcript may be captioned and published. */
import type { ContentModerationSummary } from '../contract/moderation.ts';
import type { Transcript } from '../contract/transcript.ts';

/** The summary of the contract, before the event is stored. */
export type ModerationVerdict = Omit<ContentModerationSummary, 'eventLog'>;

export interface ModerationContext {
  /** Aborted when the run is cancelled or the process stops. */
  signal: AbortSignal;
  /** Called as the moderation moves on, 0..1. */
  progress(fraction: number): void;
}

/**
 * Moderates transcripts. Throws StageFailure where it cannot: nothing passes unchecked. Rejects with
 * the signal's reason once the signal is aborted.
 */
export interface Moderator {
  /** Name on the wire. */
  readonly name: string;
  readonly model: string;
  moderate(transcript: Transcript, context: ModerationContext): Promise<ModerationVerdict>;
}

/** The verdict on a transcript without a word in it. */
export const emptyVerdict = (model: string): ModerationVerdict => ({
  source: 'audio_transcript',
  model,
  decision: 'allow',
  severity: 'none',
  reason: 'empty_transcript',
  chunksChecked: 0,
});

/** What was found in a chunk; null for a chunk that is safe. */
export type ChunkFinding = { severity: 'medium' | 'high' } | null;
