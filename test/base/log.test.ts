import { expect, test } from 'bun:test';
import { createLog, withLogFields, type LogLevel } from '../../server/base/log.ts';

test.each<[LogLevel, string[]]>([
  ['debug', ['debug', 'info', 'warn', 'error', 'audit']],
  ['warn', ['warn', 'error', 'audit']],
  ['error', ['error', 'audit']],
  ['audit', ['audit']],
  ['silent', []],
])('at level %s it writes %j', (level, written) => {
  const lines: string[] = [];
  const log = createLog(level, (line) => void lines.push(line));
  for (const name of ['debug', 'info', 'warn', 'error', 'audit'] as const)
    log[name]('it', { a: 1 });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(written);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({ event: 'it', a: 1, time: expect.any(String) });
  }
});

test('a line has the fields of its log, of the work in progress and of its own, which count most', async () => {
  const lines: string[] = [];
  const log = createLog('info', (line) => void lines.push(line)).with({ a: 1, b: 1, c: 1 });
  await withLogFields({ b: 2, c: 2 }, async () => {
    await Promise.resolve();
    log.with({ d: 4 }).info('it', { c: 3 });
  });
  log.info('it');
  const fields = lines.map((line) => JSON.parse(line));
  expect(fields[0]).toMatchObject({ a: 1, b: 2, c: 3, d: 4 });
  expect(fields[1]).toMatchObject({ a: 1, b: 1, c: 1 });
  expect(fields[1]).not.toHaveProperty('d');
});
