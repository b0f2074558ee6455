/**
 * Mutation testing: puts small faults into the program, one at a time, and reports which of them
 * the quick tests notice: `npm run test:mutate -- [--count 40] [--seed N] [--least 85] [--tests
 * ...] [--whole] [path ...]`.
 *
 * Works on copies of the checkout, including uncommitted changes. Only tests that run the faulty line
 * can notice a fault, so these alone run: first those in the folder that mirrors the faulty file's,
 * because they notice most. Which tests run which lines is measured first, which takes minutes, and
 * kept for the next time. With `--whole`, a fault that none of them notices is tried against the
 * whole quick tier.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutationsOf, type Mutation } from './mutation/mutations.ts';
import { passes } from './mutation/limited-tests.ts';
import { LineCoverage } from './mutation/line-coverage.ts';
import { TIERS } from './test-tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const HELP = `Puts small faults into the program and reports which the quick tests notice.

  npm run test:mutate -- [options] [path ...]

  path            files or folders to put faults into (default: server web)
  --count N       the number of faults, spread over the files by their length (default 40)
  --seed N        the seed of the draw; it is printed, so that a run can be repeated
  --slice K/N     only the Kth of N equal parts of the draw, to divide a long one
  --at-once N     the number of copies of the checkout that are tested in parallel (default 2)
  --tests PATHS   runs these tests, separated by commas, instead of all that run the faulty line
  --whole         tests faults that those tests do not notice with the whole quick tier
  --least N       fails if fewer than N percent are noticed (default 0)
  --help          prints this`;

interface Mutant extends Mutation {
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
const mutants = pick(listMutants(positionals.length > 0 ? positionals : ['server', 'web'])).filter(
  (_, at) => at % slices === slice - 1,
);
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

const survivors: Mutant[] = [];
const queue = mutants.values();
let done = 0;
await Promise.all(Array.from({ length: Number(values['at-once']) }, () => testInCopy(queue)));

const noticed = mutants.length - survivors.length;
const share = mutants.length > 0 ? (100 * noticed) / mutants.length : 100;
for (const mutant of survivors) console.log(`\nUnnoticed: ${describe(mutant)}`);
console.log(`\n${noticed} of ${mutants.length} noticed (${share.toFixed(0)} %), seed ${seed}`);
process.exit(share >= Number(values.least) ? 0 : 1);

/** All possible faults in the files of some paths. */
function listMutants(paths: readonly string[]): Mutant[] {
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
function pick(all: Mutant[]): Mutant[] {
  const random = randomNumbers(seed);
  const rest = [...all];
  const drawn: Mutant[] = [];
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

/** Tests mutants one after the other in a copy of the checkout, which is removed at the end. */
async function testInCopy(mutantsLeft: Iterable<Mutant>): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'captioner-mutants-'));
  const copy = join(parent, 'captioner');
  const commit = git(root, ['stash', 'create']).trim() || 'HEAD';
  git(root, ['worktree', 'add', '--quiet', '--detach', copy, commit]);
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  symlinkSync(join(root, '../shared'), join(parent, 'shared'));
  try {
    for (const mutant of mutantsLeft) {
      const original = readFileSync(join(copy, mutant.path), 'utf8');
      const { start, end, replacement } = mutant;
      const changed = original.slice(0, start) + replacement + original.slice(end);
      writeFileSync(join(copy, mutant.path), changed);
      const unnoticed = await goesUnnoticed(copy, mutant);
      if (unnoticed) survivors.push(mutant);
      writeFileSync(join(copy, mutant.path), original);
      done += 1;
      const outcome = unnoticed ? 'UNNOTICED' : 'noticed';
      console.log(`${done}/${mutants.length} ${outcome}  ${mutant.path}:${mutant.line}`);
    }
  } finally {
    git(root, ['worktree', 'remove', '--force', copy]);
    rmSync(parent, { recursive: true, force: true });
  }
}

/**
 * Whether no test notices the fault in a copy: first those of the mirroring folder that run its line,
 * then the others that do.
 */
async function goesUnnoticed(copy: string, { path, line }: Mutant): Promise<boolean> {
  const near = `test/${dirname(path).replace(/^server\//, '')}/`;
  const those = coverage?.testsOf(path, line) ?? values.tests?.split(',') ?? [];
  const rounds = [
    those.filter((test) => test.startsWith(near)),
    those.filter((test) => !test.startsWith(near)),
  ];
  for (const round of rounds) if (round.length > 0 && !(await passes(copy, round))) return false;
  return !values.whole || passes(copy, []);
}

function describe({ path, line, kind, start, end, replacement }: Mutant): string {
  const before = readFileSync(join(root, path), 'utf8').slice(start, end);
  return `${path}:${line} (${kind})\n  - ${oneLine(before)}\n  + ${oneLine(replacement) || '(nothing)'}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

function git(cwd: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
