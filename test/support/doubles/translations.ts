/** The translations of a database whose queue starts nothing. */
import { createResultQuota } from '../../../server/runs/store/result-quota.ts';
import { createTranslations } from '../../../server/runs/translations.ts';
import type { RunEvents } from '../../../server/runs/store/run-events.ts';
import type { Database } from '../../../server/storage/database.ts';

/** Creates them. @param publish receives their events */
export const idleTranslations = (database: Database, publish: RunEvents['publish'] = () => {}) =>
  createTranslations({
    database,
    resultQuota: createResultQuota(database, null),
    queue: { start: async () => {}, forget: async () => 0, forgetDeleted: async () => {} },
    events: { publish },
    pause: async () => {},
  });
