/** Keys at WorkOS: which are deleted, and which calls are made for each. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import type { WorkOS } from '@workos-inc/node';
import { sql } from 'kysely';
import type { Registration } from '../../server/identity/claims.ts';
import { recordKey, recordOrganization } from '../../server/identity/key-records.ts';
import {
  deleteOrphans,
  deleteWorkosKey,
  isListed,
  issueWorkosKey,
  sweepOrphans,
} from '../../server/identity/workos-keys.ts';
import { createLog } from '../../server/log.ts';
import { testIdentity } from '../support/servers/identity.ts';

const made = await testIdentity();
const { database, clock } = made;
afterAll(() => made.close());

let keys: { id: string; name: string }[] = [];
let asked: unknown[] = [];
let failing: { status: number } | null = null;
let log = '';
beforeEach(() => {
  [keys, asked, failing, log] = [[], [], null, ''];
});

const answer = async <T>(call: unknown[], result: T): Promise<T> => {
  asked.push(call);
  if (failing) throw failing;
  return result;
};
const pages = () => ({ autoPagination: async () => keys });
const client = {
  apiKeys: {
    createOrganizationApiKey: (order: object) =>
      answer(['create', order], { id: 'k_1', value: 'sk_123456', obfuscatedValue: '' }),
    deleteApiKey: (id: string) =>
      answer(['delete', id], void (keys = keys.filter((key) => failing || key.id !== id))),
    listOrganizationApiKeys: (of: object) => answer(['list', of], pages()),
  },
  userManagement: {
    listUserApiKeys: (user: string, of: object) => answer(['list', user, of], pages()),
  },
} as unknown as WorkOS;
const services = { client, database, log: createLog('debug', (line) => void (log += line)) };

const order = {
  organizationId: 'org_1',
  registrationId: 'reg_1',
  scopes: ['captioner:audio:upload' as const],
};

test.each(['id', 'value'])('a key without its %s is not issued', async (field) => {
  const createOrganizationApiKey = async () => ({
    id: 'k_1',
    value: 'sk_123456',
    obfuscatedValue: '…3456',
    [field]: undefined,
  });
  const half = { apiKeys: { createOrganizationApiKey } } as unknown as WorkOS;
  await expect(issueWorkosKey(half, order)).rejects.toMatchObject({
    status: 200,
    code: 'bad_response',
  });
});

test('a key is issued with a name that identifies it, and shown as WorkOS shows it', async () => {
  expect(await issueWorkosKey(client, order)).toEqual({
    id: 'k_1',
    value: 'sk_123456',
    name: 'Captioner key (reg_1)',
    obfuscated: '…3456',
  });
  expect(asked).toEqual([
    [
      'create',
      {
        organizationId: 'org_1',
        name: 'Captioner key (reg_1)',
        permissions: ['captioner:audio:upload'],
      },
    ],
  ]);
  const shown = { id: 'k_1', value: 'sk_123456', obfuscatedValue: 'sk_…456' };
  const other = { apiKeys: { createOrganizationApiKey: async () => shown } } as unknown as WorkOS;
  expect((await issueWorkosKey(other, order)).obfuscated).toBe('sk_…456');
});

test('a deleted key counts as deleted; a failure names its request', async () => {
  failing = { status: 404 };
  await deleteWorkosKey(client, 'k_1');
  failing = { status: 403 };
  await expect(deleteWorkosKey(client, 'k_1')).rejects.toMatchObject({
    status: 403,
    request: { method: 'DELETE', path: '/api_keys/k_1' },
  });
});

describe('whether a key is listed', () => {
  test('is looked up for its user in its organisation, or for the organisation', async () => {
    keys = [{ id: 'k_1', name: 'any' }];
    const owner = { keyId: 'k_1', organizationId: 'org_1' };
    expect(await isListed(client, owner)).toBe(true);
    expect(await isListed(client, { ...owner, keyId: 'k_2' })).toBe(false);
    expect(await isListed(client, { ...owner, userId: 'user_1' })).toBe(true);
    expect(asked).toEqual([
      ['list', { organizationId: 'org_1' }],
      ['list', { organizationId: 'org_1' }],
      ['list', 'user_1', { organizationId: 'org_1' }],
    ]);
  });

  test.each([
    [{}, '/organizations/org_1/api_keys'],
    [{ userId: 'user_1' }, '/user_management/users/user_1/api_keys'],
  ])('fails with its request: of %p at %s', async (user, path) => {
    failing = { status: 500 };
    const listed = isListed(client, { keyId: 'k_1', organizationId: 'org_1', ...user });
    await expect(listed).rejects.toMatchObject({ request: { method: 'GET', path } });
  });
});

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
    await deleteOrphans(services, { registrationId: mine, organizationId: 'org_1' });
    expect(keys.map(({ id }) => id)).toEqual(['recorded', 'of_another', 'dashboard']);
    expect([await isDue(mine), await isDue(other)]).toEqual([false, true]);
  });

  test('that WorkOS does not delete are retried; a full disk is an error', async () => {
    const mine = await orphaned();
    failing = { status: 500 };
    await deleteOrphans(services, { registrationId: mine, organizationId: 'org_1' });
    expect(await isDue(mine)).toBe(true);
    expect(JSON.parse(log)).toMatchObject({
      event: 'orphaned_keys_not_deleted',
      registrationId: mine,
      reason: 'GET /organizations/org_1/api_keys: 500 server_error',
    });
    failing = null;
    await sql`create trigger refusing before update of cleanup_due on registrations
      begin select raise(abort, 'the disk is full'); end`.execute(database);
    const deleted = deleteOrphans(services, { registrationId: mine, organizationId: 'org_1' });
    await expect(deleted).rejects.toThrow('the disk is full');
    log = '';
    await database.updateTable('registrations').set({ state: 'claimed' }).execute();
    await sweepOrphans(services, clock.now);
    expect(log).toMatch(/orphaned_keys_not_deleted.*the disk is full/);
    await sql`drop trigger refusing`.execute(database);
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
    await sweepOrphans(services, now);
    expect(keys.map(({ id }) => id)).toEqual([...left, done]);
    expect(await Promise.all([...swept, ...left].map(isDue))).toEqual([
      ...swept.map(() => false),
      ...left.map(() => true),
    ]);
  });

  test('makes at most fifty clean-ups', async () => {
    await database.updateTable('registrations').set({ cleanup_due: 0 }).execute();
    for (let count = 0; count < 51; count += 1) await orphaned({ state: 'claimed' });
    await sweepOrphans(services, clock.now);
    expect(asked).toHaveLength(50);
  });
});
