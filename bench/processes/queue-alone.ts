/**
 * The durable queue alone, on a store opened like the service's. Reads a number, executes that many runs with empty
 * steps, 32 at once, and prints the rate per second.
 */
import { defineWorkflowSpec, OpenWorkflow } from 'openworkflow';
import { isPostgres } from '../../server/storage/locations.ts';
import { openPostgresStore } from '../../server/runs/queue/openworkflow-postgres.ts';
import { openSqliteStore } from '../../server/runs/queue/openworkflow-sqlite.ts';
import { prepareQueue } from '../../server/runs/queue/openworkflow-queue.ts';
import { runConcurrently } from '../concurrent.ts';

const [location = '', concurrency = '8', steps = '7'] = process.argv.slice(2);
await prepareQueue(location);
const store = isPostgres(location)
  ? await openPostgresStore(location)
  : openSqliteStore(location, { answersRequests: false });
const client = new OpenWorkflow({ backend: store.backend });
const empty = defineWorkflowSpec<{ number: number }, null>({ name: 'empty' });

const waiting = new Map<number, () => void>();
client.implementWorkflow(empty, async ({ input, step }) => {
  for (let at = 0; at < Number(steps); at += 1) {
    await step.run({ name: `step ${at}` }, async () => null);
  }
  waiting.get(input.number)?.();
  waiting.delete(input.number);
  return null;
});

// The worker's own loop sleeps for up to a second between polls.
const worker = client.newWorker({ concurrency: Number(concurrency) });
const work = async () => {
  for (;;) if ((await worker.tick()) === 0) await Bun.sleep(1);
};
void work();

let number = 0;
for await (const line of console) {
  const rate = await runConcurrently(Number(line), async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    number += 1;
    waiting.set(number, resolve);
    await store.insist(() => client.runWorkflow(empty, { number }));
    await promise;
  });
  console.log(rate);
}
