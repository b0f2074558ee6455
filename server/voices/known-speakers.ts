/** Clips of known speakers that come with a recording: kept until its run has ended, so that it can name who speaks. */
import type { Database } from '../storage/database.ts';
import { deletingSecurely } from '../storage/secure-delete.ts';

/** A speaker, and a clip of their voice as MP3. */
export interface KnownSpeaker {
  name: string;
  mp3: Uint8Array<ArrayBuffer>;
}

/** The recording that the speakers may speak in, by the key under which it is stored. */
interface KeyedRecording {
  organizationId: string;
  key: string;
}

/** Keeps the clips for the run of a recording, before it starts. */
export async function keepKnownSpeakers(
  database: Database,
  { organizationId, key }: KeyedRecording,
  speakers: readonly KnownSpeaker[],
  at = Date.now(),
): Promise<void> {
  if (speakers.length === 0) return;
  const rows = speakers.map(({ name, mp3 }, position) => ({
    organization_id: organizationId,
    audio_key: key,
    position,
    name,
    created_at: at,
    mp3: Buffer.from(mp3).toString('base64'),
  }));
  await database.insertInto('known_speakers').values(rows).execute();
}

/** The clips for the run of a recording. */
export async function readKnownSpeakers(
  database: Database,
  { organizationId, key }: KeyedRecording,
): Promise<KnownSpeaker[]> {
  const rows = await database
    .selectFrom('known_speakers')
    .select(['name', 'mp3'])
    .where('organization_id', '=', organizationId)
    .where('audio_key', '=', key)
    .orderBy('position')
    .execute();
  return rows.map(({ name, mp3 }) => ({ name, mp3: new Uint8Array(Buffer.from(mp3, 'base64')) }));
}

/** Deletes the clips of the recordings of a workspace, or of one of them. */
export async function forgetKnownSpeakers(
  database: Database,
  { organizationId, key }: Pick<KeyedRecording, 'organizationId'> & { key?: string },
): Promise<void> {
  const found = await database
    .selectFrom('known_speakers')
    .select('position')
    .where('organization_id', '=', organizationId)
    .$if(key !== undefined, (query) => query.where('audio_key', '=', key!))
    .limit(1)
    .executeTakeFirst();
  if (!found) return;
  await database.transaction().execute((transaction) =>
    deletingSecurely(transaction, () =>
      transaction
        .deleteFrom('known_speakers')
        .where('organization_id', '=', organizationId)
        .$if(key !== undefined, (query) => query.where('audio_key', '=', key!))
        .execute(),
    ),
  );
}

/** Deletes the clips of recordings without a run in progress, which were kept before an instant. */
export async function forgetLeftSpeakers(database: Database, before: number): Promise<void> {
  await database.deleteFrom('known_speakers').where('created_at', '<', before).execute();
}
