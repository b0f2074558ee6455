/** The recordings that a workspace keeps, by key. */
import type { PayloadBrief } from '../contract/payload.ts';
import { objectName, workspaceName } from './audio.ts';
import type { Database } from './database.ts';
import { isPartKey } from './resumable-uploads.ts';

interface Recordings {
  keys: string[];
  /** The number of recordings stored before 1.2 that no run names; their keys are unknown. */
  unnamed: number;
}

/**
 * Lists the recordings of a workspace. Stores know only hashes of keys, so the keys come from the table that counts
 * recordings and, for older recordings, from the runs that name them.
 */
export async function recordingsOf(
  database: Database,
  organizationId: string,
): Promise<Recordings> {
  const rows = await database
    .selectFrom('audio_usage')
    .select(['id', 'key'])
    .where('workspace', '=', workspaceName(organizationId))
    .where('expires_at', 'is', null)
    .orderBy('id')
    .execute();
  const objects = rows.filter(({ key }) => key === null || !isPartKey(key));
  const isUnnamed = objects.some(({ key }) => key === null);
  const payloads = isUnnamed
    ? await database
        .selectFrom('runs')
        .select('payload')
        .where('organization_id', '=', organizationId)
        .execute()
    : [];
  const named = new Map(
    payloads.map(({ payload }) => {
      const { key } = (JSON.parse(payload) as PayloadBrief).audio;
      return [objectName({ organizationId, key }), key];
    }),
  );
  const keys = objects
    .map(({ id, key }) => key ?? named.get(id))
    .filter((key) => key !== undefined);
  return { keys, unnamed: objects.length - keys.length };
}
