/** Registering while the disk is full: a clear error, and recovery once there is space. */
import { expect, setDefaultTimeout } from 'bun:test';
import { Elysia } from 'elysia';
import { join } from 'node:path';
import { toProblem } from '../../../server/http/problems.ts';
import { publicAddress } from '../../../server/http/request.ts';
import { registrationRoutes } from '../../../server/http/identity/registration.ts';
import { createLog } from '../../../server/base/log.ts';
import { testIdentity } from '../../support/servers/identity.ts';
import { needsSmallDisk, smallDisk } from '../../support/servers/small-disk.ts';

setDefaultTimeout(300_000);

needsSmallDisk('a registration on a full disk is 503, and nothing is half-written', async () => {
  const disk = await smallDisk('4m');
  const made = await testIdentity({ databaseUrl: join(disk.path, 'identity.sqlite') });
  let log = '';
  const logged = createLog('debug', (line) => void (log += line));
  const services = {
    address: publicAddress({ baseUrl: 'http://captions.example' }),
    identity: made.identity,
    clientAddress: () => '192.0.2.1',
  };
  const app = new Elysia()
    .onError(({ error }) => toProblem(error, 'POST /agent/auth', logged).response())
    .use(registrationRoutes(services));
  const post = async (path: string, body: object) => {
    const request = new Request(`http://captions.example${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const response = await app.handle(request);
    return `${response.status} ${(await response.json()).error?.code ?? 'ok'}`;
  };
  const register = (email: string) =>
    post('/agent/auth', {
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
    });
  const { claimToken } = await made.start('ann@example.com');
  const claim = { claim_token: claimToken, otp: made.code('ann@example.com') };
  await disk.fill();
  const counts = async () => [
    (await made.database.selectFrom('registrations').select('id').execute()).length,
    (await made.database.selectFrom('rate_events').select('id').execute()).length,
  ];
  // Use up the little space that is left first.
  let [outcome, before] = ['200 ok', await counts()];
  for (let at = 0; at < 200 && outcome === '200 ok'; at += 1) {
    before = await counts();
    outcome = await register(`a${at}@a${at}.example`);
  }
  expect(outcome).toBe('503 unavailable');
  expect(log).toContain('storage_unavailable');
  expect(log).not.toContain('request_failed');
  const [registrations] = await counts();
  expect(registrations).toBe(before[0] ?? 0);
  expect(await post('/agent/auth/claim/complete', claim)).toBe('503 unavailable');
  await disk.free();
  expect(await register('again@example.com')).toBe('200 ok');
  expect(await post('/agent/auth/claim/complete', claim)).toBe('200 ok');
  await made.close();
  await disk.close();
});
