/** What operators watch. */
import { expect, spyOn, test, describe } from 'bun:test';
import { healthOf } from '../../server/http/health.ts';
import { createLog } from '../../server/base/log.ts';
import { readConfig } from '../../server/config/config.ts';
import { createOperatorApp } from '../../server/app.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { ConfigError } from '../../server/base/environment.ts';

// The health check of a dependency that does not respond.
test('a dependency that does not respond within five seconds is unhealthy', async () => {
  const lines: string[] = [];
  const log = createLog('warn', (line) => void lines.push(line));
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void) => {
    queueMicrotask(end);
    return 0;
  }) as typeof setTimeout);
  try {
    const audio = () => new Promise<void>(() => {});
    const isWell = healthOf({ database: async () => {}, audio }, log);
    expect(await isWell()).toBe(false);
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([5000, 5000]);
  } finally {
    timers.mockRestore();
  }
  const failed = { event: 'health_check_failed', part: 'audio' };
  const error = { message: 'it does not respond' };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ ...failed, error }]);
});

// Access to /metrics: only operators, on a separate port or with a token.
const TOKEN = 'operators-only-0123456789';
const open = await mountedApp();
const guarded = await mountedApp({ env: { METRICS_TOKEN: TOKEN } });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('the public port has no metrics by default', async () => {
  const answer = await open.ask('/metrics');
  expect(answer.status).toBe(404);
  expect(await answer.text()).not.toContain('captioner_runs');
});

test('with METRICS_TOKEN it has them for clients that send the token', async () => {
  const { key } = await guarded.signUp('ann@example.com');
  const wrong = ['', `${TOKEN}x`, `${TOKEN} x`, key].map(bearer);
  for (const init of [{}, ...wrong]) {
    const refused = await guarded.ask('/metrics', init);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.text()).not.toContain('captioner_runs');
  }
  const answer = await guarded.ask('/metrics', bearer(TOKEN));
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await answer.text()).toContain('captioner_queue_depth 0');
});

describe("the operators' port", () => {
  const ask = async (path: string, metricsToken: string | null, init?: RequestInit) => {
    const { metrics, health, readiness } = open.services;
    const answer = createOperatorApp({
      metrics,
      health,
      readiness,
      metricsToken,
      log: createLog('silent'),
    });
    return answer(new Request(`http://localhost:9000${path}`, init));
  };

  test('has the health of the process and its metrics', async () => {
    expect(await (await ask('/health', null)).json()).toEqual({ ok: true });
    expect(await (await ask('/metrics', null)).text()).toContain('captioner_database_up 1');
  });

  test('serves nothing else', async () => {
    const paths = ['/', '/openapi.json', '/workflows/captioner'];
    const otherwise = ['/metrics/', '//metrics', '/%6detrics', '/metrics;x', '/metrics%2f'];
    for (const path of [...paths, ...otherwise]) {
      expect([path, (await ask(path, null)).status]).toEqual([path, 404]);
    }
  });
});

test.each([
  [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN'],
  [{ METRICS_TOKEN: 'with a space in it, and long' }, 'METRICS_TOKEN'],
  [{ METRICS_PORT: '70000' }, 'METRICS_PORT'],
  [{ METRICS_PORT: '3000' }, 'METRICS_PORT'],
  [{ METRICS_PORT: '8080', PORT: '8080' }, 'METRICS_PORT'],
])('%j is refused at start-up', (env, name) => {
  expect(() => readConfig(env)).toThrow(ConfigError);
  expect(() => readConfig(env)).toThrow(name);
});
