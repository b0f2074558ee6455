/**
 * A process that executes a run of two steps and announces its start; on request it hangs in the
 * second step.
 */
import { appendFileSync } from 'node:fs';
import { createLog } from '../../../server/base/log.ts';
import { openQueue, prepareQueue } from '../../../server/runs/queue/openworkflow-queue.ts';

const [location = '', journal = '', mode, leaseMs] = process.argv.slice(2);
const note = (line: string) => appendFileSync(journal, `${line}\n`);

await prepareQueue(location);
const queue = await openQueue(location, createLog('silent'), { leaseMs: Number(leaseMs) });
process.on('SIGTERM', () => void queue.stop(100).then(() => process.exit(0)));
await queue.work(1, async (_input, steps) => {
  await steps.run('first', async () => note('first done'));
  await steps.run('second', async () => {
    note('second begun');
    if (mode === 'hang') await new Promise(() => {});
    note('second done');
  });
  note('run done');
});
await queue.start({ runId: 'run' }, 0);
queue.wake();
process.stdout.write('up\n');
