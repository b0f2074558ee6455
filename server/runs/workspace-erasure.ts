/** Erases everything that a workspace has stored, except for its keys. */
import type { WorkspaceErasure } from '../contract/runs.ts';
import type { AudioStore } from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { deletingSecurely } from '../storage/secure-delete.ts';
import { recordingsOf } from '../storage/recordings.ts';
import { createResumableUploads } from '../storage/resumable-uploads.ts';
import type { RunErasures } from './run-erasure.ts';
import type { Runs } from './service.ts';

const PAGE = 100;

/**
 * Erases the runs, recordings, terms and webhooks of a workspace. Safe to repeat after a failure.
 * @returns the erased data; null if nothing was erased because a run or a translation has not ended
 * @throws {Error} a store does not answer
 */
export async function eraseWorkspace(
  parts: { database: Database; audio: AudioStore; runs: Runs; erasure: RunErasures },
  organizationId: string,
): Promise<WorkspaceErasure | null> {
  const { database, audio, runs, erasure } = parts;
  for (const state of ['queued', 'running'] as const) {
    if ((await runs.list(organizationId, 1, null, state)).length > 0) return null;
  }
  if (!(await erasure.eraseTranslations(organizationId))) return null;
  await createResumableUploads({ database, audio }).discardAll(organizationId);
  // Read first, because some recordings are known only through their runs.
  const { keys, unnamed } = await recordingsOf(database, organizationId);
  const webhooks = await database
    .deleteFrom('webhooks')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  let count = 0;
  for (;;) {
    const page = await runs.list(organizationId, PAGE, null);
    const erased = await countOf(page, async (run) => (await erasure.erase(run, false)) !== null);
    count += erased;
    // Any run that is left was started meanwhile.
    if (erased === 0) break;
  }
  const recordings = await countOf(keys, (key) => audio.delete(organizationId, key));
  const terms = await database
    .transaction()
    .execute((transaction) =>
      deletingSecurely(transaction, () =>
        transaction
          .deleteFrom('workspace_terms')
          .where('organization_id', '=', organizationId)
          .executeTakeFirst(),
      ),
    );
  await erasure.forgetDeleted();
  return {
    erased: {
      runs: count,
      recordings,
      webhooks: Number(webhooks.numDeletedRows),
      terms: terms.numDeletedRows > 0n,
    },
    recordingsLeft: unnamed,
  };
}

/** Runs the erasures one after the other, since each is a transaction. */
async function countOf<T>(
  values: readonly T[],
  erase: (value: T) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  for (const value of values) if (await erase(value)) count += 1;
  return count;
}
