/** The place of the queue's database. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { isPostgres } from '../storage/locations.ts';

/** The queue's database: a file next to the service's own, or the same PostgreSQL. */
export const queueLocation = ({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): string =>
  isPostgres(databaseUrl) ? databaseUrl : join(dataDir, 'runs.sqlite');
