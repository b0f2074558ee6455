/** Reads the JUnit report that `bun test` writes. */

export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  files: { path: string; seconds: number }[];
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
  const tests = numberOf(head, 'tests');
  const failed = numberOf(head, 'failures');
  const skipped = numberOf(head, 'skipped');
  // The suites of files are indented by two spaces, nested suites by more.
  const files = [...xml.matchAll(/^ {2}<testsuite [^>]*>/gm)].map(([tag]) => ({
    path: textOf(tag, 'file'),
    seconds: numberOf(tag, 'time'),
  }));
  const failures = [...xml.matchAll(/(<testcase [^>]*[^/])>\s*<(?:failure|error)\b/g)].map(
    ([, tag = '']) => `${textOf(tag, 'file')}: ${textOf(tag, 'name')}`,
  );
  return { passed: tests - failed - skipped, failed, skipped, files, failures };
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
