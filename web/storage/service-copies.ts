/**
 * What this browser knows of the reviews on the service: the version that both had last. It has a database of its own,
 * so that tabs with an older version of the app, which hold the other one open, stop nobody.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { SharedReview } from '../review/save-document.ts';

/** The last version of a review that this browser and the service both had. */
export interface ServiceCopy {
  /** Null where the service had none. */
  tag: string | null;
  /** Null: the captions as the run made them. */
  seen: SharedReview | null;
  /** What was sent and perhaps saved: the answer never came. */
  sent: SharedReview | null;
  /** Somebody has said here that the review is done. */
  finished: boolean;
}

interface Schema extends DBSchema {
  copies: { key: string; value: ServiceCopy };
}

const NAME = 'captioner-service-copies';

let opened: Promise<IDBPDatabase<Schema>> | null = null;

const database = (): Promise<IDBPDatabase<Schema>> =>
  (opened ??= openDB<Schema>(NAME, 1, {
    upgrade(made) {
      made.createObjectStore('copies');
    },
  }));

/** What is known of the review of a run; undefined where nothing is. */
export const serviceCopy = async (runId: string): Promise<ServiceCopy | undefined> =>
  (await database()).get('copies', runId);

/** Keeps what is known of the review of a run. */
export async function keepServiceCopy(runId: string, copy: ServiceCopy): Promise<void> {
  const transaction = (await database()).transaction('copies', 'readwrite');
  const written = transaction.store.put(copy, runId);
  // A page that goes away would take an open transaction with it.
  transaction.commit();
  await written;
}

/** Forgets what is known of a run's review, or of all. */
export async function forgetServiceCopies(runId?: string): Promise<void> {
  const made = await database();
  await (runId === undefined ? made.clear('copies') : made.delete('copies', runId));
}
