/** A run's progress on its way to those who watch: written and then told, at most ten times a second. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { FromWorker } from './messages.ts';
import type { RunStore } from './run-store.ts';

const WRITE_EVERY_MS = 100;

export interface ProgressReporter {
  report(stage: CaptionerStage, progress: number): void;
  /** Waits for the last write; after it no other follows. */
  settle(): Promise<void>;
}

/** Makes the reporter of a run that has `reached` so much before, 0..1. */
export function createProgressReporter(
  runId: string,
  store: RunStore,
  tell: (message: FromWorker) => void,
  reached = 0,
): ProgressReporter {
  let latest: { stage: CaptionerStage; progress: number } | null = null;
  let highest = reached;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> = Promise.resolve();
  let settled = false;

  const write = () => {
    timer = null;
    const next = latest;
    latest = null;
    if (!next) return;
    // A lost write of progress is no reason to lose the run: the next one will say more.
    writing = store.report(runId, next.stage, next.progress).then(
      () => tell({ type: 'progress', runId, ...next }),
      () => {},
    );
  };

  return {
    report(stage, progress) {
      if (settled) return;
      // Pieces that are tried again, or replayed after a restart, would let it fall.
      highest = Math.max(highest, Math.min(1, progress));
      latest = { stage, progress: highest };
      timer ??= setTimeout(write, WRITE_EVERY_MS);
    },
    async settle() {
      settled = true;
      if (timer) clearTimeout(timer);
      write();
      await writing;
    },
  };
}
