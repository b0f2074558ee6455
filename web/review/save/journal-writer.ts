/** Writes the journal of a review: its changes as they are made, in order. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { writeChange, writePosition } from '../../storage/changes.ts';
import type { Change } from '../model/history.ts';

interface JournalWriter {
  readonly saving: ReadonlySignal<'saved' | 'saving' | 'not-saved'>;
  change(at: number, change: Change): void;
  position(position: number): void;
  /** Waits for pending writes; false if something could not be stored. */
  flush(): Promise<boolean>;
}

/**
 * Creates the journal of a run.
 * @param onStored called after each successful write
 */
export function createJournalWriter(runId: string, onStored: () => void): JournalWriter {
  const pending = signal(0);
  const failed = signal(false);
  let last: Promise<void> = Promise.resolve();
  const keep = async (write: Promise<void>): Promise<void> => {
    pending.value += 1;
    failed.value = await write.then(
      () => false,
      () => true,
    );
    pending.value -= 1;
    if (!failed.peek()) onStored();
  };
  const queue = (write: Promise<void>): void => {
    const kept = keep(write);
    last = last.then(() => kept);
  };
  return {
    saving: computed(() =>
      failed.value ? ('not-saved' as const) : pending.value > 0 ? 'saving' : 'saved',
    ),
    change: (at, change) => queue(writeChange(runId, at, change)),
    position: (position) => queue(writePosition(runId, position)),
    async flush() {
      await last;
      return !failed.peek();
    },
  };
}
