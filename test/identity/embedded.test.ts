import { afterAll, describe, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../support/server-process.ts';
import { testIdentity } from '../support/identity.ts';

const made = await testIdentity();
const { identity, clock, start, code, database } = made;
afterAll(async () => {
  await database.destroy();
  await removeFolder(made.folder);
});

const refused = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it was taken',
    (error: { status: number; code: string }) => `${error.status} ${error.code}`,
  );

const wrong = (right: string) => (right === '000000' ? '000001' : '000000');

describe('a claim', () => {
  test('gives a key once; the key is known by its scopes and organisation', async () => {
    const { claimToken } = await start('ann@example.com');
    const claim = { claimToken, code: code('ann@example.com') };
    const claimed = await identity.complete(claim);
    expect(claimed.key).toMatch(/^cap_live_[0-9A-Za-z]+_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(claimed.workspace.kind).toBe('personal');
    expect(await identity.validate(claimed.key)).toMatchObject({
      keyId: claimed.metadata.id,
      organizationId: claimed.organizationId,
      scopes: ['captioner:audio:upload'],
    });
    expect(await refused(identity.complete(claim))).toBe('409 claim_already_used');
  });

  test('a hundred completions at once give exactly one key', async () => {
    const { claimToken } = await start('many@example.com');
    const claim = { claimToken, code: code('many@example.com') };
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => refused(identity.complete(claim))),
    );
    expect(outcomes.filter((outcome) => outcome === 'it was taken')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['it was taken', '409 claim_already_used']));
  });

  test('expires after ten minutes', async () => {
    const { claimToken, expiresAt } = await start('late@example.com');
    expect(expiresAt - clock.now).toBe(600_000);
    clock.now = expiresAt;
    const claim = { claimToken, code: code('late@example.com') };
    expect(await refused(identity.complete(claim))).toBe('410 claim_expired');
  });

  test('five wrong codes end it, even for the right one', async () => {
    const { claimToken } = await start('guess@example.com');
    const right = code('guess@example.com');
    const outcomes: unknown[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      outcomes.push(await refused(identity.complete({ claimToken, code: wrong(right) })));
    }
    expect(outcomes).toEqual([...Array(4).fill('401 invalid_otp'), '429 too_many_attempts']);
    expect(await refused(identity.complete({ claimToken, code: right }))).toBe(
      '429 too_many_attempts',
    );
  });

  test('after a second registration only the newest code counts, with either claim token', async () => {
    const first = await start('twice@example.com');
    const old = code('twice@example.com');
    const second = await start('twice@example.com');
    const newest = code('twice@example.com');
    if (old !== newest) {
      expect(await refused(identity.complete({ claimToken: first.claimToken, code: old }))).toBe(
        '401 invalid_otp',
      );
    }
    await identity.complete({ claimToken: first.claimToken, code: newest });
    expect(await refused(identity.complete({ claimToken: second.claimToken, code: newest }))).toBe(
      '409 claim_already_used',
    );
  });

  test('a token that was never given out is not known', async () => {
    expect(await refused(identity.complete({ claimToken: 'clm_x', code: '123456' }))).toBe(
      '401 invalid_claim_token',
    );
  });
});

describe('workspaces', () => {
  const organisation = async (email: string) => {
    const { claimToken } = await start(email);
    return identity.complete({ claimToken, code: code(email) });
  };
  test('an address has one, whatever its case', async () => {
    const [one, two] = [
      await organisation('case@example.com'),
      await organisation('CASE@example.com'),
    ];
    expect(one.organizationId).toBe(two.organizationId);
    expect((await organisation('other@example.com')).organizationId).not.toBe(one.organizationId);
  });
  test('the team domain shares one, look-alikes do not', async () => {
    const one = await organisation('a@team.example');
    const two = await organisation('b@team.example');
    expect(one.workspace).toEqual({ kind: 'team', externalId: 'team:team.example' });
    expect(two.organizationId).toBe(one.organizationId);
    for (const email of ['c@sub.team.example', 'd@team.example.evil.test', 'e@notteam.example']) {
      expect((await organisation(email)).workspace.kind).toBe('personal');
    }
  });
});

describe('keys', () => {
  test('a changed, shortened or made-up key is not known', async () => {
    const { claimToken } = await start('key@example.com');
    const { key } = await identity.complete({ claimToken, code: code('key@example.com') });
    const last = key.at(-1) === 'a' ? 'b' : 'a';
    for (const bad of [
      key.slice(0, -1) + last,
      key.slice(0, -1),
      `${key}0`,
      key.toLowerCase(),
      '',
      'cap_live_',
    ]) {
      expect(await identity.validate(bad)).toBeNull();
    }
    expect(await identity.validate(key)).not.toBeNull();
  });
  test('a revoked key is not known', async () => {
    const { claimToken } = await start('gone@example.com');
    const claimed = await identity.complete({ claimToken, code: code('gone@example.com') });
    await database
      .updateTable('api_keys')
      .set({ revoked_at: clock.now })
      .where('id', '=', claimed.metadata.id)
      .execute();
    expect(await identity.validate(claimed.key)).toBeNull();
  });
});

describe('limits', () => {
  test('five registrations an hour for an address, with the exact time to wait', async () => {
    clock.now += 10_000_000;
    const first = clock.now + 1;
    for (let count = 0; count < 5; count += 1) await start('often@example.com');
    const error = await start('often@example.com').then(
      () => null,
      (thrown: { code: string; limit: { retryAfter: number } }) => thrown,
    );
    expect(error?.code).toBe('rate_limited');
    expect(error?.limit.retryAfter).toBe(3600);
    clock.now = first + 3_600_000 - 2;
    expect(await refused(start('often@example.com'))).toBe('429 rate_limited');
    clock.now = first + 3_600_000;
    await start('often@example.com');
  });
  test('so many for a client, whatever the address', async () => {
    const few = await testIdentity({ registrationsPerIp: 3 });
    for (let count = 0; count < 3; count += 1) await few.start(`a${count}@example.com`);
    expect(await refused(few.start('b@example.com'))).toBe('429 rate_limited');
    await few.start('b@example.com', { clientAddress: '192.0.2.2' });
    await few.database.destroy();
    await removeFolder(few.folder);
  });
});

test('nothing secret stands in the database in clear', async () => {
  const { claimToken } = await start('secret@example.com');
  const right = code('secret@example.com');
  const { key } = await identity.complete({ claimToken, code: right });
  const files = (await readdir(made.folder)).filter((name) => name.includes('sqlite'));
  const bytes = await Promise.all(files.map((name) => readFile(join(made.folder, name), 'latin1')));
  expect(bytes.join('')).toContain('secret@example.com');
  for (const secret of [key, claimToken]) expect(bytes.join('')).not.toContain(secret);
});
