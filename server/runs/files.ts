/** Storage for run state: the queue's database and the folder of temporary files. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isPostgres } from '../config/stores.ts';

/** The queue's database: a file next to the service's own, or the same PostgreSQL. */
export const queueLocation = ({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): string =>
  isPostgres(databaseUrl) ? databaseUrl : join(dataDir, 'runs.sqlite');

/** The folder of temporary files, in which each process has a folder of its own. */
export const temporaryFolder = ({ dataDir }: Config): string => join(dataDir, 'tmp');
