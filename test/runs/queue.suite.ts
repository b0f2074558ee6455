/** The suite that every run queue has to pass, on each of its stores. */
import { describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../server/base/log.ts';
import type { Steps } from '../../server/pipeline/perform.ts';
import type { RunQueue } from '../../server/runs/queue/queue.ts';
import { openQueue, prepareQueue } from '../../server/runs/queue/openworkflow-queue.ts';
import { until } from '../support/servers/client.ts';

const script = fileURLToPath(new URL('../support/servers/queue-process.ts', import.meta.url));

export interface QueueSuiteOptions {
  /** A new location for storing runs. */
  location(): Promise<string>;
  /** A folder for the processes' notes. */
  folder: string;
  /** The time for which a process that died keeps its runs, in milliseconds; null: not at all. */
  leaseMs: number | null;
}

export function queueSuite(name: string, options: QueueSuiteOptions): void {
  const { location, folder, leaseMs } = options;

  const opened = async (): Promise<RunQueue> => {
    const place = await location();
    await prepareQueue(place);
    return openQueue(place, createLog('silent'), { retryMs: 20 });
  };

  describe(name, () => {
    test('a run executes its steps once, and starting it again changes nothing', async () => {
      const queue = await opened();
      const done: string[] = [];
      await queue.work(4, async ({ runId }, steps: Steps) => {
        const first = await steps.run('first', async () => ({ n: 1 }));
        const both = await Promise.all(
          [1, 2].map((i) => steps.run(`piece ${i}`, async () => i + first.n)),
        );
        done.push(`${runId} ${both.join(',')}`);
      });
      await queue.start({ runId: 'a' }, 0);
      await queue.start({ runId: 'a' }, 0);
      await queue.start({ runId: 'b' }, 1);
      queue.wake();
      await until(async () => done.length >= 2);
      expect(done.toSorted()).toEqual(['a 2,3', 'b 2,3']);
      expect(await queue.prune(Date.now() - 60_000)).toBe(0);
      let pruned = 0;
      await until(async () => (pruned += await queue.prune(Date.now() + 60_000)) >= 2);
      await queue.stop(1000);
      // Everything queued has ended; a second run of `a` would be among it.
      expect(done).toHaveLength(2);
      expect(pruned).toBe(2);
    });

    test('runs are executed in order, up to the concurrency limit', async () => {
      const queue = await opened();
      const order: string[] = [];
      let underWay = 0;
      let most = 0;
      for (const [runId, turn] of [
        ['third', 30],
        ['first', 0],
        ['fourth', 30],
        ['second', 7],
      ] as const) {
        await queue.start({ runId }, turn);
      }
      await queue.work(1, async ({ runId }, steps) => {
        most = Math.max(most, (underWay += 1));
        order.push(runId);
        await steps.run('work', async () => Bun.sleep(20));
        underWay -= 1;
      });
      // As often as in practice, because many learn of one run.
      for (let i = 0; i < 20; i += 1) queue.wake();
      await until(async () => order.length === 4);
      expect(order).toEqual(['first', 'second', 'third', 'fourth']);
      expect(most).toBe(1);
      await queue.stop(1000);
    });

    test('a failed step is repeated, and earlier ones are not', async () => {
      const queue = await opened();
      const seen: string[] = [];
      let broken = true;
      await queue.work(1, async ({ runId }, steps) => {
        await steps.run('first', async () => void seen.push(`first ${runId}`));
        await steps.run('second', async () => {
          seen.push('second');
          if (broken) throw new Error('the store is away');
        });
        seen.push('end');
      });
      await queue.start({ runId: 'a' }, 0);
      queue.wake();
      await until(async () => seen.length >= 3);
      broken = false;
      await until(async () => {
        queue.wake();
        return seen.includes('end');
      });
      expect(seen.filter((line) => line !== 'second')).toEqual(['first a', 'end']);
      await queue.stop(1000);
    });

    test('after kill -9 the run continues from its last finished step', async () => {
      const place = await location();
      const { first, second, lines } = await killed(
        place,
        join(folder, `${name}-kill.txt`),
        leaseMs ?? 15_000,
      );
      first.kill('SIGKILL');
      await once(first, 'exit');
      const killedAt = performance.now();
      const next = await second();
      await until(async () => (await lines()).includes('run done'), 180_000);
      // Another process may hold it: only the lease tells that it died.
      if (leaseMs !== null) expect(performance.now() - killedAt).toBeGreaterThan(leaseMs / 4);
      next.kill('SIGKILL');
      await once(next, 'exit');
      expect(await lines()).toEqual([
        'first done',
        'second begun',
        'second begun',
        'second done',
        'run done',
      ]);
    });

    test('a stopping process releases its run immediately', async () => {
      const place = await location();
      const { first, second, lines } = await killed(
        place,
        join(folder, `${name}-stop.txt`),
        600_000,
      );
      const next = await second();
      first.kill('SIGTERM');
      await once(first, 'exit');
      // Its lease would last ten minutes.
      await until(async () => (await lines()).includes('run done'));
      next.kill('SIGKILL');
      await once(next, 'exit');
    });
  });

  /** A process that hangs in the second step of a run and is killed, and the next process. */
  async function killed(place: string, journal: string, lease: number) {
    await writeFile(journal, '');
    const start = (mode: string) =>
      spawn(process.execPath, [script, place, journal, mode, String(lease)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const lines = async () => (await readFile(journal, 'utf8')).split('\n').filter(Boolean);
    const first = start('hang');
    await until(async () => (await lines()).includes('second begun'));
    const second = async () => {
      const next = start('go');
      await once(next.stdout, 'data');
      return next;
    };
    return { first, lines, second };
  }
}
