/** The input and the context of a run. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { OwnTerms, RuleChange } from '../terminology/packs/own-terms.ts';
import type { RunAudio } from './services.ts';
import type { Computing } from './computing.ts';
import type { PartialTranscriptListener } from './partial-transcript.ts';
import type { StepContext } from './perform.ts';

export interface CaptionerRun {
  runId: string;
  request: CaptionerRequest;
  audio: RunAudio;
  /** The time of the request in epoch milliseconds. */
  createdAt: number;
  /** Reads the current terms of the run's workspace, once, when the run starts. Absent: none. */
  ownTerms?(): Promise<OwnTerms>;
  /** Records corrections made by learned rules. Safe to repeat. */
  noteRuleChanges?(changes: readonly RuleChange[]): Promise<void>;
}

export interface RunContext extends StepContext {
  /** Called with the version of the recording after each clean-up that failed to delete it. */
  undeleted?(version: string): void;
  /** Receives a preview of the transcript while it is made; absent if nobody reads one. */
  heard?: PartialTranscriptListener | undefined;
  /** The run's monitored computations; by default unmonitored. */
  computing?: Computing;
  /** Called as the run progresses, with the current stage and the share of the whole that is done, 0..1. */
  report(stage: CaptionerStage, progress: number): void;
}
