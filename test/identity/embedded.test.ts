/** The embedded provider: what every provider does, and its own keys and limits. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { createKey, keyIdOf } from '../../server/identity/keys.ts';
import { testIdentity } from '../support/identity.ts';
import { identityProviderSuite, refused } from './identity-provider.suite.ts';

setDefaultTimeout(60_000);

const made = await testIdentity();
afterAll(() => made.close());
const { identity, clock, start, code, database } = made;

identityProviderSuite('embedded', () => made);

const claimed = async (email: string) => {
  const { claimToken } = await start(email);
  return identity.complete({ claimToken, code: code(email) });
};

describe('keys', () => {
  test('have a form that scanners know, with a checksum', async () => {
    const { key } = await claimed('form@example.com');
    expect(key).toMatch(/^cap_live_[0-9A-Za-z]+_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  });

  test('a revoked one is not known', async () => {
    const { key, metadata } = await claimed('gone@example.com');
    await database
      .updateTable('api_keys')
      .set({ revoked_at: clock.now })
      .where('id', '=', metadata.id)
      .execute();
    expect(await identity.validate(key)).toBeNull();
  });

  test('the id of one with the secret of another, and a good checksum, is not known', async () => {
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
    // A bad checksum costs no query.
    expect(keyIdOf(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)).toBeNull();
  });

  test('its use is noted, to the minute', async () => {
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
  test('so many for a client, whatever the address', async () => {
    const few = await testIdentity({ registrationsPerIp: 3 });
    for (let count = 0; count < 3; count += 1) await few.start(`a${count}@example.com`);
    expect(await refused(few.start('b@example.com'))).toBe('429 rate_limited');
    await few.start('b@example.com', { clientAddress: '192.0.2.2' });
    await few.close();
  });

  test('a client is the whole /64 of an IPv6 address', async () => {
    const few = await testIdentity({ registrationsPerIp: 1 });
    await few.start('a@example.com', { clientAddress: '2001:db8:1:2::1' });
    const same = few.start('b@example.com', { clientAddress: '2001:db8:1:2:ffff::9' });
    expect(await refused(same)).toBe('429 rate_limited');
    await few.start('c@example.com', { clientAddress: '2001:db8:1:3::1' });
    await few.close();
  });

  test('a hundred registrations at once pass as often as one after the other', async () => {
    const many = await testIdentity();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => refused(many.start('crowd@example.com'))),
    );
    expect(outcomes.filter((outcome) => outcome === 'it was taken')).toHaveLength(5);
    await many.close();
  });

  test('what is a day old is forgotten', async () => {
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
