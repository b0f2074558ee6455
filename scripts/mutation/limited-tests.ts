/** Runs quick tests on a faulty copy of the program, within limits of time and memory. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

/** The longest that tests may take for one fault. */
const MOST_TIME_MS = 4 * 60_000;

/**
 * The most memory that the processes of the tests may use together: about three times what they
 * need.
 */
const MOST_MEMORY_KIB = 4 * 1024 * 1024;

/** The tests that are running. */
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const tests of running) for (const { pid } of processesOf(tests)) kill(pid);
    process.exit(128 + constants.signals[signal]);
  });
}

/**
 * Whether quick tests pass in a copy of the checkout. If a fault makes a test run forever or use
 * up the machine's memory, the tests are killed, which counts as failing.
 * @param copy folder of the copy
 * @param which options and paths for the test command; all quick tests if empty
 */
export function passes(copy: string, which: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const tests = spawn(
      process.execPath,
      [join(copy, 'scripts/test.ts'), 'quick', '--bail', ...which],
      { cwd: copy, stdio: 'ignore' },
    );
    running.add(tests);
    const deadline = Date.now() + MOST_TIME_MS;
    const watch = setInterval(() => {
      const processes = processesOf(tests);
      const kib = processes.reduce((total, { memory }) => total + memory, 0);
      if (Date.now() < deadline && kib < MOST_MEMORY_KIB) return;
      for (const { pid } of processes) kill(pid);
    }, 500);
    tests.once('close', (code) => {
      clearInterval(watch);
      running.delete(tests);
      resolve(code === 0);
    });
  });
}

/** A process and all its descendants, with the memory of each in KiB. */
function processesOf({ pid: first }: ChildProcess): { pid: number; memory: number }[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = rows.filter(([pid]) => pid === first);
  for (const [parent] of found) found.push(...rows.filter(([, ppid]) => ppid === parent));
  return found.map(([pid = 0, , memory = 0]) => ({ pid, memory }));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
