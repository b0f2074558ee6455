/** The service on several machines: PostgreSQL, S3, and any number of web and worker processes. */
import { startPostgres } from './postgres.ts';
import { startS3 } from './s3.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from './server-process.ts';

/** Starts the stores. */
export async function startFleet(env: Record<string, string> = {}) {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  const databaseUrl = await postgres.database();
  const bucket = 'talks';
  const shared = { ...env, ...s3.env(bucket), DATABASE_URL: databaseUrl };
  const processes: ServerProcess[] = [];
  return {
    postgres,
    s3,
    /** The environment that its processes share. */
    env: shared as Record<string, string>,
    bucket,
    databaseUrl,
    /** Starts a process with its own data folder, like a separate machine. */
    async start(
      role: 'web' | 'worker' | 'all',
      more: Record<string, string> = {},
      runtime?: 'bun' | 'deno',
    ) {
      const dataDir = await temporaryFolder();
      const made = await startServerProcess({
        ...(runtime && { runtime }),
        dataDir,
        env: { ...shared, ROLE: role, ...more },
      });
      processes.push(made);
      return made;
    },
    /** Stops the remaining processes and deletes their data. */
    async close() {
      await Promise.all(processes.map((one) => one.kill()));
      await Promise.all(processes.map((one) => removeFolder(one.dataDir)));
      await Promise.all([postgres.close(), s3.close()]);
    },
  };
}
