/** The progress of a run so far: enough to report a truthful failure at any moment. */
import type { Stretch } from '../contract/unheard.ts';
import type { CaptionerStage } from '../contract/failure.ts';
import type { ContentModerationSummary, SourceAudioRetention } from '../contract/results.ts';
import type { CompiledTerminology, TermObservation } from '../contract/terminology.ts';
import type { Transcript } from '../contract/transcript.ts';

/** How much a transcript has. */
export type TranscriptCounts = Record<'words' | 'utterances' | 'paragraphs', number>;

export interface RunRecord {
  stage: CaptionerStage;
  lastSuccessfulStage?: CaptionerStage;
  /** Milliseconds by stage, including those of steps finished before a restart. */
  timingsMs: Record<string, number>;
  /** The version of the recording that the run works on; null if there is none. */
  audioVersion: string | null;
  /** Whether transcription has finished with the recording. */
  audioConsumed: boolean;
  retention?: SourceAudioRetention;
  duration?: number;
  counts?: TranscriptCounts;
  /** Speech without words; null if it is not known. */
  unheard?: Stretch[] | null;
  models: Record<string, Record<string, unknown>>;
  moderation?: ContentModerationSummary;
  terminology: { packs?: CompiledTerminology; observations?: TermObservation[] };
  /** The provider's raw payloads, only if they were requested. */
  raw?: Record<string, unknown>;
}

/** The record of a run that has done nothing yet. */
export const newRecord = (): RunRecord => ({
  stage: 'payload',
  timingsMs: {},
  audioVersion: null,
  audioConsumed: false,
  models: {},
  terminology: {},
});

/** The numbers of words, utterances and paragraphs of a transcript. */
export const countsOf = ({ words, utterances, paragraphs }: Transcript): TranscriptCounts => ({
  words: words.length,
  utterances: utterances.length,
  paragraphs: paragraphs.length,
});

/** Records the length and the counts of a transcript. */
export function countTranscript(record: RunRecord, transcript: Transcript): void {
  record.duration = transcript.duration;
  record.counts = countsOf(transcript);
}
