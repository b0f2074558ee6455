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

  test('take away from queries, calls, lists, patterns and blocks what can be left out', () => {
    const faulty = (source: string) =>
      mutationsOf('a.ts', source).map(
        ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
      );
    expect(faulty("find.where('a', '=', b).orderBy('c')")).toContain("find.where('a', '=', b)");
    expect(faulty("find.where('a', '=', b).orderBy('c')")).toContain("find.orderBy('c')");
    expect(faulty('db.transaction().execute(async (t) => work(t))')).toContain(
      '(async (t) => work(t))(db)',
    );
    expect(faulty('was = move(from, to);').slice(1)).toEqual([
      'was = move(to, from);',
      'was = move(from);',
    ]);
    expect(faulty('was = ask({ url: at(1), signal: own.signal });').slice(1)).toEqual([
      'was = ask({  signal: own.signal });',
      'was = ask({ url: at(1),  });',
    ]);
    expect(faulty("const own = ['a', 'b'];")).toEqual([
      "const own = [ 'b'];",
      "const own = ['a', ];",
    ]);
    expect(faulty('const whole = /^a$/;')).toEqual(['const whole = /a$/;', 'const whole = /^a/;']);
    expect(faulty('for (;;) if (a) { b = 1; break; }')).toContain('for (;;) if (a) { b = 1;  }');
  });

  test('move a bound by one, by a factor of four and of ten, and open a private file', () => {
    expect(
      mutationsOf('a.ts', 'const mode = 0o600;').map(({ replacement }) => replacement),
    ).toEqual(['0o600 * 4', '0o600 * 10', '(0o600 + 1)', '0o644']);
  });

  test('leave log lines, types and the names of properties alone', () => {
    expect(mutationsOf('a.ts', '({ 200: answer() });')).toHaveLength(1);
    expect(mutationsOf('a.ts', "log.info('started', { after: 3 * seconds });")).toEqual([]);
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
