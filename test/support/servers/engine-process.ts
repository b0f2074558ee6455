/** A process that executes one run of two steps, and tells when it is up; told to hang, it never finishes the second. */
import { appendFileSync } from 'node:fs';
import { createLog } from '../../../server/log.ts';
import { openEngine, prepareEngine } from '../../../server/runs/openworkflow-engine.ts';

const [location = '', journal = '', mode, leaseMs] = process.argv.slice(2);
const note = (line: string) => appendFileSync(journal, `${line}\n`);

await prepareEngine(location);
const engine = await openEngine(location, createLog('silent'), { leaseMs: Number(leaseMs) });
process.on('SIGTERM', () => void engine.stop(100).then(() => process.exit(0)));
await engine.work(1, async (_input, steps) => {
  await steps.run('first', async () => note('first done'));
  await steps.run('second', async () => {
    note('second begun');
    if (mode === 'hang') await new Promise(() => {});
    note('second done');
  });
  note('run done');
});
await engine.start({ runId: 'run' }, 0);
engine.wake();
process.stdout.write('up\n');
