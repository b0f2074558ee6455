/**
 * Runs the tests in parallel processes and ends with a summary: `npm test`, `npm run test:all`,
 * `npm run test:soak`. Prints failures, the reasons for skipped tests, and in CI the slowest files.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readReport, withoutFiles, type Report } from './test-report.ts';
import { IN_PAGE, isBlackBox, SLOWEST, TIERS, UNCROWDED, type Tier } from './test-tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const HELP = `Runs the tests.

  npm test -- [options] [path ...]           the quick tests, in about two minutes
  npm run test:all -- [options] [path ...]   everything
  npm run test:soak                          chaos and fuzzing at full length

  path         files or folders of tests; without one, those of the tier
  --changed    only tests that load a file changed since the last commit
  --rest       only those of test:all that npm test does not run
  --deno       also the black-box tests with servers on Deno, in parallel with the others
  --bail       stops at the first failure
  --again      runs up to three failed files once more, and lists those that pass as flaky
               (the default in CI)
  --slowest N  lists the N slowest files (default 0; in CI 10)
  --help       prints this

  FUZZ=n       n times as many rounds of every fuzz test and property
  SERVER_RUNTIME=deno   the servers that tests start run on Deno`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    deno: { type: 'boolean', default: false },
    bail: { type: 'boolean', default: false },
    again: { type: 'boolean', default: process.env['CI'] !== undefined },
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
const all = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  .map((file) => file.replaceAll('\\', '/'))
  .toSorted();
const files = chosen(tier);
const onDeno = values.deno ? (paths.length > 0 ? files : all).filter(isBlackBox) : [];
if (files.length === 0) {
  console.error(`There is no test file at ${paths.join(', ')}.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'captioner-tests-'));
const skipsFile = join(folder, 'skips');
const timingsFile = join(folder, 'timings');
writeFileSync(timingsFile, JSON.stringify({ version: 1, files: SLOWEST }));
const startedAt = performance.now();
const reports: Report[] = [];
/** Failures of files that passed when they ran again. */
const flaky: string[] = [];
/** How many failing files run again. If more files fail, they have a common cause. */
const MAX_AGAIN = 3;
let started = 0;
const running = new Set<ChildProcess>();
let interrupted: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = signal;
    for (const child of running) child.kill(signal);
  });
}
try {
  const inProcess = new Set(TIERS['quick']?.files(files));
  const [beside, uncrowded] = split(files, (file) => !UNCROWDED.includes(file));
  const [inPage, others] = split(beside, (file) => file.startsWith(IN_PAGE));
  const [quick, slow] = split(others, (file) => inProcess.has(file));
  const [slowOnDeno, uncrowdedOnDeno] = split(onDeno, (file) => !UNCROWDED.includes(file));
  const cores = availableParallelism();
  const half = Math.ceil(cores / 2);
  /** Keeps what a process has loaded between files, because loading takes longer than most tests. */
  const together = (processes: number): string[] => [`--parallel=${processes}`, '--no-isolate'];
  // More processes than cores, because some wait while others compute.
  await Promise.all([run(quick, together(2 * cores - 1)), run(inPage, [`--parallel=${half}`])]);
  // Neither runtime waits for the other before its last files, or cores would be idle.
  const onMost = together(2 * cores - (onDeno.length > 0 ? 1 : 0));
  await Promise.all([
    run(slow, onMost).then(() => run(uncrowded, together(cores))),
    run(slowOnDeno, together(half), 'deno').then(() =>
      run(uncrowdedOnDeno, together(half), 'deno'),
    ),
  ]);
  process.exitCode = interrupted ? 128 + constants.signals[interrupted] : summarise() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The files of the tier, or those under the given paths. */
function chosen({ files }: Tier): string[] {
  if (paths.length > 0) {
    const wanted = paths.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, ''));
    return all.filter((file) =>
      wanted.some((path) => file === path || file.startsWith(`${path}/`)),
    );
  }
  const quick = new Set(values.rest ? TIERS['quick']?.files(all) : []);
  return files(all).filter((file) => !quick.has(file));
}

/** Divides the files into those for which a condition holds and the rest. */
function split(
  files: readonly string[],
  holds: (file: string) => boolean,
): [holding: string[], others: string[]] {
  return [files.filter(holds), files.filter((file) => !holds(file))];
}

/**
 * Runs files and adds their reports to `reports`. With `--again`, up to `MAX_AGAIN` files that fail run once more;
 * those that then pass are flaky, because of a bug in the test or in the program, and are listed at the end.
 */
async function run(
  files: readonly string[],
  options: readonly string[],
  runtime?: 'deno',
): Promise<void> {
  if (files.length === 0 || interrupted) return;
  if (values.bail && reports.some(({ failed }) => failed > 0)) return;
  const first = await reportOf(files, options, runtime);
  const failing = files.filter((file) =>
    first.failures.some((line) => line.startsWith(`${file}:`)),
  );
  if (!values.again || interrupted || failing.length === 0 || failing.length > MAX_AGAIN) {
    reports.push(named(first, runtime));
    return;
  }
  console.log(`\nOnce more: ${failing.join(', ')}`);
  const second = await reportOf(failing, options, runtime);
  if (second.failed === 0) flaky.push(...named(first, runtime).failures);
  reports.push(named(withoutFiles(first, failing), runtime), named(second, runtime));
}

/** A report with the runtime's name at its files and failures. */
function named(report: Report, runtime?: 'deno'): Report {
  if (!runtime) return report;
  const files = report.files.map((file) => ({ ...file, path: `${file.path} on ${runtime}` }));
  const failures = report.failures.map((line) => `${line} (servers on ${runtime})`);
  return { ...report, files, failures };
}

/**
 * Runs files with the given Bun options.
 * @param runtime of the servers that the tests start. Their output is printed at the end, because
 * other tests run in parallel
 */
async function reportOf(
  files: readonly string[],
  options: readonly string[],
  runtime?: 'deno',
): Promise<Report> {
  const outFile = join(folder, `report-${(started += 1)}.xml`);
  const child = spawn(
    process.execPath,
    [
      'test',
      ...options,
      `--timings=${timingsFile}`,
      '--no-orphans',
      // For tests without their own: the default of five seconds may be too short on a busy machine.
      '--timeout=300000',
      '--only-failures',
      '--reporter=junit',
      `--reporter-outfile=${outFile}`,
      ...(values.bail ? ['--bail'] : []),
      ...(values.changed ? ['--changed'] : []),
      ...files.map((file) => `./${file}`),
    ],
    {
      cwd: root,
      stdio: ['ignore', runtime ? 'pipe' : 'inherit', runtime ? 'pipe' : 'inherit'],
      env: {
        ...process.env,
        ...tier?.env,
        ...(runtime && { SERVER_RUNTIME: runtime }),
        SKIP_REASONS_FILE: skipsFile,
      },
    },
  );
  running.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => output.push(chunk));
  }
  const code = await new Promise<number>((resolve) => {
    child.once('close', (ended) => resolve(ended ?? 1));
  });
  running.delete(child);
  if (runtime) console.log(`\nServers on ${runtime}:\n${Buffer.concat(output).toString()}`);
  const report = existsSync(outFile)
    ? readReport(readFileSync(outFile, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0, files: [], failures: [] };
  const reported = new Set(report.files.map(({ path }) => path));
  const silent =
    interrupted || values.changed || values.bail ? [] : files.filter((file) => !reported.has(file));
  report.failures.push(...silent.map((file) => `${file}: reported no result`));
  report.failed += silent.length;
  const nothing = { passed: 0, failed: 1, skipped: 0, seconds: 0 };
  report.files.push(...silent.map((path) => ({ path, ...nothing })));
  if (code !== 0 && report.failed === 0) report.failed = 1;
  return report;
}

/** Prints the slowest files, why tests were skipped, and the counts. Returns whether all passed, and in CI none was skipped. */
function summarise(): boolean {
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    reports.reduce((total, report) => total + report[field], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  const slowest = reports
    .flatMap((report) => report.files)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, Number(values.slowest));
  if (slowest.length > 0) console.log('\nThe slowest files:');
  for (const { path, seconds } of slowest) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
  }
  const reasons = existsSync(skipsFile) ? readFileSync(skipsFile, 'utf8').trim().split('\n') : [];
  for (const reason of new Set(reasons)) console.log(`Skipped: ${reason}`);
  const incomplete = process.env['CI'] !== undefined && skipped > 0;
  if (incomplete) console.log('In CI no test may be skipped.');
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const failures = reports.flatMap((report) => report.failures);
  const list = (title: string, lines: string[]): void => {
    if (lines.length > 0)
      console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  };
  list('Flaky: failed, and passed when run again', flaky);
  list('Failed', failures);
  console.log(`\n${files.length + onDeno.length} files, ${seconds} s`);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0 && (passed > 0 || values.changed) && !incomplete;
}
