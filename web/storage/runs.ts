/** The browser's database: runs, with their recordings, results and reviews. */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { CaptionerResult } from '../../server/contract/results.ts';
import type { Peaks } from '../media/peaks.ts';
import { storeText, UPLOADS_KEY } from './web-storage.ts';
import type { Change } from '../review/model/history.ts';
import type { SharedReview } from '../review/model/shared-review.ts';

/** The prefix of ids that the service does not know: a user's own caption file, or the sample. */
const OWN = 'file-';

/** A new id for captions without a run on the service. */
export const newOwnRunId = (): string => `${OWN}${crypto.randomUUID()}`;

/** Whether an id belongs to captions without a run on the service. */
export const isOwnRun = (runId: string): boolean => runId.startsWith(OWN);

/** The most runs whose recordings are stored: an hour is 14 MB. Edits are always stored. */
const RECORDINGS = 20;

/** Stores a run with its MP3, if there is one; the oldest recordings make room. */
export async function keepRun(run: RunRecord, mp3: Blob | null): Promise<void> {
  const database = await stores();
  const older = (await keptRuns()).slice(RECORDINGS - 1);
  const transaction = database.transaction(['runs', 'recordings', 'peaks'], 'readwrite');
  await Promise.all([
    transaction.objectStore('runs').put(run),
    ...older.map(({ runId }) => transaction.objectStore('recordings').delete(runId)),
    ...older.map(({ runId }) => transaction.objectStore('peaks').delete(runId)),
    transaction.done,
  ]);
  if (mp3) await keepRecording(run.runId, mp3);
}

/** Gives a stored run another name; does nothing if there is none. */
export async function renameKept(runId: string, name: string): Promise<void> {
  const run = await keptRun(runId);
  if (run && run.name !== name) await (await stores()).put('runs', { ...run, name });
}

/** The waveform of a run's recording; undefined if it is not stored. */
export const keptPeaks = async (runId: string): Promise<Peaks | undefined> =>
  (await stores()).get('peaks', runId);

/** The stored run; undefined if there is none. */
export const keptRun = async (runId: string): Promise<RunRecord | undefined> =>
  (await stores()).get('runs', runId);

/** All stored runs, newest first. */
export async function keptRuns(): Promise<RunRecord[]> {
  const runs = await (await stores()).getAll('runs');
  return runs.toSorted((a, b) => b.createdAt - a.createdAt);
}

/** The MP3 of a run; undefined if it is not stored. */
export async function keptRecording(runId: string): Promise<Blob | undefined> {
  const mp3 = (await (await stores()).get('recordings', runId))?.mp3;
  return mp3 instanceof ArrayBuffer ? new Blob([mp3], { type: 'audio/mpeg' }) : mp3;
}

/** Stores the MP3 of a run. */
export async function keepRecording(runId: string, mp3: Blob): Promise<void> {
  const database = await stores();
  try {
    await database.put('recordings', { runId, mp3 });
  } catch {
    // A private window of Safari stores no Blob.
    await database.put('recordings', { runId, mp3: await mp3.arrayBuffer() });
  }
}

/** The result of a run; undefined if it is not stored. */
export const keptResult = async (runId: string): Promise<CaptionerResult | undefined> =>
  (await stores()).get('results', runId);

/** Stores a result, so that a review can continue without key or network. */
export async function keepResult(runId: string, result: CaptionerResult): Promise<void> {
  await (await stores()).put('results', result, runId);
}

/** Deletes everything stored for a run. */
export async function forgetRun(runId: string): Promise<void> {
  await forgetServiceCopies(runId);
  const transaction = (await stores()).transaction(
    ['runs', 'recordings', 'peaks', 'results', 'changes', 'positions'],
    'readwrite',
  );
  await Promise.all([
    transaction.objectStore('runs').delete(runId),
    transaction.objectStore('recordings').delete(runId),
    transaction.objectStore('peaks').delete(runId),
    transaction.objectStore('results').delete(runId),
    transaction.objectStore('changes').delete(changesOf(runId)),
    transaction.objectStore('positions').delete(runId),
    transaction.done,
  ]);
}

/** Whether this browser stores anything: a recording, a result or a change. */
export async function keepsAnything(): Promise<boolean> {
  try {
    const database = await stores();
    const names = [...database.objectStoreNames];
    const counts = await Promise.all(names.map((name) => database.count(name)));
    return counts.some((count) => count > 0);
  } catch {
    return false;
  }
}

/**
 * Deletes everything stored in this browser. The page must be reloaded: it can store nothing more.
 */
export async function forgetAllRuns(): Promise<void> {
  storeText('localStorage', UPLOADS_KEY, null);
  await forgetServiceCopies();
  const database = await stores();
  const names = [...database.objectStoreNames];
  const transaction = database.transaction(names, 'readwrite');
  await Promise.all([
    ...names.map((name) => transaction.objectStore(name).clear()),
    transaction.done,
  ]);
  // Prevents a pending waveform or result from being stored after all.
  database.close();
}

// The journal of a review: every change is stored as it is made, one small record each, so that a
// reload in the middle of a word loses nothing and undo reaches back to the start.

/** The key range of a run's changes, from a position on. */
const changesOf = (runId: string, from = 0): IDBKeyRange =>
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

// The last versions of reviews that this browser and the service had in common. They have a
// database of their own, because tabs with an older version of the app hold the other one open.

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
async function forgetServiceCopies(runId?: string): Promise<void> {
  const made = await database();
  await (runId === undefined ? made.clear('copies') : made.delete('copies', runId));
}

/** A run that was started here. */
export interface RunRecord {
  runId: string;
  /** The name of the file. */
  name: string;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** The uploaded MP3, which a review plays after a reload. */
interface Recording {
  runId: string;
  /** A private window of Safari stores only its bytes. */
  mp3: Blob | ArrayBuffer;
}

interface StoredChange {
  runId: string;
  /** From 0, without gaps. */
  at: number;
  change: Change;
}

interface Schema extends DBSchema {
  runs: { key: string; value: RunRecord };
  recordings: { key: string; value: Recording };
  peaks: { key: string; value: Peaks };
  results: { key: string; value: CaptionerResult };
  changes: { key: [string, number]; value: StoredChange };
  /** The number of a review's changes in force. */
  positions: { key: string; value: number };
}

type Stores = IDBPDatabase<Schema>;

let opened: Promise<Stores> | null = null;

/** The database, opened once. Rejects if the browser stores nothing, as in some private windows. */
export function stores(): Promise<Stores> {
  opened ??= openDB<Schema>('captioner', 1, {
    upgrade(database) {
      database.createObjectStore('runs', { keyPath: 'runId' });
      database.createObjectStore('recordings', { keyPath: 'runId' });
      database.createObjectStore('peaks');
      database.createObjectStore('results');
      database.createObjectStore('changes', { keyPath: ['runId', 'at'] });
      database.createObjectStore('positions');
    },
  });
  return opened;
}
