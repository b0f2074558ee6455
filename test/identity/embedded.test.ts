/** The embedded provider: the common suite, and its own keys and limits. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { sql } from 'kysely';
import { listKeys, revokeKey } from '../../server/identity/key-management.ts';
import { createKey, keyIdOf } from '../../server/identity/keys.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { identityProviderSuite, refused } from './identity-provider.suite.ts';

setDefaultTimeout(300_000);

const made = await testIdentity();
afterAll(() => made.close());
const { identity, clock, start, code, database } = made;

identityProviderSuite('embedded', () => made);

const claimed = async (email: string) => {
  const { claimToken } = await start(email);
  return identity.complete({ claimToken, code: code(email) });
};

test('of registrations in the same millisecond, the one with the greatest id is the newest', async () => {
  for (let round = 0; round < 8; round += 1) {
    const email = `tie-${round}@example.com`;
    const instant = clock.now;
    const all = [];
    for (const at of [1, 2, 3]) {
      const { claimToken, registrationId } = await start(email, {
        clientAddress: `198.51.${round}.${at}`,
      });
      // Each registration advances the clock of these tests.
      clock.now = instant;
      all.push({ claimToken, registrationId, code: code(email) });
    }
    const [oldest, middle, newest] = all.toSorted((a, b) =>
      a.registrationId < b.registrationId ? -1 : 1,
    );
    if (!oldest || !middle || !newest) throw new Error('there are three');
    const { claimToken } = oldest;
    if (middle.code !== newest.code) {
      expect(await refused(identity.complete({ claimToken, code: middle.code }))).toBe(
        '401 invalid_otp',
      );
    }
    expect(await refused(identity.complete({ claimToken, code: newest.code }))).toBe('accepted');
  }
});

describe('keys', () => {
  test('have a format that scanners recognise, with a checksum', async () => {
    const { key, metadata, workspace, organizationId } = await claimed('form@example.com');
    expect(metadata).toEqual({
      id: keyIdOf(key)!,
      owner: { type: 'organization', id: organizationId },
      name: expect.stringMatching(/^Captioner key of \d{4}-\d\d-\d\d$/),
      obfuscated_value: `cap_live_${keyIdOf(key)}_…${key.slice(-4)}`,
    });
    // Databases hold these names, so they must stay as they are.
    expect(workspace.externalId).toMatch(/^personal:user_[0-9a-f]{24}$/);
    expect(key).toMatch(/^cap_live_[0-9A-Za-z]+_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  });

  test('a revoked key is refused', async () => {
    const { key, metadata } = await claimed('gone@example.com');
    await database
      .updateTable('api_keys')
      .set({ revoked_at: clock.now })
      .where('id', '=', metadata.id)
      .execute();
    expect(await identity.validate(key)).toBeNull();
  });

  test('the id of one key with the secret of another, and a valid checksum, is refused', async () => {
    const { key, metadata } = await claimed('real@example.com');
    for (let tries = 0; tries < 3; tries += 1) {
      const other = createKey();
      const forged = other.value.replace(`_${other.id}_`, `_${metadata.id}_`).slice(0, -7);
      const sum = Array.from({ length: 4 }, (_, at) => (crc32(forged) >>> (24 - 8 * at)) & 255);
      let rest = sum.reduce((all, byte) => all * 256 + byte, 0);
      let digits = '';
      const base = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
      for (let at = 0; at < 6; at += 1, rest = Math.floor(rest / 62)) {
        digits = (base[rest % 62] ?? '') + digits;
      }
      const whole = `${forged}_${digits}`;
      expect(keyIdOf(whole)).toBe(metadata.id);
      expect(await identity.validate(whole)).toBeNull();
    }
    expect(await identity.validate(key)).not.toBeNull();
    expect(await identity.validate(createKey().value)).toBeNull();
  });

  test('a mistyped key is refused without a query', async () => {
    const { key } = await claimed('typo@example.com');
    const bare = await testIdentity();
    await sql`DROP TABLE api_keys`.execute(bare.database);
    expect(await refused(bare.identity.validate(key))).not.toBe('accepted');
    const typo = `${key.slice(0, 30)}${key[30] === 'a' ? 'b' : 'a'}${key.slice(31)}`;
    for (const bad of [typo, `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`]) {
      expect(keyIdOf(bad)).toBeNull();
      expect(await bare.identity.validate(bad)).toBeNull();
    }
    await bare.close();
  });

  test('only a recorded, unrevoked key is valid', async () => {
    const { metadata, organizationId } = await claimed('live@example.com');
    const owner = { keyId: metadata.id, organizationId };
    expect(await identity.isLive(owner)).toBe(true);
    expect(await identity.isLive({ ...owner, keyId: 'nobody' })).toBe(false);
    expect(await revokeKey(database, metadata.id, clock.now)).toBe(true);
    expect(await identity.isLive(owner)).toBe(false);
  });

  test('revoking a key is permanent, affects no other, and is listed', async () => {
    const [one, two] = [await claimed('list-a@example.com'), await claimed('list-b@team.example')];
    const at = clock.now + 1000;
    expect(await revokeKey(database, 'nobody', at)).toBe(false);
    expect(await revokeKey(database, one.metadata.id, at)).toBe(true);
    expect(await revokeKey(database, one.metadata.id, at + 5)).toBe(true);
    expect(await identity.validate(one.key)).toBeNull();
    expect(await identity.validate(two.key)).not.toBeNull();
    const listed = (await listKeys(database)).filter(({ ownerEmail }) =>
      ownerEmail.startsWith('list-'),
    );
    expect(listed).toEqual([
      {
        id: one.metadata.id,
        ownerEmail: 'list-a@example.com',
        workspace: one.workspace.externalId,
        scopes: ['captioner:audio:upload'],
        createdAt: expect.any(Number),
        lastUsedAt: null,
        revokedAt: at,
      },
      expect.objectContaining({
        id: two.metadata.id,
        workspace: 'team:team.example',
        revokedAt: null,
      }),
    ]);
    await database
      .updateTable('api_keys')
      .set({ created_at: 5 })
      .where('id', '=', two.metadata.id)
      .execute();
    const all = (await listKeys(database)).map(({ createdAt }) => createdAt);
    expect(all[0]).toBe(5);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
  });

  test('a key works even if its use cannot be recorded', async () => {
    const { key } = await claimed('full@example.com');
    await sql`CREATE TRIGGER no_use BEFORE UPDATE ON api_keys
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`.execute(database);
    expect(await identity.validate(key)).not.toBeNull();
    expect(made.log()).toMatch(new RegExp(`key_use_not_recorded.*${keyIdOf(key)}.*disk is full`));
    await sql`DROP TRIGGER no_use`.execute(database);
  });

  test('the use of a key is recorded, to the minute', async () => {
    const { key, metadata } = await claimed('used@example.com');
    const lastUse = async () =>
      (
        await database
          .selectFrom('api_keys')
          .select('last_used_at')
          .where('id', '=', metadata.id)
          .executeTakeFirstOrThrow()
      ).last_used_at;
    await identity.validate(key);
    const first = clock.now;
    expect(await lastUse()).toBe(first);
    clock.now += 59_999;
    await identity.validate(key);
    expect(await lastUse()).toBe(first);
    clock.now += 1;
    await identity.validate(key);
    expect(await lastUse()).toBe(first + 60_000);
  });
});

describe('limits', () => {
  test('per client, whatever the address', async () => {
    const few = await testIdentity({ registrationsPerIp: 3 });
    for (let count = 0; count < 3; count += 1) await few.start(`a${count}@example.com`);
    expect(await refused(few.start('b@example.com'))).toBe('429 rate_limited');
    await few.start('b@example.com', { clientAddress: '192.0.2.2' });
    await few.close();
  });

  test('a client is a whole IPv6 /64', async () => {
    const few = await testIdentity({ registrationsPerIp: 1 });
    await few.start('a@example.com', { clientAddress: '2001:db8:1:2::1' });
    const same = few.start('b@example.com', { clientAddress: '2001:db8:1:2:ffff::9' });
    expect(await refused(same)).toBe('429 rate_limited');
    await few.start('c@example.com', { clientAddress: '2001:db8:1:3::1' });
    await few.close();
  });

  test('of a hundred simultaneous registrations as many succeed as in sequence', async () => {
    const many = await testIdentity();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => refused(many.start('crowd@example.com'))),
    );
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(5);
    await many.close();
  });

  test('events of an earlier version, which have no expiry, count for an hour', async () => {
    const old = await testIdentity();
    await old.start('first@example.com');
    await old.database.deleteFrom('rate_events').execute();
    const at = (await old.start('second@example.com')).expiresAt - 600_000;
    old.clock.now = at + 3_600_000;
    const event = { subject: 'earlier', expires_at: null };
    await old.database
      .insertInto('rate_events')
      .values([
        { ...event, id: 'over', at: at + 1 },
        { ...event, id: 'counts', at: at + 2 },
      ])
      .execute();
    await old.start('third@example.com');
    const left = await old.database
      .selectFrom('rate_events')
      .select('id')
      .where('subject', '=', 'earlier')
      .execute();
    expect(left).toEqual([{ id: 'counts' }]);
    await old.close();
  });

  test('registrations are deleted after a day', async () => {
    const old = await testIdentity();
    const { claimToken } = await old.start('old@example.com');
    const subjects = async () =>
      (await old.database.selectFrom('rate_events').select('id').execute()).length;
    const before = await subjects();
    old.clock.now += 25 * 3_600_000;
    await old.start('new@example.com');
    const claim = { claimToken, code: '123456' };
    expect(await refused(old.identity.complete(claim))).toBe('401 invalid_claim_token');
    expect(await subjects()).toBe(before);
    await old.close();
  });
});
