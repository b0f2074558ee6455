/** Reads the JUnit report that `bun test` writes. */

/** The number of tests by outcome. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Report extends Counts {
  files: (Counts & { path: string; seconds: number })[];
  /** The file and name of each test that failed. */
  failures: string[];
}

/**
 * Counts the tests of a report, and how long each file took.
 * @example
 * readReport('<testsuites tests="3" failures="1" skipped="1">…').passed // 1
 */
export function readReport(xml: string): Report {
  const head = /<testsuites [^>]*>/.exec(xml)?.[0] ?? '';
  // The suites of files are indented by two spaces, nested suites by more.
  const files = [...xml.matchAll(/^ {2}<testsuite [^>]*>/gm)].map(([tag]) => ({
    ...countsOf(tag),
    path: textOf(tag, 'file'),
    seconds: numberOf(tag, 'time'),
  }));
  const failures = [...xml.matchAll(/(<testcase [^>]*[^/])>\s*<(?:failure|error)\b/g)].map(
    ([, tag = '']) => `${textOf(tag, 'file')}: ${textOf(tag, 'name')}`,
  );
  return { ...countsOf(head), files, failures };
}

function countsOf(tag: string): Counts {
  const [failed, skipped] = [numberOf(tag, 'failures'), numberOf(tag, 'skipped')];
  return { passed: numberOf(tag, 'tests') - failed - skipped, failed, skipped };
}

/** A report without some of its files. */
export function withoutFiles(report: Report, paths: readonly string[]): Report {
  const removed = report.files.filter(({ path }) => paths.includes(path));
  const left = (field: keyof Counts): number =>
    removed.reduce((count, file) => count - file[field], report[field]);
  return {
    passed: left('passed'),
    failed: left('failed'),
    skipped: left('skipped'),
    files: report.files.filter((file) => !removed.includes(file)),
    failures: report.failures.filter((line) => !paths.some((path) => line.startsWith(`${path}:`))),
  };
}

const numberOf = (tag: string, name: string): number =>
  Number(new RegExp(` ${name}="([0-9.]+)"`).exec(tag)?.[1] ?? 0);

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const textOf = (tag: string, name: string): string =>
  (new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replace(
    /&(?:#(\d+)|(\w+));/g,
    (entity, code, word) =>
      code ? String.fromCodePoint(Number(code)) : (ENTITIES[word] ?? entity),
  );
