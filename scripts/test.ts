/**
 * Runs the tests in parallel processes and ends with a summary: `npm test`, `npm run test:all`,
 * `npm run test:soak`. Prints what failed, what was skipped and why, and the slowest files.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readReport, type Report } from './test-report.ts';
import { SOAK, TIERS, type Tier } from './test-tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const HELP = `Runs the tests.

  npm test -- [options] [path ...]       the quick tier: the answer in two minutes
  npm run test:all -- [path ...]         everything
  npm run test:soak                      chaos and fuzzing at full length

  path         files or folders of tests; without one, those of the tier
  --changed    only tests that load a file changed since the last commit
  --bail       stops at the first failure
  --slowest N  how many of the slowest files are listed (default 0; in CI 10)
  --help       prints this`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    bail: { type: 'boolean', default: false },
    slowest: { type: 'string', default: process.env['CI'] ? '10' : '0' },
    help: { type: 'boolean', default: false },
  },
});
const [tierName = 'quick', ...paths] = positionals;
const tier: Tier | undefined = TIERS[tierName];
if (values.help || !tier) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const folder = mkdtempSync(join(tmpdir(), 'captioner-tests-'));
const skipsFile = join(folder, 'skips');
const startedAt = performance.now();
const reports: Report[] = [];
let status = 0;
try {
  const { together, alone } = divide(paths.length > 0 ? found(paths) : tier.files(allFiles()));
  if (together.length > 0) await run(together, Math.max(2, availableParallelism()));
  if (alone.length > 0) await run(alone, 1);
  for (const { env, files } of paths.length > 0 ? [] : tier.again) await run(files, 2, env);
  status = summarise() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);

/** Every test file, as a path from the root. */
function allFiles(): string[] {
  return globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).toSorted();
}

/** The test files under some paths. */
function found(wanted: readonly string[]): string[] {
  const files = allFiles().filter((file) =>
    wanted.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)),
  );
  if (files.length > 0) return files;
  console.error(`No test file is at ${wanted.join(', ')}.`);
  process.exit(2);
}

/** Files that kill and restart servers, or measure, run by themselves. */
function divide(files: readonly string[]) {
  const alone = new Set(files.filter((file) => SOAK.alone.includes(file)));
  return { together: files.filter((file) => !alone.has(file)), alone: [...alone] };
}

/** Runs some files in so many processes. */
async function run(files: readonly string[], processes: number, env = {}): Promise<void> {
  const number = reports.length;
  const outFile = join(folder, `report-${number}.xml`);
  const args = [
    'test',
    `--parallel=${processes}`,
    '--only-failures',
    '--reporter=junit',
    `--reporter-outfile=${outFile}`,
    ...(values.bail ? ['--bail'] : []),
    ...(values.changed ? ['--changed'] : []),
    ...files.map((file) => `./${file}`),
  ];
  const bun = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...tier?.env, ...env, SKIP_REASONS_FILE: skipsFile },
  });
  const code = await new Promise<number>((resolve) => {
    bun.once('close', (ended) => resolve(ended ?? 1));
  });
  if (existsSync(outFile)) reports.push(readReport(readFileSync(outFile, 'utf8')));
  else if (code !== 0) reports.push({ passed: 0, failed: 1, skipped: 0, files: [] });
  const last = reports.at(-1);
  // A process that died outside of a test fails no test of its own.
  if (code !== 0 && last && last.failed === 0) last.failed = 1;
}

/** Prints the slowest files, the reasons of skipped tests and the counts. Answers whether all is well. */
function summarise(): boolean {
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    reports.reduce((total, report) => total + report[field], 0);
  const slowest = reports
    .flatMap((report) => report.files)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, Number(values.slowest));
  if (slowest.length > 0) console.log('\nThe slowest files:');
  for (const { path, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${path}`);

  const reasons = existsSync(skipsFile) ? readFileSync(skipsFile, 'utf8').trim().split('\n') : [];
  for (const reason of new Set(reasons)) console.log(`Skipped: ${reason}`);
  const skipped = sum('skipped');
  const missing = process.env['CI'] && skipped > 0;
  if (missing) console.log('In CI nothing may be skipped.');
  const seconds = (performance.now() - startedAt) / 1000;
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  console.log(`\n${seconds.toFixed(0)} s`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed${tail}`);
  if (process.env['TEST_COUNTS_FILE']) {
    writeFileSync(process.env['TEST_COUNTS_FILE'], `${sum('passed')} ${sum('failed')}\n`);
  }
  return sum('failed') === 0 && sum('passed') > 0 && !missing;
}
