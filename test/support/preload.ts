/** Loaded before all tests, by bunfig.toml. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { rounds } from './fuzz.ts';

startInParallel();

// Property tests generate values for as long as they ask; the default is ten.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, numRuns: rounds(100) });

/**
 * Bun runs files one after the other, and has no setting for anything else. So that `bun test` is enough, this starts
 * them in parallel instead, unless a single file is named or the options say how to run.
 */
function startInParallel(): void {
  const args = argumentsOfBun();
  const says = /^--(?:parallel|test-worker|isolate|no-isolate|watch|hot|inspect|shard)/;
  if (args[0] !== 'test' || args.some((each) => says.test(each))) return;
  const named = args.slice(1).filter((each) => existsSync(each));
  if (named.length === 1 && named[0]?.endsWith('.ts') === true) return;
  const runner = fileURLToPath(new URL('../../scripts/test.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [runner, ...args.slice(1)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

/** The arguments of this process, which `process.argv` does not show in tests. Empty where the system cannot tell. */
function argumentsOfBun(): string[] {
  const linux = '/proc/self/cmdline';
  if (existsSync(linux)) return readFileSync(linux, 'utf8').split('\0').slice(1, -1);
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', `${process.pid}`], {
    encoding: 'utf8',
  });
  return stdout?.trim().split(' ').slice(1) ?? [];
}
