/**
 * The last versions of reviews that this browser and the service had in common, in a database of their own, because
 * tabs with an older version of the app hold the other one open.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { SharedReview } from '../review/model/shared-review.ts';

/** The last version of a review that this browser and the service had in common. */
export interface ServiceCopy {
  /** Null if the service had none. */
  tag: string | null;
  /** Null means the captions as the run made them. */
  seen: SharedReview | null;
  /** Sent and perhaps saved: the answer never came. */
  sent: SharedReview | null;
  /** The review was marked as finished in this browser. */
  finished: boolean;
}

interface CopiesSchema extends DBSchema {
  copies: { key: string; value: ServiceCopy };
}

const COPIES = 'captioner-service-copies';

let openedCopies: Promise<IDBPDatabase<CopiesSchema>> | null = null;

const database = (): Promise<IDBPDatabase<CopiesSchema>> =>
  (openedCopies ??= openDB<CopiesSchema>(COPIES, 1, {
    upgrade(made) {
      made.createObjectStore('copies');
    },
  }));

/** The stored copy of a run's review; undefined if there is none. */
export const serviceCopy = async (runId: string): Promise<ServiceCopy | undefined> =>
  (await database()).get('copies', runId);

/** Stores the copy of a run's review. */
export async function keepServiceCopy(runId: string, copy: ServiceCopy): Promise<void> {
  const transaction = (await database()).transaction('copies', 'readwrite');
  const written = transaction.store.put(copy, runId);
  // An open transaction would be lost if the page is closed.
  transaction.commit();
  await written;
}

/** Deletes the copy of a run's review, or all copies. */
export async function forgetServiceCopies(runId?: string): Promise<void> {
  const made = await database();
  await (runId === undefined ? made.clear('copies') : made.delete('copies', runId));
}
