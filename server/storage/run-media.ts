/** What stays with a run until its review is finished: its sound, which is its recording, and a small video. */
import type { Selectable } from 'kysely';
import type { PayloadBrief } from '../contract/payload.ts';
import {
  type AudioName,
  type AudioStore,
  isAudioVersion,
  RUN_VIDEO_KEYS,
  runOfVideo,
  runVideoName,
} from './audio.ts';
import type { Database } from './database.ts';
import type { MediaKind, Tables } from './tables.ts';

/** The run that something stays with. */
interface Owner {
  id: string;
  organizationId: string;
  payload: PayloadBrief;
}

/** Something that stays with a run. */
export interface StoredMedia {
  kind: MediaKind;
  type: string;
  bytes: number;
  /** Where it is stored. */
  name: AudioName;
  /** Of a sound: the version of the recording that the run was made from. */
  version: string | null;
}

/** What a video may take to arrive; after that, one that has not is given up. */
const ARRIVING_MS = 24 * 60 * 60_000;

/** What stays with a run, of which there is one of each kind. */
export async function mediaOf(database: Database, run: Owner): Promise<StoredMedia[]> {
  const rows = await database
    .selectFrom('run_media')
    .selectAll()
    .where('run_id', '=', run.id)
    .where('bytes', 'is not', null)
    .orderBy('kind')
    .execute();
  return rows.map((row) => mediaFrom(row, run));
}

const mediaFrom = (row: Selectable<Tables['run_media']>, run: Owner): StoredMedia => ({
  kind: row.kind,
  type: row.type,
  bytes: row.bytes ?? 0,
  name: nameOf(row.kind, run),
  version: row.version,
});

/** The recording itself is the sound. */
const nameOf = (kind: MediaKind, { id, organizationId, payload }: Owner): AudioName =>
  kind === 'sound' ? { organizationId, key: payload.audio.key } : runVideoName(organizationId, id);

/** Reads something that stays with a run; null if it is not there any more, or was replaced. */
export async function openMedia(
  audio: Pick<AudioStore, 'stat'>,
  { name: { organizationId, key }, version }: StoredMedia,
): Promise<{ size: number; version: string } | null> {
  const found = await audio.stat(organizationId, key);
  return found && (version === null || isAudioVersion(found.version, version)) ? found : null;
}

/**
 * Lets the recording of a new run stay with it. In the transaction that stores the run.
 * @param sound the recording as it is stored now
 */
export async function keepSound(
  transaction: Database,
  { id, organizationId }: Pick<Owner, 'id' | 'organizationId'>,
  sound: { size: number; version: string },
): Promise<void> {
  await transaction
    .insertInto('run_media')
    .values({
      run_id: id,
      kind: 'sound',
      organization_id: organizationId,
      type: 'audio/mpeg',
      bytes: sound.size,
      version: sound.version,
      since: Date.now(),
    })
    .execute();
}

/**
 * Notes that a video is arriving, which protects what is stored of it; {@link videoArrived} notes its size.
 * @returns false if the run is gone
 */
export async function expectVideo(
  database: Database,
  { id, organizationId }: Pick<Owner, 'id' | 'organizationId'>,
): Promise<boolean> {
  const run = await database
    .selectFrom('runs')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!run) return false;
  await database
    .insertInto('run_media')
    .values({
      run_id: id,
      kind: 'video',
      organization_id: organizationId,
      type: 'video/mp4',
      since: Date.now(),
    })
    // An earlier video stays until this one is whole.
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'kind']).doUpdateSet({ since: Date.now() }),
    )
    .execute();
  return true;
}

/** Takes back that a video is arriving; an earlier one stays. */
export async function videoFailed(database: Database, runId: string): Promise<void> {
  await database
    .deleteFrom('run_media')
    .where('run_id', '=', runId)
    .where('kind', '=', 'video')
    .where('bytes', 'is', null)
    .execute();
}

/** Notes that a video has arrived; false if it was given up or deleted meanwhile, or the run is gone. */
export async function videoArrived(
  database: Database,
  runId: string,
  { type, bytes }: { type: string; bytes: number },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('run_media')
    .set({ type, bytes })
    .where('run_id', '=', runId)
    .where('kind', '=', 'video')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes something that stays with a run; false if there is none. */
export async function deleteMedia(
  { database, audio }: { database: Database; audio: Pick<AudioStore, 'delete'> },
  run: Owner,
  kind: MediaKind,
): Promise<boolean> {
  const gone = await database
    .transaction()
    .execute((transaction) => releaseMedia(transaction, run.id, [kind]));
  for (const one of gone) await deleteFile(audio, mediaFrom(one, run));
  return gone.length > 0;
}

/** Deletes a file; housekeeping repeats what fails. */
export const deleteFile = (
  audio: Pick<AudioStore, 'delete'>,
  { name: { organizationId, key }, version }: Pick<StoredMedia, 'name' | 'version'>,
): Promise<boolean> => audio.delete(organizationId, key, version ?? undefined).catch(() => false);

/**
 * Ends what stays with a run: from then on nobody receives it, and what its caller does not delete, housekeeping does.
 */
export async function releaseMedia(
  transaction: Database,
  runId: string,
  kinds: readonly MediaKind[] = ['sound', 'video'],
): Promise<Selectable<Tables['run_media']>[]> {
  const rows = await transaction
    .deleteFrom('run_media')
    .where('run_id', '=', runId)
    .where('kind', 'in', kinds)
    .returningAll()
    .execute();
  const version = rows.find(({ kind }) => kind === 'sound')?.version;
  if (version !== undefined) {
    await transaction
      .updateTable('runs')
      .set({ owed_audio: version })
      .where('id', '=', runId)
      .where('finished_at', 'is not', null)
      .execute();
  }
  return rows;
}

/** The files that stay with runs, however old they are. Those of runs without captions are no longer needed. */
export async function mediaInUse(database: Database): Promise<AudioName[]> {
  const rows = await database
    .selectFrom('run_media')
    .innerJoin('runs', 'runs.id', 'run_media.run_id')
    .select(['run_media.kind', 'runs.id', 'runs.organization_id as organizationId', 'runs.payload'])
    .where('runs.state', '=', 'completed')
    .execute();
  return rows.map(({ kind, payload, ...run }) =>
    nameOf(kind, { ...run, payload: JSON.parse(payload) as PayloadBrief }),
  );
}

/**
 * Deletes the files of runs that ended before an instant, which are about to be deleted, and every video without a run:
 * what a process left that died while it stored or deleted one.
 */
export async function forgetMedia(
  database: Database,
  audio: Pick<AudioStore, 'delete'>,
  before: number,
  now: number,
): Promise<void> {
  const old = await database
    .selectFrom('run_media')
    .innerJoin('runs', 'runs.id', 'run_media.run_id')
    .selectAll('run_media')
    .select('runs.payload')
    .where('runs.finished_at', '<', before)
    .execute();
  for (const { payload, ...row } of old) {
    const run = { id: row.run_id, organizationId: row.organization_id };
    const { name, version } = mediaFrom(row, { ...run, payload: JSON.parse(payload) });
    await audio.delete(name.organizationId, name.key, version ?? undefined);
  }
  await database
    .deleteFrom('run_media')
    .where('bytes', 'is', null)
    .where('since', '<', now - ARRIVING_MS)
    .execute();
  const stored = await database
    .selectFrom('audio_usage')
    .select('key')
    .where('key', 'like', RUN_VIDEO_KEYS)
    .execute();
  // After those that are stored, so that one that arrives meanwhile is among them.
  const kept = await database
    .selectFrom('run_media')
    .select('run_id')
    .where('kind', '=', 'video')
    .execute();
  const owners = new Set(kept.map(({ run_id: id }) => id));
  for (const { key } of stored) {
    const video = runOfVideo(key ?? '');
    if (video && !owners.has(video.runId)) await audio.delete(video.organizationId, key ?? '');
  }
}
