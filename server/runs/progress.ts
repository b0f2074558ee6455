/** A run's progress on its way to those who watch: written and then told, at most ten times a second. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { FromWorker } from './messages.ts';
import type { Reached, RunStore } from './run-store.ts';

const WRITE_EVERY_MS = 100;

export interface ProgressReporter {
  report(stage: CaptionerStage, progress: number): void;
  /** Waits for the write under way, after which no other follows, and answers how far the run came. */
  settle(): Promise<Reached>;
}

/** Makes the reporter of a run that has `reached` so much before, 0..1. */
export function createProgressReporter(
  runId: string,
  store: Pick<RunStore, 'report'>,
  tell: (message: FromWorker) => void,
  reached = 0,
): ProgressReporter {
  let stage: CaptionerStage | null = null;
  let highest = reached;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> = Promise.resolve();
  let settled = false;

  const write = () => {
    timer = null;
    if (stage === null) return;
    // A lost write of progress is no reason to lose the run: the next one will say more.
    writing = store.report(runId, stage, highest).then(
      () => tell({ type: 'changed', runId }),
      () => {},
    );
  };

  return {
    report(entered, progress) {
      if (settled) return;
      stage = entered;
      // Pieces that are tried again, or replayed after a restart, would let it fall.
      highest = Math.max(highest, Math.min(1, progress));
      timer ??= setTimeout(write, WRITE_EVERY_MS);
    },
    async settle() {
      settled = true;
      if (timer) clearTimeout(timer);
      await writing;
      return { stage, progress: highest };
    },
  };
}
