/** Where runs keep what they keep. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isPostgres } from '../config/stores.ts';

/** Where the run engine keeps its state: a file beside the service's, or the same PostgreSQL. */
export const engineLocation = ({ databaseUrl, dataDir }: Config): string =>
  isPostgres(databaseUrl) ? databaseUrl : join(dataDir, 'runs.sqlite');

/** The folder of temporary files: each process has one in it, named by its claim on it. */
export const temporaryFolder = ({ dataDir }: Config): string => join(dataDir, 'tmp');
