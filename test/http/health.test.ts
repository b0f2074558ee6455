/** The health check of a dependency that does not respond. */
import { expect, spyOn, test } from 'bun:test';
import { healthOf } from '../../server/http/health.ts';
import { createLog } from '../../server/log.ts';

test('a dependency that does not respond within five seconds is unhealthy', async () => {
  const lines: string[] = [];
  const log = createLog('warn', (line) => void lines.push(line));
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void) => {
    queueMicrotask(end);
    return 0;
  }) as typeof setTimeout);
  try {
    const isWell = healthOf({ database: async () => {}, audio: () => new Promise(() => {}) }, log);
    expect(await isWell()).toBe(false);
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([5000, 5000]);
  } finally {
    timers.mockRestore();
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      event: 'health_check_failed',
      part: 'audio',
      error: { message: 'it does not respond' },
    },
  ]);
});
