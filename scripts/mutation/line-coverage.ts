/**
 * Line coverage by test file: the test files that run a given line. Each test file runs by itself with coverage; its
 * result is kept under node_modules/.cache until the file, another file of tests that it loads or a source file with
 * faults changes.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';

/**
 * A source file that a test loads: the checksum of its text, and the number of executions of each
 * line of code.
 */
interface FileLines {
  sum: string;
  run: readonly number[];
  missed: readonly number[];
}

/** What one test file runs, by the path of the source file. */
type Coverage = Record<string, FileLines>;

/** What to measure. */
interface ToMeasure {
  /** Folder of the checkout. */
  root: string;
  /** Paths of test files, relative to `root`. */
  tests: readonly string[];
  /** The source files whose lines matter. A change to another one leaves results valid. */
  paths: ReadonlySet<string>;
  /** How many run side by side. */
  atOnce: number;
}

/** The tests that run a line, by the lines of all source files. */
export class LineCoverage {
  readonly #byTest: ReadonlyMap<string, Coverage>;

  /** @param byTest what each test file runs */
  private constructor(byTest: ReadonlyMap<string, Coverage>) {
    this.#byTest = new Map([...byTest].toSorted(([, a], [, b]) => linesRun(a) - linesRun(b)));
  }

  /**
   * Measures test files that have no valid result yet.
   * @param report called after each measured file with the number measured and left
   */
  static async of(
    { root, tests, paths, atOnce }: ToMeasure,
    report: (done: number, left: number) => void,
  ): Promise<LineCoverage> {
    const sums = new Map<string, string>();
    const sumOf = (path: string): string => {
      const known = sums.get(path) ?? sumOfFile(join(root, path));
      sums.set(path, known);
      return known;
    };
    const kept = join(root, 'node_modules/.cache/line-coverage');
    mkdirSync(kept, { recursive: true });
    const byTest = new Map<string, Coverage>();
    const isValid = (coverage: Coverage): boolean =>
      Object.entries(coverage)
        .filter(([path]) => path.startsWith('test/') || paths.has(path))
        .every(([path, { sum }]) => sum === sumOf(path));
    const limit = pLimit(atOnce);
    let done = 0;
    const measure = async (test: string): Promise<void> => {
      const file = join(kept, `${createHash('sha256').update(test).digest('hex')}.json`);
      const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Coverage) : {};
      if (test in before && isValid(before)) {
        byTest.set(test, before);
        return;
      }
      const lines = await limit(() => linesRunBy(root, test));
      const coverage: Coverage = { [test]: { sum: sumOf(test), run: [], missed: [] } };
      for (const [path, of] of lines) coverage[path] = { sum: sumOf(path), ...of };
      writeFileSync(file, JSON.stringify(coverage));
      byTest.set(test, coverage);
      report((done += 1), limit.activeCount + limit.pendingCount);
    };
    await Promise.all(tests.map(measure));
    return new LineCoverage(byTest);
  }

  /**
   * The tests that run a line. Where no test has a record of the line, such as in the middle of an
   * expression, those of the nearest recorded line above it. Tests that run fewer lines in all come
   * first: they are the most likely to be about this one.
   */
  testsOf(path: string, line: number): string[] {
    const files = [...this.#byTest].flatMap(([test, coverage]) => {
      const lines = coverage[path];
      return lines && !path.startsWith('test/') ? [{ test, lines }] : [];
    });
    const recorded = new Set(files.flatMap(({ lines }) => [...lines.run, ...lines.missed]));
    const nearest = Math.max(...[...recorded].filter((at) => at <= line));
    // Code above the first recorded line runs when the file is loaded.
    if (!recorded.has(nearest)) return files.map(({ test }) => test);
    return files.filter(({ lines }) => lines.run.includes(nearest)).map(({ test }) => test);
  }

  /** The tests that load a file. */
  testsLoading(path: string): string[] {
    return [...this.#byTest].flatMap(([test, coverage]) => (path in coverage ? [test] : []));
  }
}

function linesRun(coverage: Coverage): number {
  return Object.values(coverage).reduce((total, { run }) => total + run.length, 0);
}

function sumOfFile(path: string): string {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
}

/** Runs a test file with coverage and reads the lines of each source file from its report. */
async function linesRunBy(
  root: string,
  test: string,
): Promise<Map<string, Pick<FileLines, 'run' | 'missed'>>> {
  const folder = mkdtempSync(join(tmpdir(), 'captioner-coverage-'));
  const options = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`];
  try {
    const child = spawn(
      process.execPath,
      ['test', ...options, '--timeout=300000', '--no-orphans', `./${test}`],
      { cwd: root, stdio: 'ignore' },
    );
    await new Promise((resolve) => {
      child.once('close', resolve);
    });
    const report = join(folder, 'lcov.info');
    return existsSync(report) ? readLcov(readFileSync(report, 'utf8')) : new Map();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Reads the lines from a report in the format of lcov.
 * @example
 * readLcov('SF:a.ts\nDA:1,2\nDA:3,0\nend_of_record\n').get('a.ts')
 * // { run: [1], missed: [3] }
 */
export function readLcov(report: string): Map<string, { run: number[]; missed: number[] }> {
  const files = new Map<string, { run: number[]; missed: number[] }>();
  for (const record of report.split('end_of_record')) {
    const path = /^SF:(.+)$/m.exec(record)?.[1];
    if (path === undefined) continue;
    const lines = { run: [] as number[], missed: [] as number[] };
    for (const [, line, runs] of record.matchAll(/^DA:(\d+),(\d+)/gm)) {
      (runs === '0' ? lines.missed : lines.run).push(Number(line));
    }
    files.set(path, lines);
  }
  return files;
}
