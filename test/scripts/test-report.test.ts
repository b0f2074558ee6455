/** The report of the test runner, and which files are quick. */
import { expect, test } from 'bun:test';
import { readReport, withoutFiles } from '../../scripts/test-report.ts';
import { isBlackBox, TIERS } from '../../scripts/test-tiers.ts';

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="6" assertions="9" failures="2" skipped="1" time="2.5">
  <testsuite name="test/a.test.ts" file="test/a.test.ts" tests="4" assertions="5" failures="1" skipped="1" time="1.5">
    <testsuite name="a &amp; b" file="test/a.test.ts" tests="2" failures="1" skipped="0" time="0.5">
      <testcase name="it is &quot;2&quot; &amp; &#955;&unknown;" file="test/a.test.ts" time="0.1">
        <failure type="AssertionError" />
      </testcase>
      <testcase name="fine" file="test/a.test.ts" time="0.1" />
    </testsuite>
    <testcase name="later" file="test/a.test.ts" time="0">
      <skipped />
    </testcase>
  </testsuite>
  <testsuite name="test/b.test.ts" file="test/b.test.ts" tests="2" assertions="4" failures="1" skipped="0" time="1">
    <testcase name="broken" file="test/b.test.ts" time="0.1">
      <error type="Error" />
    </testcase>
  </testsuite>
</testsuites>`;

const a = { path: 'test/a.test.ts', passed: 2, failed: 1, skipped: 1, seconds: 1.5 };
const b = { path: 'test/b.test.ts', passed: 1, failed: 1, skipped: 0, seconds: 1 };
const failures = ['test/a.test.ts: it is "2" & λ&unknown;', 'test/b.test.ts: broken'];

test('a report counts the tests of all files, of each file, and names those that failed', () => {
  const report = readReport(XML);
  expect(report).toEqual({ passed: 3, failed: 2, skipped: 1, files: [a, b], failures });
  expect(readReport('')).toEqual({ passed: 0, failed: 0, skipped: 0, files: [], failures: [] });
});

test('files that run once more are taken out of a report', () => {
  const report = withoutFiles(readReport(XML), ['test/a.test.ts', 'test/c.test.ts']);
  expect(report).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    files: [b],
    failures: [failures[1]!],
  });
});

test.each([
  ['test/captions/build.test.ts', true],
  ['test/scripts/command-line.test.ts', true],
  ['test/blackbox/tenancy.test.ts', true],
  ['test/slow/blackbox/job.test.ts', false],
])('%s is quick: %p', (file, isQuick) => {
  expect(TIERS['quick']?.files([file])).toEqual(isQuick ? [file] : []);
});

test('the black-box tests are those in their folder', () => {
  expect(
    ['test/slow/blackbox/job.test.ts', 'test/http/blackbox/a.test.ts'].map(isBlackBox),
  ).toEqual([true, false]);
});

test('long runs repeat fuzzing and chaos eight times', () => {
  const files = [
    'test/slow/blackbox/chaos.test.ts',
    'test/slow/hostile/leaks.test.ts',
    'test/once.test.ts',
  ];
  expect(TIERS['soak']?.files(files)).toEqual(files.slice(0, 2));
  expect(TIERS['soak']?.env).toEqual({ FUZZ: '8' });
});
