/**
 * The journal of a review: every change is stored as it is made, one small record each, so that a reload in the middle
 * of a word loses nothing and undo reaches back to the start.
 */
import type { Change } from '../review/model/history.ts';
import { stores } from './stores.ts';

/** The key range of a run's changes, from a position on. */
export const changesOf = (runId: string, from = 0): IDBKeyRange =>
  IDBKeyRange.bound([runId, from], [runId, Number.POSITIVE_INFINITY]);

export interface Journal {
  changes: Change[];
  /** The number of changes in force. */
  position: number;
}

/** Reads the journal of a run; empty if nothing was changed. */
export async function readJournal(runId: string): Promise<Journal> {
  const transaction = (await stores()).transaction(['changes', 'positions']);
  const [stored, position] = await Promise.all([
    transaction.objectStore('changes').getAll(changesOf(runId)),
    transaction.objectStore('positions').get(runId),
  ]);
  return { changes: stored.map(({ change }) => change), position: position ?? 0 };
}

/** Writes the last change in force and deletes the changes after it. */
export async function writeJournalChange(runId: string, at: number, change: Change): Promise<void> {
  const transaction = (await stores()).transaction(['changes', 'positions'], 'readwrite');
  const changes = transaction.objectStore('changes');
  const written = [
    changes.delete(changesOf(runId, at + 1)),
    changes.put({ runId, at, change }),
    transaction.objectStore('positions').put(at + 1, runId),
  ];
  // An open transaction would be lost if the page is closed.
  transaction.commit();
  await Promise.all(written);
}

/** Writes the number of changes in force, after undo and redo. */
export async function writeJournalPosition(runId: string, position: number): Promise<void> {
  const transaction = (await stores()).transaction('positions', 'readwrite');
  const written = transaction.store.put(position, runId);
  transaction.commit();
  await written;
}
