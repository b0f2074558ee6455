/** Deletes recordings of ended runs whose deletion failed, with retries across restarts. */
import { sql } from 'kysely';
import type { PayloadBrief } from '../contract/payload.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { Log } from '../base/log.ts';
import type { AudioStore } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { createRunStore } from './store/run-store.ts';
import { here, type DoWork } from './service.ts';

/** The most deletions in one pass. */
const MOST = 100;

/**
 * Tries up to `MOST` outstanding deletions once, and records the outcome in the results.
 * @param work reads and writes the results
 * @returns the number of deletions that succeeded
 */
export async function retryDeletions(
  database: Database,
  audio: Pick<AudioStore, 'delete' | 'stat'>,
  log: Log,
  work: DoWork = here,
): Promise<number> {
  const rows = await database
    .selectFrom('runs')
    .select(['id', 'organization_id as organizationId', 'payload', 'owed_audio as version'])
    .where('owed_audio', 'is not', null)
    // In random order, so that deletions that always fail do not block the others.
    .orderBy(sql`random()`)
    .limit(MOST)
    .execute();
  let count = 0;
  for (const { id, organizationId, payload, version } of rows) {
    const { key } = (JSON.parse(payload) as PayloadBrief).audio;
    try {
      const deleted = await audio.delete(organizationId, key, version!);
      const isReplaced = !deleted && (await audio.stat(organizationId, key)) !== null;
      await recordDeletion({ database, work }, { id, organizationId }, isReplaced);
      count += 1;
    } catch (error) {
      log.warn('audio_not_deleted', { runId: id, error });
    }
  }
  if (count > 0) log.info('pending_audio_deleted', { count });
  return count;
}

/** Records in the run and its result that a deletion is done. */
async function recordDeletion(
  { database, work }: { database: Database; work: DoWork },
  { id, organizationId }: { id: string; organizationId: string },
  isReplaced: boolean,
): Promise<void> {
  const text = await createRunStore(database).result(id);
  const load = { workspace: organizationId, size: text?.length ?? 0 };
  const result = text === null ? null : await work(withDeletion, { text, isReplaced }, load);
  await database.transaction().execute(async (transaction) => {
    const owed = await transaction
      .updateTable('runs')
      .set({ owed_audio: null })
      .where('id', '=', id)
      // Another process may have recorded it in the meantime, with more information.
      .where('owed_audio', 'is not', null)
      .returning('id')
      .executeTakeFirst();
    if (!owed || result === null) return;
    await transaction
      .updateTable('run_texts')
      .set({ text: result })
      .where('run_id', '=', id)
      .where('kind', '=', 'result')
      .execute();
    await transaction
      .updateTable('runs')
      .set({ result })
      .where('id', '=', id)
      .where('result', 'is not', null)
      .execute();
  });
}

/** The result of a run whose recording was deleted afterwards, both as JSON. A task. */
export function withDeletion({ text, isReplaced }: { text: string; isReplaced: boolean }): string {
  const result: CaptionerResult = JSON.parse(text);
  const storage = result.metadata.storage;
  // It could not be deleted earlier, or has stayed with its run until now.
  if (storage?.sourceAudio.status !== 'failed' && storage?.sourceAudio.status !== 'retained') {
    return text;
  }
  const { error: _, ...rest } = storage.sourceAudio;
  storage.sourceAudio = isReplaced
    ? { ...rest, status: 'skipped', reason: 'A newer upload has replaced the audio.' }
    : { ...rest, status: 'deleted', reason: 'It was deleted after the run had ended.' };
  return JSON.stringify(result);
}
