/** The browser's database: runs, with their recordings, results and reviews. */
import type { CaptionerResult } from '../../server/contract/results.ts';
import type { Peaks } from '../media/peaks.ts';
import { storeText, UPLOADS_KEY } from './web-storage.ts';
import { type RunRecord, stores } from './stores.ts';
import { changesOf } from './journals.ts';
import { forgetOwnComments } from './own-comments.ts';
import { forgetServiceCopies } from './service-copies.ts';

/** The prefix of ids that the service does not know: a user's own caption file, or the sample. */
const OWN = 'file-';

/** A new id for captions without a run on the service. */
export const newOwnRunId = (): string => `${OWN}${crypto.randomUUID()}`;

/** Whether an id belongs to captions without a run on the service. */
export const isOwnRun = (runId: string): boolean => runId.startsWith(OWN);

/** The most runs whose recordings are stored: an hour is 14 MB. Edits are always stored. */
const RECORDINGS = 20;

/** The most videos that are stored, so that the picture is found again; a larger one is not. */
const VIDEOS = 3;
const VIDEO_BYTES = 2 ** 31;
/** The id of a run's video among the recordings. */
const videoOf = (runId: string): string => `${runId}/video`;

/** Stores a run with its MP3, if there is one; the oldest recordings make room. */
export async function keepRun(run: RunRecord, mp3: Blob | null): Promise<void> {
  const database = await stores();
  const older = (await keptRuns()).slice(RECORDINGS - 1);
  const transaction = database.transaction(['runs', 'recordings', 'peaks'], 'readwrite');
  await Promise.all([
    transaction.objectStore('runs').put(run),
    ...older.flatMap(({ runId }) =>
      [runId, videoOf(runId)].map((id) => transaction.objectStore('recordings').delete(id)),
    ),
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

/** The video of a run, as it was chosen; undefined if it is not stored. */
export const keptVideo = async (runId: string): Promise<File | undefined> =>
  (await (await stores()).get('recordings', videoOf(runId)))?.video;

/**
 * Stores the video of a run in this browser, which copies it, if there is room for four of its size; older ones make
 * room.
 */
export async function keepVideo(runId: string, video: File): Promise<void> {
  const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
  if (video.size > Math.min(VIDEO_BYTES, (quota - usage) / 4)) return;
  const database = await stores();
  const known = new Set(await database.getAllKeys('recordings'));
  const others = (await keptRuns()).filter(
    (run) => run.runId !== runId && known.has(videoOf(run.runId)),
  );
  for (const old of others.slice(VIDEOS - 1))
    await database.delete('recordings', videoOf(old.runId));
  await database.put('recordings', { runId: videoOf(runId), video });
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
  forgetOwnComments(runId);
  await forgetServiceCopies(runId);
  const transaction = (await stores()).transaction(
    ['runs', 'recordings', 'peaks', 'results', 'changes', 'positions'],
    'readwrite',
  );
  await Promise.all([
    transaction.objectStore('runs').delete(runId),
    transaction.objectStore('recordings').delete(runId),
    transaction.objectStore('recordings').delete(videoOf(runId)),
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
  forgetOwnComments();
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
