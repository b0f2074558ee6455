/**
 * Mutation testing: puts small faults into the program, one at a time, and reports which of them
 * the quick tests notice: `npm run test:mutate -- [--count 40] [--seed N] [--least 85] [--tests
 * ...] [--whole] [path ...]`.
 *
 * Works on copies of the checkout, including uncommitted changes. Only tests that run the faulty line
 * can notice a fault, so these alone run. Which tests run which lines is measured first, which takes
 * minutes, and kept for the next time.
 *
 * At first, each test file runs in one process that contains all its faults and switches them on one
 * after the other. A fault is tried by a few tests in the folder that mirrors the faulty file's, because
 * they notice most, and by a few others. Each fault that survives is then put into a copy alone, and all
 * tests that run its line are tried against it, in their own processes. That finds faults that other tests
 * notice, and faults in code that runs while the program loads, in worker threads or in child processes. A
 * test that also fails without the fault does not count. With `--whole`, a fault that none of these tests
 * notices is tried against the whole quick tier.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyOf, git, removeCopy } from './mutation/copies.ts';
import { draw } from './mutation/draw.ts';
import { mutationsOf, type Mutation } from './mutation/mutations.ts';
import { failuresOf } from './mutation/limited-tests.ts';
import { LineCoverage } from './mutation/line-coverage.ts';
import { trySwitched, type SwitchSettings } from './mutation/switched-tests.ts';
import { TIERS } from './test-tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The most test files in the mirroring folder, and then in others, that try a fault behind a switch. */
const MAX_SWITCHED = 8;

/** The most test files in other folders that try a fault alone before all others do. */
const MAX_FIRST = 24;

const HELP = `Puts small faults into the program and reports which the quick tests notice.

  npm run test:mutate -- [options] [path ...]

  path            files or folders to put faults into (default: server web)
  --count N       the number of faults, spread over the files by their length (default 40)
  --seed N        the seed of the draw; it is printed, so that a run can be repeated
  --slice K/N     only the Kth of N equal parts of the draw, to divide a long one
  --at-once N     the number of test files that run in parallel (default 2)
  --tests PATHS   runs these tests, separated by commas, instead of all that run the faulty line
  --whole         runs the whole quick tier for each fault that those tests do not notice
  --least N       fails if fewer than N percent are noticed (default 0)
  --help          prints this`;

interface Mutant extends Mutation {
  id: number;
  path: string;
  line: number;
  /** The text that it replaces. */
  original: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string' },
    slice: { type: 'string', default: '1/1' },
    'at-once': { type: 'string', default: '2' },
    tests: { type: 'string' },
    whole: { type: 'boolean', default: false },
    least: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const [slice = 1, slices = 1] = values.slice.split('/').map(Number);
const mutants = draw(
  listMutants(positionals.length > 0 ? positionals : ['server', 'web']),
  Number(values.count),
  seed,
)
  .filter((_, at) => at % slices === slice - 1)
  .map((fault, id): Mutant => ({ ...fault, id }));
console.log(`${mutants.length} faults, seed ${seed}`);
const quickTests = TIERS['quick']!.files(
  git(root, ['ls-files', '-co', '--exclude-standard', '--', 'test'])
    .split('\n')
    .filter((path) => path.endsWith('.test.ts')),
);

/** The faults that no test has noticed. */
const left = new Set(mutants);
const copies = Array.from({ length: Number(values['at-once']) }, () => copyOf(root));
process.once('exit', () => {
  for (const copy of copies) removeCopy(root, copy);
});
const coverage = values.tests ? undefined : await measureCoverage();
await trySwitchedIn(copies, true);
await trySwitchedIn(copies, false);
// One at a time: the command that runs the tests of a fault starts parallel processes itself.
await tryAloneIn(copies[0]!, [...left]);

const noticed = mutants.length - left.size;
const share = mutants.length > 0 ? (100 * noticed) / mutants.length : 100;
for (const mutant of left) console.log(`\nUnnoticed: ${describe(mutant)}`);
console.log(`\n${noticed} of ${mutants.length} noticed (${share.toFixed(0)}%), seed ${seed}`);
process.exit(share >= Number(values.least) ? 0 : 1);

/** All possible faults in the files of some paths. */
function listMutants(paths: readonly string[]): Omit<Mutant, 'id'>[] {
  const listed = git(root, ['ls-files', '-co', '--exclude-standard', '--', ...paths]);
  return listed
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path) && !/\.d\.ts$|\/migrations\/|^test\//.test(path))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      return mutationsOf(path, source).map((fault) => ({
        ...fault,
        path,
        line: source.slice(0, fault.start).split('\n').length,
        original: source.slice(fault.start, fault.end),
      }));
    });
}

/** Measures, in a copy, which quick tests run which lines of the files with faults. */
function measureCoverage(): Promise<LineCoverage> {
  const paths = new Set(mutants.map(({ path }) => path));
  return LineCoverage.of(
    { root: copies[0]!, tests: quickTests, paths, atOnce: copies.length },
    (measured, left) => {
      if (measured % 20 === 0) console.log(`${measured} tests measured, ${left} left`);
    },
  );
}

/** The folder of tests that mirrors that of a file. */
function folderOf(path: string): string {
  return `test/${dirname(path).replace(/^server\//, '')}/`;
}

/** Tests that may run the line of a fault in a child process or a thread, where it is not measured. */
function testsBeside({ path }: Mutant): string[] {
  if (!coverage) return [];
  const near = quickTests.filter((test) => test.startsWith(folderOf(path)));
  return [...near, ...coverage.testsLoading('test/support/servers/test-server.ts')];
}

/** The tests that run the line of a fault: those in the mirroring folder, or the others. */
function testsOf({ path, line }: Mutant, areNear: boolean): string[] {
  const near = folderOf(path);
  const those = coverage?.testsOf(path, line) ?? values.tests?.split(',') ?? [];
  return those.filter((test) => test.startsWith(near) === areNear);
}

/** Runs test files with the faults of their lines behind switches: the most specific ones for each fault. */
async function trySwitchedIn(copies: readonly string[], areNear: boolean): Promise<void> {
  const byTest = new Map<string, Mutant[]>();
  for (const mutant of left) {
    for (const test of testsOf(mutant, areNear).slice(0, MAX_SWITCHED)) {
      byTest.set(test, [...(byTest.get(test) ?? []), mutant]);
    }
  }
  const queue = byTest.entries();
  const work = async (copy: string): Promise<void> => {
    for (const [test, those] of queue) {
      const open = those.filter((mutant) => left.has(mutant));
      if (open.length === 0) continue;
      const settings: SwitchSettings = { faults: {}, count: mutants.length };
      for (const mutant of open) (settings.faults[mutant.path] ??= []).push(mutant);
      const isLeft = (id: number): boolean => left.has(mutants[id]!);
      await trySwitched(copy, test, settings, isLeft, (id) => {
        left.delete(mutants[id]!);
        console.log(noticeOf(mutants[id]!, test));
      });
    }
  };
  await Promise.all(copies.map(work));
}

/** Tries faults in a copy, one at a time, with their tests. */
async function tryAloneIn(copy: string, queue: Iterable<Mutant>): Promise<void> {
  for (const mutant of queue) {
    const by = await noticedBy(copy, mutant);
    if (by !== null) left.delete(mutant);
    console.log(by === null ? `UNNOTICED  ${placeOf(mutant)}` : noticeOf(mutant, by));
  }
}

/** The test that notices a fault in a copy; null if none does. */
async function noticedBy(copy: string, mutant: Mutant): Promise<string | null> {
  const [near, others] = [testsOf(mutant, true), testsOf(mutant, false)];
  const unmeasured = new Set(testsBeside(mutant)).difference(new Set([...near, ...others]));
  const groups = [near, others.slice(0, MAX_FIRST), others.slice(MAX_FIRST), [...unmeasured]];
  for (const group of groups) {
    let tests = group;
    while (tests.length > 0) {
      const failed = await failuresWith(copy, mutant, tests);
      if (!failed) break;
      // A test that also fails without the fault says nothing about it.
      if (!(await failuresOf(copy, failed))) return failed[0]!;
      tests = tests.filter((test) => !failed.includes(test));
    }
  }
  return values.whole && (await failuresWith(copy, mutant, [])) ? 'all quick tests' : null;
}

/** Runs tests with a fault in the copy. */
async function failuresWith(copy: string, mutant: Mutant, tests: readonly string[]) {
  const file = join(copy, mutant.path);
  const whole = readFileSync(file, 'utf8');
  const { start, end, replacement } = mutant;
  writeFileSync(file, whole.slice(0, start) + replacement + whole.slice(end));
  const failed = await failuresOf(copy, tests);
  writeFileSync(file, whole);
  return failed;
}

function noticeOf(mutant: Mutant, test: string): string {
  return `noticed  ${placeOf(mutant)}  by ${test}, ${left.size} left`;
}

function placeOf({ path, line }: Mutant): string {
  return `${path}:${line}`;
}

function describe(mutant: Mutant): string {
  const { kind, original, replacement } = mutant;
  return `${placeOf(mutant)} (${kind})\n  - ${oneLine(original)}\n  + ${oneLine(replacement) || '(nothing)'}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}
