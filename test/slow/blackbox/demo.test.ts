/**
 * The README's first command, as a newcomer runs it: it needs only this machine, regardless of
 * configuration.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';

setDefaultTimeout(300_000);

const demo = fileURLToPath(new URL('../../../scripts/demo.ts', import.meta.url));

test('the demo prints captions and what it did, and no log', async () => {
  const { env } = await tinyModelEnvironment();
  const run = Bun.spawn([process.execPath, demo], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...env,
      // Nothing listens there: a demo that used it would fail.
      WORKOS_API_KEY: 'sk_test',
      WORKOS_CLIENT_ID: 'client_test',
      WORKOS_API_URL: 'http://127.0.0.1:9',
      SMTP_URL: 'smtp://127.0.0.1:9',
    },
    stderr: 'pipe',
  });
  const [out, said] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  expect([await run.exited, said]).toEqual([0, expect.stringContaining('claimed a key')]);
  expect(out).toMatch(/^\s*1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\n/);
  expect(said).toMatch(/Captions [01]\.\d\d · \d+ words, the engine reports no confidence/);
  expect(said).not.toContain('{"time"');
});
