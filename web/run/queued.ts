/** Several recordings on their way: what the start page tells of them, before their page is loaded. */
import { signal, type Signal } from '@preact/signals';
import type { RunState } from '../../server/contract/runs.ts';
import type { Job } from './job.ts';

/** A recording in the queue. */
export interface QueuedFile {
  readonly id: number;
  readonly file: File;
  /** What goes before its run. */
  readonly job: Signal<Job>;
  /** Its run, as far as it is known. */
  readonly run: Signal<{ readonly state: RunState; readonly progress: number } | null>;
  readonly cancelled: Signal<boolean>;
}

/** The queue, in its order. */
export const queued = signal<readonly QueuedFile[]>([]);

/** Whether a recording has come to its end, for good or bad. */
export const isOver = ({ job, run, cancelled }: QueuedFile): boolean =>
  cancelled.value ||
  job.value.trouble.value !== null ||
  (run.value !== null && !['queued', 'running'].includes(run.value.state));
