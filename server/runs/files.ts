/** Where runs keep their files in the data folder. */
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** The file the run engine keeps its state in. */
export const engineFile = (config: Config): string => join(config.dataDir, 'runs.sqlite');

/** The folder for temporary files: swept when the server starts. */
export const temporaryFolder = (config: Config): string => join(config.dataDir, 'tmp');
