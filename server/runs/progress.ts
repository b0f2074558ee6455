/** Reports a run's progress to its watchers: first stores it, then announces it; a new stage soon, the rest once a second. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { FromWorker } from './messages.ts';
import type { Reached, RunStore } from './run-store.ts';

/** The delay of a new stage, in which those that pass quickly are written together. */
const STAGE_MS = 100;
/** The interval between writes of progress within a stage. */
const WITHIN_STAGE_MS = 1000;

interface ProgressReporter {
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
  let isSoon = false;
  let writing: Promise<void> = Promise.resolve();
  let isFinished = false;

  const write = (entered: CaptionerStage) => {
    timer = null;
    isSoon = false;
    // A failed write does not fail the run: the next write includes this progress.
    writing = store.report(runId, entered, highest).then(
      () => post({ type: 'changed', runId }),
      () => {},
    );
  };

  return {
    report(entered, progress) {
      if (isFinished) return;
      const isNew = entered !== stage;
      stage = entered;
      // Pieces that are retried, or replayed after a restart, would make it go back.
      highest = Math.max(highest, Math.min(1, progress));
      if (isNew && !isSoon) {
        if (timer) clearTimeout(timer);
        timer = null;
        isSoon = true;
      }
      timer ??= setTimeout(() => write(stage!), isNew ? STAGE_MS : WITHIN_STAGE_MS);
    },
    async finish() {
      isFinished = true;
      if (timer) clearTimeout(timer);
      await writing;
      return { stage, progress: highest };
    },
  };
}
