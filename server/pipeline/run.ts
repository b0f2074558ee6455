/** What a run is, and what it is run with. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { RunAudio } from './services.ts';
import type { Computing } from './computing.ts';
import type { StepContext } from './perform.ts';

export interface CaptionerRun {
  runId: string;
  request: CaptionerRequest;
  audio: RunAudio;
  /** Epoch milliseconds at which the run was asked for. */
  createdAt: number;
}

export interface RunContext extends StepContext {
  /** Told which version of the recording could not be deleted, at each clean-up that failed. */
  undeleted?(version: string): void;
  /** How it computes where that is watched; default: at once. */
  computing?: Computing;
  /** Told as the run moves on: the stage under way and how much of the whole is done, 0..1. */
  report(stage: CaptionerStage, progress: number): void;
}
