import { describe, expect, test } from 'bun:test';
import { mutationsOf } from '../../scripts/mutation/mutations.ts';
import { readLcov } from '../../scripts/mutation/line-coverage.ts';

describe('faults', () => {
  test('are generated one at a time, of kinds that people make', () => {
    const source = 'if (open && seconds < LIMIT) await close({ force });';
    const faulty = mutationsOf('a.ts', source).map(
      ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
    );
    expect(faulty).toContain('if (open && seconds <= LIMIT) await close({ force });');
    expect(faulty).toContain('if (seconds < LIMIT) await close({ force });');
    expect(faulty).toContain('if (false) await close({ force });');
    expect(faulty).toContain('if (open && seconds < LIMIT) close({ force });');
    expect(faulty).toContain('if (open && seconds < LIMIT) await close({  });');
    expect(new Set(faulty).size).toBe(faulty.length);
  });

  test('do not change log lines and types', () => {
    expect(mutationsOf('a.ts', "log.info('started');")).toEqual([]);
    expect(mutationsOf('a.ts', 'type A = { b: 3 } | false;')).toEqual([]);
  });
});

test('coverage distinguishes executed lines from others, by file', () => {
  const report = [
    'TN:\nSF:server/a.ts\nFNF:1\nDA:1,2\nDA:3,0\nLF:2\nend_of_record',
    'TN:\nSF:server/b.ts\nDA:10,41\nend_of_record\n',
  ].join('\n');
  expect([...readLcov(report)]).toEqual([
    ['server/a.ts', { run: [1], missed: [3] }],
    ['server/b.ts', { run: [10], missed: [] }],
  ]);
});
