/** Lookups at WorkOS, and the note on an address that may not have a key. */
import { expect, spyOn, test } from 'bun:test';
import { createHasher } from '../../server/identity/secrets.ts';
import { createWorkosIdentity } from '../../server/identity/workos.ts';
import { createLog } from '../../server/log.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { WORKOS_CLIENT, WORKOS_KEY } from '../support/servers/workos-sign-in.ts';
import { workosBench } from './support.ts';

const { database } = await sqliteDatabase();
/** The provider for WorkOS at an address, without settings that have a default. */
const providerAt = (apiUrl: string) =>
  createWorkosIdentity({
    workos: { apiKey: WORKOS_KEY, clientId: WORKOS_CLIENT, apiUrl },
    database,
    hasher: createHasher('pepper'),
    teamEmailDomain: null,
    teamEmailAllow: null,
    registrationsPerIp: 9,
    registrationsPerHour: 9,
    log: createLog('silent'),
  });

test('only an address that may not have a key is noted as such', async () => {
  const strict = await workosBench({}, { teamEmailAllow: ['ann@team.example'] });
  await strict.made.start('ann@team.example');
  expect(strict.made.log()).toBe('');
  const { registrationId } = await strict.made.start('bob@team.example');
  expect(strict.made.log()).toContain('address_not_on_team_list');
  expect(strict.made.log()).toContain(registrationId);
});

test('WorkOS is called at the configured address, with or without a port', async () => {
  const asked: string[] = [];
  const fetched = spyOn(globalThis, 'fetch').mockImplementation((async (url: string | URL) => {
    asked.push(String(url));
    return Response.json({ api_key: null });
  }) as typeof fetch);
  for (const apiUrl of ['https://workos.example', 'http://workos.example:8080']) {
    expect(await providerAt(apiUrl).validate('sk_unknown')).toBeNull();
  }
  fetched.mockRestore();
  expect(asked).toEqual([
    'https://workos.example/api_keys/validations',
    'http://workos.example:8080/api_keys/validations',
  ]);
});

test('a key is issued by the clock of the machine, unless another is given', async () => {
  const { workos } = await workosBench();
  const email = 'ann@clock.example';
  const identity = providerAt(workos.origin);
  const before = Date.now();
  const { claimToken } = await identity.start({
    email,
    scopes: ['captioner:audio:upload'],
    clientAddress: '192.0.2.1',
    userAgent: '',
  });
  await identity.complete({ claimToken, code: workos.code(email) });
  const { created_at: at } = await database
    .selectFrom('api_keys')
    .select('created_at')
    .where('owner_email', '=', email)
    .executeTakeFirstOrThrow();
  expect(at).toBeWithin(before, Date.now() + 1);
});
