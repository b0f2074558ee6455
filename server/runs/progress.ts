/** Reports a run's progress to its watchers: first stores it, then announces it, at most ten times a second. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { FromWorker } from './messages.ts';
import type { Reached, RunStore } from './run-store.ts';

const WRITE_EVERY_MS = 100;

export interface ProgressReporter {
  report(stage: CaptionerStage, progress: number): void;
  /** Waits for the write in progress, after which no other follows, and returns the progress reached. */
  finish(): Promise<Reached>;
}

/** Creates the reporter of a run that has already reached the given progress, 0..1. */
export function createProgressReporter(
  runId: string,
  store: Pick<RunStore, 'report'>,
  post: (message: FromWorker) => void,
  reached = 0,
): ProgressReporter {
  let stage: CaptionerStage | null = null;
  let highest = reached;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> = Promise.resolve();
  let isFinished = false;

  const write = (entered: CaptionerStage) => {
    timer = null;
    // A failed write does not fail the run: the next write includes this progress.
    writing = store.report(runId, entered, highest).then(
      () => post({ type: 'changed', runId }),
      () => {},
    );
  };

  return {
    report(entered, progress) {
      if (isFinished) return;
      stage = entered;
      // Pieces that are retried, or replayed after a restart, would make it go back.
      highest = Math.max(highest, Math.min(1, progress));
      timer ??= setTimeout(() => write(stage!), WRITE_EVERY_MS);
    },
    async finish() {
      isFinished = true;
      if (timer) clearTimeout(timer);
      await writing;
      return { stage, progress: highest };
    },
  };
}
