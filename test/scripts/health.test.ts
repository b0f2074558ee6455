/** The health check of the container: its exit code shows whether the service is healthy. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { spawned } from './support.ts';

const service = await startHttpDouble(() => Response.json({ ok: true }));
afterAll(() => service.close());
afterEach(() => service.behave(null));

const check = async (port = new URL(service.origin).port) =>
  (await spawned([process.execPath, join(root, 'scripts/health.ts')], root, { PORT: port })).code;

test('a service that reports so is healthy', async () => {
  expect(await check()).toBe(0);
  expect(service.requests[0]?.url.pathname).toBe('/health');
});

test.each(['{"ok":false}', '{"ok":"yes"}', '{}', 'null', '<html>'])(
  'a service that answers %s is unhealthy',
  async (body) => {
    service.behave(() => new Response(body));
    expect(await check()).toBe(1);
  },
);

test('a service that does not respond is unhealthy', async () => {
  expect(await check('1')).toBe(1);
});
