/** Durable runs by openworkflow, kept in a SQLite file of their own. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineWorkflowSpec, OpenWorkflow, type Worker } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { RunEngine, RunHandler, RunInput, Steps } from './engine.ts';

/** A step that throws is a fault of the process, not of the run: try it again until it works. */
const UNLIMITED = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  maximumAttempts: 0,
} as const;
const captioner = defineWorkflowSpec<{ runId: string }, null>({
  name: 'captioner',
  retryPolicy: UNLIMITED,
});
/** A write waits this long for another process's write. The engine sets none itself. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Creates the engine's file and frees the runs that the last process held when it died: their
 * leases would otherwise last up to 30 s. Call it once, in the process that holds the data folder's
 * lock, before any thread opens the engine.
 */
export async function prepareEngineFile(path: string): Promise<void> {
  await BackendSqlite.connect(path).stop();
  freeLeases(path);
}

/** Makes the runs that some thread held when it died available at once. */
export function freeLeases(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database
      .prepare(
        `UPDATE workflow_runs SET available_at = ?, worker_id = NULL WHERE status = 'running'`,
      )
      .run(new Date().toISOString());
  } finally {
    database.close();
  }
}

/** Opens the engine on a file that prepareEngineFile has made. */
export function openEngine(path: string): RunEngine {
  const backend = BackendSqlite.connect(path, { runMigrations: false });
  tune(backend);
  const client = new OpenWorkflow({ backend });
  let worker: Worker | null = null;

  return {
    async start(input: RunInput) {
      await client.runWorkflow(captioner, { ...input }, { idempotencyKey: input.runId });
    },
    async work(concurrency: number, handler: RunHandler) {
      client.implementWorkflow(captioner, async ({ input, step }) => {
        const steps: Steps = {
          run: async (name, work) => {
            const output = await step.run({ name, retryPolicy: UNLIMITED }, async () => ({
              value: await work(),
            }));
            return output.value;
          },
        };
        await handler({ runId: input.runId }, steps);
        return null;
      });
      worker = client.newWorker({ concurrency });
      await worker.start();
    },
    async wake() {
      await worker?.tick();
    },
    async stop(graceMs: number) {
      if (worker) await Promise.race([worker.stop(), sleep(graceMs, undefined, { ref: false })]);
      await backend.stop();
    },
  };
}

/**
 * The handle is private in the engine's types. Without a time to wait two threads meet "database is
 * locked". A write is safe from a crash of the process at once, from a loss of power at the next
 * checkpoint, as in the service's own database: a step that is lost then is done again.
 */
function tune(backend: BackendSqlite): void {
  const handle: unknown = Reflect.get(backend, 'db');
  if (!hasExec(handle)) throw new Error('openworkflow no longer keeps its SQLite handle in "db"');
  handle.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL`);
}

const hasExec = (value: unknown): value is { exec(sql: string): void } =>
  typeof value === 'object' && value !== null && 'exec' in value;
