/**
 * Mutation testing: puts small faults into the program, one at a time, and reports which of them
 * the quick tests notice: `npm run test:mutate -- [--count 40] [--seed N] [--least 85] [--tests
 * ...] [--whole] [path ...]`.
 *
 * Works on copies of the checkout, including uncommitted changes. Only tests that run the faulty line
 * can notice a fault, so these alone run. Which tests run which lines is measured first, which takes
 * minutes, and kept for the next time.
 *
 * At first, a test file runs in one process that has all faults in it and switches on one after the
 * other: for each fault those in the folder that mirrors the faulty file's, because they notice most,
 * and a few others. What remains is put into a copy alone and tried against all tests that run its
 * line, in their own processes: faults that other tests notice, and those in code that runs while the
 * program loads, in worker threads and in child processes. With `--whole`, a fault that none of them
 * notices is tried against the whole quick tier.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutationsOf, type Mutation } from './mutation/mutations.ts';
import { passes } from './mutation/limited-tests.ts';
import { LineCoverage } from './mutation/line-coverage.ts';
import { trySwitched, type SwitchSettings } from './mutation/switched-tests.ts';
import { TIERS } from './test-tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The most test files in other folders that try a fault behind a switch. */
const MAX_SWITCHED = 6;

const HELP = `Puts small faults into the program and reports which the quick tests notice.

  npm run test:mutate -- [options] [path ...]

  path            files or folders to put faults into (default: server web)
  --count N       the number of faults, spread over the files by their length (default 40)
  --seed N        the seed of the draw; it is printed, so that a run can be repeated
  --slice K/N     only the Kth of N equal parts of the draw, to divide a long one
  --at-once N     the number of test files that run in parallel (default 2)
  --tests PATHS   runs these tests, separated by commas, instead of all that run the faulty line
  --whole         tests faults that those tests do not notice with the whole quick tier
  --least N       fails if fewer than N percent are noticed (default 0)
  --help          prints this`;

interface Mutant extends Mutation {
  id: number;
  path: string;
  line: number;
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
const mutants = pick(listMutants(positionals.length > 0 ? positionals : ['server', 'web']))
  .filter((_, at) => at % slices === slice - 1)
  .map((fault, id): Mutant => ({ ...fault, id }));
console.log(`${mutants.length} faults, seed ${seed}`);
const quickTests = TIERS['quick']!.files(
  git(root, ['ls-files', '-co', '--exclude-standard', '--', 'test'])
    .split('\n')
    .filter((path) => path.endsWith('.test.ts')),
);

const coverage = values.tests
  ? undefined
  : await LineCoverage.of(root, quickTests, Number(values['at-once']), (measured, left) => {
      if (measured % 20 === 0) console.log(`${measured} tests measured, ${left} left`);
    });

/** The faults that no test has noticed. */
const left = new Set(mutants);
const copies = Array.from({ length: Number(values['at-once']) }, copyOfCheckout);
try {
  await trySwitchedIn(copies, true);
  await trySwitchedIn(copies, false, MAX_SWITCHED);
  // One at a time: the command that runs the tests of a fault starts parallel processes itself.
  await tryAloneIn(copies[0]!, [...left]);
} finally {
  for (const copy of copies) removeCopy(copy);
}

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
      }));
    });
}

/** Draws the wanted number without replacement, reproducibly by the seed. */
function pick<T>(all: readonly T[]): T[] {
  const random = randomNumbers(seed);
  const rest = [...all];
  const drawn: T[] = [];
  while (drawn.length < Number(values.count) && rest.length > 0) {
    drawn.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return drawn;
}

/** Mulberry32: numbers in [0, 1), reproducible by the seed. */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes a copy of the checkout, with its uncommitted changes and new files. */
function copyOfCheckout(): string {
  const parent = mkdtempSync(join(tmpdir(), 'captioner-mutants-'));
  const copy = join(parent, 'captioner');
  const commit = git(root, ['stash', 'create']).trim() || 'HEAD';
  git(root, ['worktree', 'add', '--quiet', '--detach', copy, commit]);
  const added = git(root, ['ls-files', '-o', '--exclude-standard', '-z']).split('\0');
  for (const path of added) if (path !== '') cpSync(join(root, path), join(copy, path));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  symlinkSync(join(root, '../shared'), join(parent, 'shared'));
  return copy;
}

function removeCopy(copy: string): void {
  git(root, ['worktree', 'remove', '--force', copy]);
  rmSync(dirname(copy), { recursive: true, force: true });
}

/** The tests that run the line of a fault: those in the mirroring folder, or the others. */
function testsOf({ path, line }: Mutant, areNear: boolean): string[] {
  const near = `test/${dirname(path).replace(/^server\//, '')}/`;
  const those = coverage?.testsOf(path, line) ?? values.tests?.split(',') ?? [];
  return those.filter((test) => test.startsWith(near) === areNear);
}

/**
 * Runs each test file with the faults of its lines behind switches.
 * @param maxTests the most test files for one fault
 */
async function trySwitchedIn(
  copies: readonly string[],
  areNear: boolean,
  maxTests = Infinity,
): Promise<void> {
  const byTest = new Map<string, Mutant[]>();
  for (const mutant of left) {
    for (const test of testsOf(mutant, areNear).slice(0, maxTests)) {
      byTest.set(test, [...(byTest.get(test) ?? []), mutant]);
    }
  }
  const queue = byTest.entries();
  const work = async (copy: string): Promise<void> => {
    for (const [test, those] of queue) {
      const settings: SwitchSettings = { faults: {}, count: mutants.length };
      for (const mutant of those) {
        if (left.has(mutant)) (settings.faults[mutant.path] ??= []).push(mutant);
      }
      const isLeft = (id: number): boolean => left.has(mutants[id]!);
      await trySwitched(copy, test, settings, isLeft, (id) => {
        left.delete(mutants[id]!);
        console.log(`noticed  ${placeOf(mutants[id]!)}  by ${test}, ${left.size} left`);
      });
    }
  };
  await Promise.all(copies.map(work));
}

/** Puts faults into the files of a copy, one at a time, and runs their tests. */
async function tryAloneIn(copy: string, queue: Iterable<Mutant>): Promise<void> {
  for (const mutant of queue) {
    const original = readFileSync(join(copy, mutant.path), 'utf8');
    const { start, end, replacement } = mutant;
    const changed = original.slice(0, start) + replacement + original.slice(end);
    writeFileSync(join(copy, mutant.path), changed);
    const unnoticed = await goesUnnoticed(copy, mutant);
    if (!unnoticed) left.delete(mutant);
    writeFileSync(join(copy, mutant.path), original);
    console.log(`${unnoticed ? 'UNNOTICED' : 'noticed'}  ${placeOf(mutant)}`);
  }
}

/** Whether no test notices the fault in a copy. */
async function goesUnnoticed(copy: string, mutant: Mutant): Promise<boolean> {
  for (const areNear of [true, false]) {
    const tests = testsOf(mutant, areNear);
    if (tests.length > 0 && !(await passes(copy, tests))) return false;
  }
  return !values.whole || passes(copy, []);
}

function placeOf({ path, line }: Mutant): string {
  return `${path}:${line}`;
}

function describe(mutant: Mutant): string {
  const { path, kind, start, end, replacement } = mutant;
  const before = readFileSync(join(root, path), 'utf8').slice(start, end);
  return `${placeOf(mutant)} (${kind})\n  - ${oneLine(before)}\n  + ${oneLine(replacement) || '(nothing)'}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

function git(cwd: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
