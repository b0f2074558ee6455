import { expect, setDefaultTimeout } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { needs } from '../support/requirements.ts';
import { testServer } from '../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const test = needs(existsSync('/proc/self/task'), 'threads have priorities of their own on Linux');
const server = await testServer({ env: { WORKERS: '2' } });

test('worker threads have lower priority than the thread that answers requests', async () => {
  const tasks = `/proc/${server.pid}/task`;
  const niceness = async (id: string) => {
    // A thread may end in the meantime.
    const stat = await readFile(`${tasks}/${id}/stat`, 'utf8').catch(() => '');
    // A thread's name may contain spaces; the nice value is the 17th field after it (proc(5)).
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  };
  const all = await Promise.all((await readdir(tasks)).map(niceness));
  // The tests themselves may run at a lower priority.
  expect(await niceness(String(server.pid))).toBe(getPriority());
  expect(all.filter((nice) => nice >= 10).length).toBeGreaterThanOrEqual(2);
});
