/** A process that executes one run of two steps; told to hang, it never finishes the second. */
import { appendFileSync } from 'node:fs';
import { openEngine, prepareEngineFile } from '../../server/runs/openworkflow-engine.ts';

const [path = '', journal = '', mode] = process.argv.slice(2);
const note = (line: string) => appendFileSync(journal, `${line}\n`);

await prepareEngineFile(path);
const engine = openEngine(path);
await engine.work(1, async (_input, steps) => {
  await steps.run('first', async () => note('first done'));
  await steps.run('second', async () => {
    note('second begun');
    if (mode === 'hang') await new Promise(() => {});
    note('second done');
  });
  note('run done');
});
await engine.start({ runId: 'run' });
await engine.wake();
