/**
 * Runs tests with `bun test`, in a process for each core, and adds up what they report.
 *
 *   bun test [paths and options of Bun]              the quick tests (test/support/preload.ts starts this)
 *   npm run test:all -- [--rest] [--deno] [paths]    also those under test/slow
 *   npm run test:soak                                chaos and fuzzing at full length
 *
 * `--rest`: only those under test/slow. `--deno`: those under test/slow/runtime also with servers on Deno. In CI, up to
 * three failing files run once more, and no test may be skipped.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CI = process.env['CI'] !== undefined;
const cores = availableParallelism();
const half = Math.ceil(cores / 2);

const OWN = ['--all', '--rest', '--deno', '--soak'] as const;
const given = process.argv.slice(2);
const asked = new Set(given.filter((each) => OWN.some((own) => own === each)));
const paths: string[] = [];
const options: string[] = [];
for (const [at, each] of given.entries()) {
  if (asked.has(each)) continue;
  (each.startsWith('-') || given[at - 1] === '-t' ? options : paths).push(each);
}

const isSlow = (file: string) => file.startsWith('test/slow/');
/** Its window replaces the global object, so each file needs its own. */
const isInPage = (file: string) => file.startsWith('test/web/app/');
/** About what runtimes do differently: streams, sockets, signals, processes, disks and databases. */
const isOnEither = (file: string) => file.startsWith('test/slow/runtime/');
/** Kills many servers or measures memory: runs last, so that few others compete with it. */
const isAlone = (file: string) => file.includes('/alone/');
const isLong = (file: string) => /\/(?:chaos|app-review-journal|hostile\/.*)\.test\.ts$/.test(file);

const chosen = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) => paths.length === 0 || paths.some((path) => file.includes(path.replace(/^\.\//, ''))),
  )
  .toSorted();
const files = chosen
  .filter((file) => (isSlow(file) ? asked.size > 0 : !asked.has('--rest')))
  .filter((file) => !asked.has('--soak') || isLong(file));
const onDeno = asked.has('--deno') ? chosen.filter(isOnEither) : [];
if (files.length === 0) {
  console.error(`There is no test file at ${paths.join(', ')}.`);
  process.exit(2);
}

const folder = mkdtempSync(join(hasMemoryDisk() ? '/dev/shm' : tmpdir(), 'captioner-tests-'));
// PostgreSQL has its data in it, and runs as another user.
chmodSync(folder, 0o711);
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
// What it started ends with it.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(code));
}
const skipsFile = join(folder, 'skips');
const startedAt = performance.now();
const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const flaky: string[] = [];
let started = 0;

/** Keeps what a process has loaded between files, because loading takes longer than most tests. */
const together = (processes: number): string[] => [`--parallel=${processes}`, '--no-isolate'];
const quick = files.filter((file) => !isSlow(file));
const slow = files.filter((file) => isSlow(file) && !isAlone(file));
const alone = files.filter((file) => isSlow(file) && isAlone(file));
// Otherwise each server bundles the app when it is asked for it; some quick tests ask too.
if (slow.length > 0 || paths.length === 0)
  spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root });
// More processes than cores, because some wait while others compute. What takes long begins (test/timings.json): the
// more a process has loaded, the longer its garbage takes.
await Promise.all([
  run(
    quick.filter((file) => !isInPage(file)),
    together(2 * cores - 1),
  ),
  run(quick.filter(isInPage), [`--parallel=${half}`]),
]);
await Promise.all([
  run(slow, together(2 * cores)).then(() => run(alone, together(cores))),
  run(
    onDeno.filter((file) => !isAlone(file)),
    together(half),
    'deno',
  ).then(() => run(onDeno.filter(isAlone), together(half), 'deno')),
]);
summarise();

/**
 * Whether temporary files can be kept in memory, where no database waits for a disk: where Linux has room for them and
 * runs programs from there, unless TMPDIR names another place.
 */
function hasMemoryDisk(): boolean {
  if (process.env['TMPDIR'] !== undefined || !existsSync('/dev/shm')) return false;
  const { bavail, bsize } = statfsSync('/dev/shm');
  const mounts = readFileSync('/proc/mounts', 'utf8');
  return bavail * bsize > 4 * 2 ** 30 && / \/dev\/shm tmpfs (?!\S*noexec)/.test(mounts);
}

/** What `bun test` reported, in its JUnit file. */
interface Report {
  passed: number;
  failed: number;
  skipped: number;
  /** The file and the name of each failed test. */
  failures: { file: string; name: string }[];
}

/** Runs files; in CI up to three that fail once more, and those that then pass are flaky: an undiscovered bug. */
async function run(
  some: readonly string[],
  how: readonly string[],
  runtime?: 'deno',
): Promise<void> {
  if (some.length === 0) return;
  let report = await reportOf(some, how, runtime);
  const failing = [...new Set(report.failures.map(({ file }) => file))];
  if (CI && failing.length > 0 && failing.length <= 3 && report.failed === report.failures.length) {
    console.log(`\nOnce more: ${failing.join(', ')}`);
    const again = await reportOf(failing, how, runtime);
    if (again.failed === 0) flaky.push(...report.failures.map(shown));
    const fixed = report.failed - again.failed;
    report = { ...again, passed: report.passed + fixed, skipped: report.skipped };
  }
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += report[key];
  failures.push(
    ...report.failures.map((each) => shown(each) + (runtime ? ` (servers on ${runtime})` : '')),
  );
}

function shown({ file, name }: Report['failures'][number]): string {
  return `${file}: ${name}`;
}

async function reportOf(
  some: readonly string[],
  how: readonly string[],
  runtime?: string,
): Promise<Report> {
  const outfile = join(folder, `${(started += 1)}.xml`);
  const args = [
    'test',
    '--path-ignore-patterns=',
    '--timings=test/timings.json',
    '--no-orphans',
    // For tests without their own: the default of five seconds is too short on a busy machine.
    '--timeout=300000',
    '--dots',
    '--reporter=junit',
    `--reporter-outfile=${outfile}`,
    ...how,
    ...options,
    ...some.map((file) => `./${file}`),
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    // What runs on Deno is shown at its end, because other tests run at the same time.
    stdio: ['ignore', runtime ? 'pipe' : 'inherit', runtime ? 'pipe' : 'inherit'],
    env: {
      ...process.env,
      ...(asked.has('--soak') && { FUZZ: '8' }),
      ...(runtime && { SERVER_RUNTIME: runtime }),
      // What quick tests write is small; what the slow ones write may not fit in memory.
      ...(!some.some(isSlow) && { TMPDIR: folder }),
      SKIP_REASONS_FILE: skipsFile,
    },
  });
  const output: Buffer[] = [];
  child.stdout?.on('data', (data: Buffer) => output.push(data));
  child.stderr?.on('data', (data: Buffer) => output.push(data));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (runtime) console.log(`\nServers on ${runtime}:\n${Buffer.concat(output).toString()}`);
  const xml = existsSync(outfile) ? readFileSync(outfile, 'utf8') : '';
  const count = (name: string) =>
    Number(new RegExp(`<testsuites [^>]* ${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
  const failures = [
    ...xml.matchAll(/<testcase name="([^"]*)"[^>]* file="([^"]*)"[^>]*[^/]>\s*<(?:failure|error)/g),
  ].map(([, name = '', file = '']) => ({ file, name: unescaped(name) }));
  // A file that ended its process or could not be loaded; with options, files may rightly report nothing.
  const silent = some.filter((file) => options.length === 0 && !xml.includes(` file="${file}"`));
  failures.push(...silent.map((file) => ({ file, name: 'reported no result' })));
  const failed = count('failures') + silent.length;
  return {
    passed: count('tests') - count('failures') - count('skipped'),
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: count('skipped'),
    failures,
  };
}

function unescaped(xml: string): string {
  const marks: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return xml.replaceAll(/&(\w+);/g, (entity, mark) => marks[mark] ?? entity);
}

function summarise(): void {
  const list = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0)
      console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  };
  const reasons = existsSync(skipsFile) ? readFileSync(skipsFile, 'utf8').trim().split('\n') : [];
  list(CI ? 'Skipped, which no test may be in CI' : 'Skipped', [...new Set(reasons)]);
  list('Flaky: failed, and passed when run again', flaky);
  list('Failed', failures);
  console.log(
    `\n${files.length + onDeno.length} files, ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  const { passed, failed, skipped } = total;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  if (failed > 0 || passed === 0 || (CI && skipped > 0)) process.exitCode = 1;
}
