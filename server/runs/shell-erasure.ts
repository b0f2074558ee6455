/** Erases workspaces from the operator's shell, beside a running service or without one. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Log } from '../base/log.ts';
import { openMeteredAudioStore } from '../storage/audio-stores.ts';
import type { Database } from '../storage/database.ts';
import { claimTemporaryFolder } from '../storage/file-lock.ts';
import { queueLocation } from './files.ts';
import { openQueue } from './queue/openworkflow-queue.ts';
import { createRunErasure, eraseWorkspace } from './run-erasure.ts';
import { createLocalRunEvents } from './store/run-events.ts';
import { createResultQuota } from './store/result-quota.ts';
import { createRunStore } from './store/run-store.ts';
import { createTranslations } from './translations.ts';

/**
 * Erases what workspaces have stored.
 * @returns the ids of those that have runs in progress, of which nothing was erased
 */
export async function eraseWorkspaces(
  config: Config,
  database: Database,
  log: Log,
  organizationIds: readonly string[],
): Promise<string[]> {
  const location = queueLocation(config);
  const temporary = await claimTemporaryFolder(join(config.dataDir, 'tmp'));
  const queue = await openQueue(location, log, { use: { answersRequests: false } });
  try {
    const audio = openMeteredAudioStore(config, temporary.path, database);
    const events = createLocalRunEvents();
    const resultQuota = createResultQuota(database, config.resultQuota);
    const translations = createTranslations({ database, resultQuota, queue, events });
    const erasure = createRunErasure({ database, queue, audio, translations, events, log });
    const parts = { database, audio, runs: createRunStore(database), erasure };
    const busy: string[] = [];
    for (const id of organizationIds) {
      if (!(await eraseWorkspace(parts, id))) busy.push(id);
    }
    return busy;
  } finally {
    await queue.stop(0);
    await temporary.remove();
  }
}
