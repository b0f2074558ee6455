import { expect, test } from 'bun:test';
import { createLog, type LogLevel } from '../server/log.ts';

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
