/** The WorkOS provider: the common suite, its requests and answers, and its keys. */
import type { WorkOS } from '@workos-inc/node';
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { refused } from './attacker.ts';
import type { Registration } from '../../server/identity/claims.ts';
import { createLog } from '../../server/base/log.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { identityProviderSuite } from './identity-provider.suite.ts';
import { workosBench } from './support.ts';
import { recordKey, recordOrganization } from '../../server/identity/keys.ts';
import { deleteOrphanedKeys, sweepOrphanedKeys } from '../../server/identity/workos-keys.ts';

setDefaultTimeout(300000);

const { workos, made, register } = await workosBench();
const { identity, clock } = made;

identityProviderSuite('workos', () => made);

/** The requests after the first `since`, as `METHOD path`. */
const calls = (since: number) =>
  workos.requests.slice(since).map(({ method, url }) => `${method} ${url.pathname}`);

test('the calls of a registration and its claim, with their bodies', async () => {
  const since = workos.requests.length;
  const claim = await register('wire@example.com');
  const claimed = await identity.complete(claim);
  const user = workos.user('wire@example.com');
  const external = `personal:${user.id}`;
  expect(claimed.workspace.externalId).toBe(external);
  expect(calls(since)).toEqual([
    'POST /user_management/magic_auth',
    `GET /organizations/external_id/${external}`,
    'POST /organizations',
    'GET /user_management/organization_memberships',
    'POST /user_management/organization_memberships',
    'POST /user_management/authenticate',
    `POST /organizations/${claimed.organizationId}/api_keys`,
  ]);
  const body = (at: number) => JSON.parse(workos.requests[since + at]!.body.toString());
  expect(body(0)).toMatchObject({
    email: 'wire@example.com',
    ip_address: '192.0.2.1',
    user_agent: 'test',
  });
  expect(body(2)).toEqual({ name: 'wire@example.com', external_id: external });
  expect(workos.requests[since + 3]!.url.searchParams.getAll('statuses').join()).toBe(
    'active,inactive,pending',
  );
  expect(body(4)).toMatchObject({
    organization_id: claimed.organizationId,
    user_id: user.id,
  });
  expect(body(5)).toMatchObject({ email: 'wire@example.com', code: claim.code });
  expect(body(6)).toEqual({
    name: `Captioner key (${claim.registrationId})`,
    permissions: ['captioner:audio:upload'],
  });
});

test("the team's organisation has its verified domain", async () => {
  await identity.complete(await register('domain@team.example'));
  expect(workos.organizations.get('team:team.example').domains).toMatchObject([
    { domain: 'team.example', state: 'verified' },
  ]);
});

test('a call may take five seconds', async () => {
  const timers = spyOn(globalThis, 'setTimeout');
  await identity.validate('sk_any', { fresh: true });
  expect(timers.mock.calls.map(([, ms]) => ms)).toContain(5000);
  timers.mockRestore();
});

describe('keys', () => {
  const key = async (email: string) => (await identity.complete(await register(email))).key;
  const validations = () =>
    workos.requests.filter(({ url }) => url.pathname === '/api_keys/validations').length;

  test('are validated by every request that changes something; reads may use a result of the last 30 seconds', async () => {
    const value = await key('asked@example.com');
    const before = validations();
    await identity.validate(value, { fresh: true });
    await identity.validate(value, { fresh: true });
    expect(validations()).toBe(before + 2);
    await identity.validate(value);
    expect(validations()).toBe(before + 2);
    clock.now += 30_000;
    await identity.validate(value);
    expect(validations()).toBe(before + 3);
  });

  test('a deleted key is refused immediately by requests that change something, and then by all', async () => {
    const value = await key('deleted@example.com');
    await identity.validate(value);
    workos.deleteKey(value);
    expect(await identity.validate(value, { fresh: true })).toBeNull();
    expect(await identity.validate(value)).toBeNull();
  });

  test('have the scopes they were issued with, whatever permissions WorkOS has', async () => {
    const value = await key('scoped@example.com');
    const there = workos.keys.find((one) => one.value === value);
    there!.permissions = ['captioner:caption:run'];
    expect(await identity.validate(value, { fresh: true })).toMatchObject({
      scopes: ['captioner:audio:upload'],
    });
  });

  test("created in WorkOS's dashboard have their permissions as scopes", async () => {
    workos.keys.push({
      object: 'api_key',
      id: 'api_key_theirs',
      owner: { type: 'user', id: 'user_1', organization_id: 'org_theirs' },
      name: 'by hand',
      obfuscated_value: 'sk_…',
      value: 'sk_by_hand',
      permissions: ['captioner:caption:run', 'billing:read'],
    });
    expect(await identity.validate('sk_by_hand')).toEqual({
      keyId: 'api_key_theirs',
      ownerType: 'user',
      organizationId: 'org_theirs',
      userId: 'user_1',
      scopes: ['captioner:caption:run'],
    });
  });
});

describe('requests to WorkOS, and the meaning of its answers to a registration', async () => {
  const { workos, made, register } = await workosBench();
  const { database, identity } = made;
  const rowOf = (id: string) =>
    database.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  describe('a mailed code', () => {
    test.each([
      [422, 'unprocessable', '400 invalid_email'],
      [400, 'invalid_email', '400 invalid_email'],
      [400, 'bad_request', '502 idp_bad_request'],
      [404, 'email_not_found', '502 idp_email_not_found'],
      [401, 'email_unauthorized', '502 idp_unauthorized'],
    ])('that WorkOS refuses with %d %s is %s', async (status, code, outcome) => {
      workos.fail(/magic_auth/, () => Response.json({ code, message: 'no' }, { status }));
      expect(await refused(made.start('refused@example.com'))).toBe(outcome);
    });
  });

  describe('a claim', () => {
    test('is claimed with its key and its workspace, or not at all', async () => {
      const claim = await register('whole@example.com');
      for (const table of ['organizations', 'api_keys']) {
        await refusing(database, `insert on ${table}`, () => identity.complete(claim));
        expect(await rowOf(claim.registrationId)).toMatchObject({
          state: 'issuing',
          lease_until: null,
          attempts: 0,
        });
      }
      const { key } = await identity.complete(claim);
      expect(await identity.validate(key)).not.toBeNull();
      const row = await rowOf(claim.registrationId);
      expect(row).toMatchObject({ state: 'claimed', lease_until: null });
    });
  });
});

describe('keys at WorkOS', async () => {
  const made = await testIdentity();
  const { database, clock } = made;
  afterAll(() => made.close());

  let keys: { id: string; name: string }[] = [];
  const pages = async () => ({ autoPagination: async () => keys });
  const client = {
    apiKeys: {
      deleteApiKey: async (id: string) => void (keys = keys.filter((key) => key.id !== id)),
      listOrganizationApiKeys: pages,
    },
    userManagement: { listUserApiKeys: pages },
  } as unknown as WorkOS;
  const services = { client, database, log: createLog('silent') };

  /** A registration whose key may have been created without anybody receiving it. */
  async function orphaned(values: Partial<Registration> = {}): Promise<string> {
    const { registrationId } = await made.start(`${crypto.randomUUID()}@example.com`);
    await database
      .updateTable('registrations')
      .set({ cleanup_due: 1, provider_organization_id: 'org_1', ...values })
      .where('id', '=', registrationId)
      .execute();
    return registrationId;
  }
  const isDue = async (id: string) =>
    (
      await database
        .selectFrom('registrations')
        .select('cleanup_due')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).cleanup_due === 1;
  const nameFor = (id: string) => `Captioner key (${id})`;

  describe('orphaned keys', () => {
    test('are those of the registration that were never returned; all others stay', async () => {
      const [mine, other] = [await orphaned(), await orphaned()];
      const workspace = { kind: 'personal', externalId: 'personal:x' } as const;
      await recordOrganization(database, 'org_1', workspace, 1);
      const record = { id: 'recorded', hash: '', obfuscated: '', name: nameFor(mine) };
      const owner = { organizationId: 'org_1', ownerEmail: 'a@example.com', scopes: [] };
      await recordKey(database, { ...record, ...owner }, 1);
      keys = [
        { id: 'recorded', name: nameFor(mine) },
        { id: 'orphan', name: nameFor(mine) },
        { id: 'of_another', name: nameFor(other) },
        { id: 'dashboard', name: 'made by hand' },
      ];
      await deleteOrphanedKeys(services, { registrationId: mine, organizationId: 'org_1' });
      expect(keys.map(({ id }) => id)).toEqual(['recorded', 'of_another', 'dashboard']);
      expect([await isDue(mine), await isDue(other)]).toEqual([false, true]);
    });
  });

  describe('a sweep', () => {
    test('cleans up after claims that have ended or expired', async () => {
      await database.updateTable('registrations').set({ cleanup_due: 0 }).execute();
      const { now } = clock;
      const open = { expires_at: now + 1000 };
      const swept = [
        await orphaned({ state: 'claimed', ...open }),
        await orphaned({ state: 'issuing', expires_at: now }),
        await orphaned({ state: 'claimed', lease_until: now }),
      ];
      const left = [
        await orphaned({ state: 'issuing', ...open }),
        await orphaned({ state: 'claimed', lease_until: now + 1 }),
        await orphaned({ state: 'issuing', expires_at: now, provider_organization_id: null }),
      ];
      const done = await orphaned({ state: 'claimed', cleanup_due: 0 });
      keys = [...swept, ...left, done].map((id) => ({ id, name: nameFor(id) }));
      await sweepOrphanedKeys(services, now);
      expect(keys.map(({ id }) => id)).toEqual([...left, done]);
      expect(await Promise.all([...swept, ...left].map(isDue))).toEqual([
        ...swept.map(() => false),
        ...left.map(() => true),
      ]);
    });
  });
});
