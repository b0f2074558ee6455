/** Runs quick tests on a faulty copy of the program, within limits of time and memory. */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

/** The time limit of the tests for one fault: four times what all tests take, for a busy machine. */
const MAX_TIME_MS = 6 * 60_000;

/**
 * The most memory that the processes of the tests may use together: about three times what they
 * need.
 */
const MAX_MEMORY_KIB = 4 * 1024 * 1024;

/** The tests that are running. */
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const tests of running) killAll(tests);
    process.exit(128 + constants.signals[signal]);
  });
}

/** Tests that have been started. */
export interface RunningTests {
  child: ChildProcess;
  /** The exit code, once the process and its output have ended. */
  closed: Promise<number | null>;
  kill(): void;
}

/**
 * Runs quick tests in a copy of the checkout until one fails. If a fault makes a test run forever or
 * use up the machine's memory, the tests are killed, which counts as failing.
 * @param copy folder of the copy
 * @param which paths for the test command; all quick tests if empty
 * @returns null if they pass; otherwise the files that failed, or all if they have no result
 */
export async function failuresOf(copy: string, which: readonly string[]): Promise<string[] | null> {
  const args = [join(copy, 'scripts/test.ts'), 'quick', '--bail', ...which];
  const tests = startTests(copy, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  tests.child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const timer = setTimeout(() => tests.kill(), MAX_TIME_MS);
  const code = await tests.closed;
  clearTimeout(timer);
  if (code === 0) return null;
  const failed = new Set(Array.from(output.matchAll(FAILED_FILE), ([, file]) => file!));
  return failed.size > 0 ? [...failed] : [...which];
}

/** A line of the list of failed tests that ends the output of the test command. */
const FAILED_FILE = /^ {2}(test\/\S+\.test\.ts): /gm;

/**
 * Starts Bun, and kills it with its descendants if they use too much memory.
 * @param cwd its folder
 */
export function startTests(
  cwd: string,
  args: readonly string[],
  { env, stdio }: { env?: Record<string, string>; stdio: StdioOptions },
): RunningTests {
  const child = spawn(process.execPath, args, { cwd, stdio, env: { ...process.env, ...env } });
  running.add(child);
  const watch = setInterval(() => {
    const kib = processesOf(child).reduce((total, { memory }) => total + memory, 0);
    if (kib > MAX_MEMORY_KIB) killAll(child);
  }, 500);
  const closed = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      clearInterval(watch);
      running.delete(child);
      resolve(code);
    });
  });
  return { child, closed, kill: () => running.has(child) && killAll(child) };
}

function killAll(child: ChildProcess): void {
  for (const { pid } of processesOf(child)) kill(pid);
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
