/** A run as its stages see it: its input, the services they use, and its progress so far. */
import type { Static } from '../contract/schema.ts';
import type { CaptionerStage } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { OwnTerms, RuleChange } from '../terminology/packs/compile.ts';
import type { PartialTranscriptListener } from './partial-transcript.ts';
import type { StepContext } from './perform.ts';
import type {
  ContentModerationLogResult,
  ContentModerationSummary,
  SourceAudioRetention,
  Transcript,
} from '../contract/results.ts';
import type { AuditorRegistry } from '../language/registry.ts';
import type { Moderator } from '../moderation/moderator.ts';
import type { AudioSource } from '../mp3/frames.ts';
import type { SpeechRegistry } from '../speech/providers/registry.ts';
import type { HearingFigures } from '../contract/hearing.ts';
import type { Stretch } from '../contract/unheard.ts';
import type { CompiledTerminology, TermObservation } from '../contract/terminology.ts';
import type { KnownSpeaker } from '../voices/known-speakers.ts';
import type { RunVoices } from '../voices/voiceprints.ts';
import type { WorkStage } from '../contract/stage-progress.ts';
import type { TermPack } from '../terminology/packs/pack.ts';

export interface CaptionerRun {
  runId: string;
  request: CaptionerRequest;
  audio: RunAudio;
  /** The time of the request in epoch milliseconds. */
  createdAt: number;
  /** The number of speakers, if it is known. */
  speakers?: number;
  /** Reads the current terms of the run's workspace, once, when the run starts. Absent: none. */
  ownTerms?(): Promise<OwnTerms>;
  /** Records corrections made by learned rules. Safe to repeat. */
  noteRuleChanges?(changes: readonly RuleChange[]): Promise<void>;
  /** Reads the clips of known speakers, whose names the words then have. */
  knownSpeakers?(): Promise<KnownSpeaker[]>;
  /** Whether the workspace remembers voices. */
  remembersVoices?(): Promise<boolean>;
  /** Keeps the voices of the speakers. Safe to repeat. */
  noteVoices?(voices: RunVoices): Promise<void>;
}

export interface RunContext extends StepContext {
  /** Called with the version of the recording after each clean-up that failed to delete it. */
  undeleted?(version: string): void;
  /** Receives a preview of the transcript while it is made; absent if nobody reads one. */
  heard?: PartialTranscriptListener | undefined;
  /** The run's monitored computations; by default unmonitored. */
  computing?: Computing;
  /**
   * Called as the run progresses, with the current stage, the share of the whole that is done, 0..1, and the size of the
   * speech model that is downloaded, if one is.
   */
  report(stage: CaptionerStage, progress: number, loadingBytes?: number): void;
}

export interface PipelineServices {
  /** The longest recording that is transcribed, in seconds; undefined for no limit. */
  maxDuration?: number;
  packs: readonly TermPack[];
  speech: SpeechRegistry;
  auditors: AuditorRegistry;
  moderator: Moderator;
  /** Logs that a run's transcript was moderated. Never rejects: a failure is an outcome. */
  logModeration(
    runId: string,
    summary: ContentModerationSummary,
  ): Promise<Static<typeof ContentModerationLogResult>>;
}

/** The recording of one run. */
export interface RunAudio {
  key: string;
  /** The stored object, or null if there is none. `version` changes when another upload replaces it. */
  open(): Promise<{ source: AudioSource; version: string } | null>;
  /** Deletes the object if it still has the given version, and returns whether it did. Safe to repeat. */
  delete(version: string): Promise<boolean>;
}

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
  /** The voices of the speakers, if they are kept and were distinguished by voice. */
  voices?: RunVoices | null;
  /** Speech without words; null if it is not known. */
  unheard?: Stretch[] | null;
  hearing?: HearingFigures;
  /** The share of the detected speech that has no words; absent if speech was not detected. */
  missing?: number;
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

/**
 * The computations of a run. One that never ends, or that crashes its thread or process, is identified by a record made
 * before it began.
 */
export interface Computing {
  /**
   * Does work that may block the thread, after handling the messages that are waiting.
   * @throws {StorageUnavailable} the count could not be stored, so the work was not started
   */
  compute<T>(stage: WorkStage, work: () => T | Promise<T>): Promise<T>;
  /**
   * Does work that mostly waits for others. If the process dies meanwhile, the run is not suspected; it is counted only
   * if the thread gets stuck.
   */
  attend<T>(stage: WorkStage, work: () => Promise<T>): Promise<T>;
}

/** Computations without monitoring, for the shell command. */
export const UNWATCHED: Computing = {
  compute: async (_stage, work) => work(),
  attend: (_stage, work) => work(),
};
