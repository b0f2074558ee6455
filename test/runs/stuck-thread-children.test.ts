/** Child processes of a thread end with it, on both runtimes. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

setDefaultTimeout(300_000);

const program = fileURLToPath(new URL('./stuck-thread-children.ts', import.meta.url));
const deno = fileURLToPath(new URL('../../node_modules/deno/deno', import.meta.url));

test.concurrent.each([
  ['Bun', [process.execPath, program]],
  ['Deno', [deno, 'run', '-A', program]],
])('a child process ends with its stuck thread: %s', async (_name, [command, ...args]) => {
  const { stdout } = await promisify(execFile)(command ?? '', args);
  const { pid, lives } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(pid).toBeGreaterThan(0);
  expect(lives).toBe(false);
});
