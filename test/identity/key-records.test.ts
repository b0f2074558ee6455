/** Keys and organisations as they are recorded. */
import { afterAll, expect, test } from 'bun:test';
import {
  organizationOf,
  recordKey,
  recordOrganization,
} from '../../server/identity/key-records.ts';
import { createKey } from '../../server/identity/keys.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { testIdentity } from '../support/servers/identity.ts';

const made = await testIdentity();
const { database } = made;
afterAll(() => made.close());

const named = async (): Promise<Record<string, string>> => {
  const rows = await database.selectFrom('organizations').select(['id', 'external_id']).execute();
  return Object.fromEntries(rows.map(({ id, external_id: name }) => [id, name]));
};

test('every character of a secret is random', () => {
  const keys = Array.from({ length: 200 }, () => createKey());
  const secrets = keys.map(({ value }) => value.split('_')[3]!);
  for (let at = 0; at < 43; at += 1) {
    expect(new Set(secrets.map((secret) => secret[at])).size).toBeGreaterThan(20);
  }
  expect(new Set(keys.map(({ id }) => id)).size).toBe(200);
  for (const { value, obfuscated } of keys) {
    expect(obfuscated).toBe(`cap_live_${value.split('_')[2]}_…${value.slice(-4)}`);
  }
});

test('an organisation that replaces another takes its name, and no other', async () => {
  const team = { kind: 'team', externalId: 'team:one.example' } as const;
  const other = { kind: 'team', externalId: 'team:two.example' } as const;
  await recordOrganization(database, 'org_two', other, 1);
  await recordOrganization(database, 'org_old', team, 2);
  await recordOrganization(database, 'org_old', team, 3);
  expect(await named()).toEqual({ org_two: 'team:two.example', org_old: 'team:one.example' });
  await recordOrganization(database, 'org_new', team, 4);
  expect(await named()).toEqual({
    org_two: 'team:two.example',
    org_old: 'former:org_old',
    org_new: 'team:one.example',
  });
  expect(await organizationOf(database, team, 5)).toBe('org_new');
  expect(await organizationOf(database, other, 5)).toBe('org_two');
});

test('a key is recorded once, as issued', async () => {
  const key = {
    id: 'k1',
    hash: 'h',
    obfuscated: 'cap_live_k1_…abcd',
    name: 'Captioner key of 2026-11-23',
    organizationId: 'org_1',
    ownerEmail: 'ann@example.com',
    scopes: ['captioner:audio:upload'] as const,
  };
  const personal = { kind: 'personal', externalId: 'personal:ann' } as const;
  await recordOrganization(database, 'org_1', personal, 1);
  await recordKey(database, key, 5);
  await recordKey(database, { ...key, hash: 'other', ownerEmail: 'ben@example.com' }, 6);
  expect(await database.selectFrom('api_keys').selectAll().execute()).toEqual([
    {
      id: 'k1',
      key_hash: 'h',
      obfuscated: 'cap_live_k1_…abcd',
      name: 'Captioner key of 2026-11-23',
      organization_id: 'org_1',
      owner_email: 'ann@example.com',
      scopes: '["captioner:audio:upload"]',
      created_at: 5,
      last_used_at: null,
      revoked_at: null,
    },
  ]);
});

test('an organisation that cannot be recorded or renamed is an error', async () => {
  const team = { kind: 'team', externalId: 'team:full.example' } as const;
  const record = (id: string) => () => recordOrganization(database, id, team, 1);
  await refusing(database, 'insert on organizations', record('org_full'));
  await record('org_full')();
  await refusing(database, 'update of external_id on organizations', record('org_next'));
  expect((await named())['org_full']).toBe('team:full.example');
});
