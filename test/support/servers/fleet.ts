/** The service on several machines: PostgreSQL, S3, and any number of web and worker processes. */
import { startPostgres, type PostgresServer } from './postgres.ts';
import { startS3, type S3Server } from './s3.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from './server-process.ts';

export interface Fleet {
  postgres: PostgresServer;
  s3: S3Server;
  /** The environment that its processes share. */
  env: Record<string, string>;
  bucket: string;
  databaseUrl: string;
  /** Starts a process with its own data folder, like a separate machine. */
  start(
    role: 'web' | 'worker' | 'all',
    more?: Record<string, string>,
    runtime?: 'bun' | 'deno',
  ): Promise<ServerProcess>;
  /** Stops the remaining processes and deletes their data. */
  close(): Promise<void>;
}

/** Starts the stores. */
export async function startFleet(env: Record<string, string> = {}): Promise<Fleet> {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  const databaseUrl = await postgres.database();
  const bucket = 'talks';
  const shared = { ...env, ...s3.env(bucket), DATABASE_URL: databaseUrl };
  const processes: ServerProcess[] = [];
  return {
    postgres,
    s3,
    env: shared,
    bucket,
    databaseUrl,
    async start(role, more = {}, runtime) {
      const dataDir = await temporaryFolder();
      const made = await startServerProcess({
        ...(runtime && { runtime }),
        dataDir,
        env: { ...shared, ROLE: role, ...more },
      });
      processes.push(made);
      return made;
    },
    async close() {
      await Promise.all(processes.map((one) => one.kill()));
      await Promise.all(processes.map((one) => removeFolder(one.dataDir)));
      await Promise.all([postgres.close(), s3.close()]);
    },
  };
}
