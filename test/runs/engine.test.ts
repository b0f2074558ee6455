import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunInput, Steps } from '../../server/runs/engine.ts';
import { openEngine, prepareEngineFile } from '../../server/runs/openworkflow-engine.ts';
import { until } from '../support/client.ts';
import { removeFolder, temporaryFolder } from '../support/server-process.ts';

setDefaultTimeout(120_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

describe('durable runs', () => {
  test('a run goes through its steps once, and a second start of it is the first', async () => {
    const path = join(folder, 'once.sqlite');
    await prepareEngineFile(path);
    const engine = openEngine(path);
    const done: string[] = [];
    await engine.work(4, async ({ runId }: RunInput, steps: Steps) => {
      const first = await steps.run('first', async () => ({ n: 1 }));
      const both = await Promise.all(
        [1, 2].map((i) => steps.run(`piece ${i}`, async () => i + first.n)),
      );
      done.push(`${runId} ${both.join(',')}`);
    });
    await engine.start({ runId: 'a' });
    await engine.start({ runId: 'a' });
    await engine.start({ runId: 'b' });
    await engine.wake();
    await until(async () => done.length >= 2);
    await Bun.sleep(300);
    expect(done.toSorted()).toEqual(['a 2,3', 'b 2,3']);
    await engine.stop(1000);
  });

  test('after kill -9 the run goes on from its last finished step at once', async () => {
    const path = join(folder, 'killed.sqlite');
    const journal = join(folder, 'journal.txt');
    await writeFile(journal, '');
    await prepareEngineFile(path);
    const script = fileURLToPath(new URL('../support/engine-process.ts', import.meta.url));
    const start = (args: string[]) =>
      spawn(process.execPath, [script, path, journal, ...args], { stdio: 'inherit' });
    const lines = async () => (await readFile(journal, 'utf8')).split('\n').filter(Boolean);

    const first = start(['hang']);
    await until(async () => (await lines()).includes('second begun'));
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = start(['go']);
    await until(async () => (await lines()).includes('run done'), 10_000);
    second.kill('SIGKILL');
    await once(second, 'exit');
    expect(await lines()).toEqual([
      'first done',
      'second begun',
      'second begun',
      'second done',
      'run done',
    ]);
  });
});
