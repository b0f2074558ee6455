/** The queue's state for the start page, which does not load the queue itself. */
import { signal, type Signal } from '@preact/signals';
import type { RunState } from '../../server/contract/runs.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import type { Job } from './job.ts';

/** A recording in the queue. */
export interface QueuedFile {
  readonly id: number;
  readonly file: File;
  /** The steps before its run. */
  readonly job: Signal<Job>;
  /** The latest known state of its run. */
  readonly run: Signal<{ readonly state: RunState; readonly progress: number } | null>;
  /** Whether its run has ended without captions, because nobody speaks in it. */
  readonly isSilent: Signal<boolean>;
  readonly cancelled: Signal<boolean>;
}

/** The queue, in order. */
export const queued = signal<readonly QueuedFile[]>([]);

/** Whether a recording is finished, successfully or not. */
export const isOver = ({ job, run, cancelled }: QueuedFile): boolean =>
  cancelled.value ||
  job.value.failure.value !== null ||
  (run.value !== null && !['queued', 'running'].includes(run.value.state));

/** A caption file of several that were opened together. */
export interface CaptionFile {
  readonly id: number;
  readonly name: string;
  /** Null until it is read; a message if it cannot be. */
  readonly stored: Signal<
    { readonly runId: string; readonly result: CaptionerCompletedResult } | string | null
  >;
}

/** The caption files that were opened together last. */
export const captionFiles = signal<readonly CaptionFile[]>([]);
