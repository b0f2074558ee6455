/** The runs of this browser: what they were started with, their recordings and results. */
import type { CaptionerResult } from '../../server/contract/results.ts';
import { changesOf } from './changes.ts';
import { stores, type RunRecord } from './database.ts';
import { keepText, UPLOADS_KEPT } from './kept-text.ts';
import { forgetServiceCopies } from './service-copies.ts';

/** Ids that begin so are of no run of the service: captions of somebody's own file, or the sample. */
const OWN = 'file-';

/** An id that the service knows nothing of. */
export const newOwnRunId = (): string => `${OWN}${crypto.randomUUID()}`;

/** Whether an id is one of these. */
export const isOwnRun = (runId: string): boolean => runId.startsWith(OWN);

/** Of more runs than this the recordings are not kept: an hour is 14 MB. What was edited always is. */
const RECORDINGS = 20;

/** Keeps a run with the MP3 it was made of, where there is one, in place of the oldest recordings. */
export async function keepRun(run: RunRecord, mp3: Blob | null): Promise<void> {
  const database = await stores();
  const older = (await keptRuns()).slice(RECORDINGS - 1);
  const transaction = database.transaction(['runs', 'recordings', 'peaks'], 'readwrite');
  await Promise.all([
    transaction.objectStore('runs').put(run),
    ...(mp3 ? [transaction.objectStore('recordings').put({ runId: run.runId, mp3 })] : []),
    ...older.map(({ runId }) => transaction.objectStore('recordings').delete(runId)),
    ...older.map(({ runId }) => transaction.objectStore('peaks').delete(runId)),
    transaction.done,
  ]);
}

/** What is kept of a run; undefined where nothing is. */
export const keptRun = async (runId: string): Promise<RunRecord | undefined> =>
  (await stores()).get('runs', runId);

/** Every run that is kept, the newest first. */
export async function keptRuns(): Promise<RunRecord[]> {
  const runs = await (await stores()).getAll('runs');
  return runs.toSorted((a, b) => b.createdAt - a.createdAt);
}

/** The MP3 of a run; undefined where it is not kept. */
export const keptRecording = async (runId: string): Promise<Blob | undefined> =>
  (await (await stores()).get('recordings', runId))?.mp3;

/** Keeps a recording that somebody opened beside an older run. */
export async function keepRecording(runId: string, mp3: Blob): Promise<void> {
  await (await stores()).put('recordings', { runId, mp3 });
}

/** The result of a run; undefined where it is not kept. */
export const keptResult = async (runId: string): Promise<CaptionerResult | undefined> =>
  (await stores()).get('results', runId);

/** Keeps a result: a review needs no key and no network to go on. */
export async function keepResult(runId: string, result: CaptionerResult): Promise<void> {
  await (await stores()).put('results', result, runId);
}

/** Forgets a run and all that is kept of it. */
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

/** Whether this browser keeps anything: a recording, a result or a change. */
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

/** Forgets everything that this browser keeps. The page has to be loaded anew: it can keep nothing more. */
export async function forgetAll(): Promise<void> {
  keepText('localStorage', UPLOADS_KEPT, null);
  await forgetServiceCopies();
  const database = await stores();
  const transaction = database.transaction(database.objectStoreNames, 'readwrite');
  await Promise.all([
    ...[...database.objectStoreNames].map((name) => transaction.objectStore(name).clear()),
    transaction.done,
  ]);
  // A waveform or a result on its way would be kept after all.
  database.close();
}
