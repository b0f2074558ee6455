/** The browser’s database of runs: its tables, and how it is opened. */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { CaptionerResult } from '../../server/contract/results.ts';
import type { Peaks } from '../media/peaks.ts';
import type { Change } from '../review/model/history.ts';

/** A run that was started here. */
export interface RunRecord {
  runId: string;
  /** The name of the file. */
  name: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** The number of speakers, if it was given. */
  speakers?: string | undefined;
}

/** What a review plays after a reload: the uploaded MP3 of a run, or its video, whose id is that of `videoOf`. */
interface Recording {
  runId: string;
  /** A private window of Safari stores only its bytes. */
  mp3?: Blob | ArrayBuffer;
  /** The file that was chosen. */
  video?: File;
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
