/** The embedded provider: the common suite, its keys and limits, its mails, and the addresses that it accepts. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { createEmbeddedIdentity } from '../../server/identity/embedded.ts';
import type { Mail } from '../../server/identity/mail.ts';
import { createLog } from '../../server/base/log.ts';
import type { Database } from '../../server/storage/database.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import {
  begin,
  elsewhere,
  guessed,
  limits,
  refused,
  registrationAfterShared,
  summed,
  wrong,
} from './attacker.ts';
import { identityProviderSuite } from './identity-provider.suite.ts';
import { REGISTRATION } from '../../server/contract/limits.ts';
import {
  createKey,
  keyIdOf,
  listKeys,
  revokeKey,
  revokeUnusedKeys,
} from '../../server/identity/keys.ts';
import { isEmail, normalizeEmail } from '../../server/identity/email.ts';

setDefaultTimeout(300000);

const DAY_MS = 86_400_000;
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
    const all = [];
    for (const at of [1, 2]) {
      const begun = await start(email, { clientAddress: `198.51.${round}.${at}` });
      // Each registration advances the clock of these tests.
      clock.now -= 1;
      all.push({ ...begun, code: code(email) });
    }
    const [oldest, newest] = all.toSorted((a, b) => (a.registrationId < b.registrationId ? -1 : 1));
    const claim = { claimToken: oldest!.claimToken, code: newest!.code };
    expect(await refused(identity.complete(claim))).toBe('accepted');
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

  test('the id of one key with the secret of another, and a valid checksum, is refused', async () => {
    const { key, metadata } = await claimed('real@example.com');
    for (let tries = 0; tries < 3; tries += 1) {
      const other = createKey();
      const forged = summed(other.value.replace(`_${other.id}_`, `_${metadata.id}_`).slice(0, -7));
      expect(keyIdOf(forged)).toBe(metadata.id);
      expect(await identity.validate(forged)).toBeNull();
    }
    expect(await identity.validate(key)).not.toBeNull();
    expect(await identity.validate(createKey().value)).toBeNull();
  });

  test('of nobody take the work of wrong ones, so that no time tells which ids there are', async () => {
    const { metadata } = await claimed('timed@example.com');
    const { id, value } = createKey();
    const wrongSecret = summed(value.replace(`_${id}_`, `_${metadata.id}_`).slice(0, -7));
    const hashed = spyOn(made.hasher, 'hash');
    const work = async (key: string): Promise<unknown[]> => {
      hashed.mockClear();
      expect(await identity.validate(key)).toBeNull();
      return hashed.mock.calls.slice();
    };
    expect(await work(wrongSecret)).toEqual([['key', wrongSecret]]);
    expect(await work(value)).toEqual([['key', value]]);
    hashed.mockRestore();
  });

  test('only a recorded, unrevoked key is valid', async () => {
    const { metadata, organizationId } = await claimed('live@example.com');
    const owner = { keyId: metadata.id, organizationId };
    expect(await identity.isLive(owner)).toBe(true);
    expect(await identity.isLive({ ...owner, keyId: 'nobody' })).toBe(false);
    expect(await revokeKey(database, metadata.id, clock.now)).toBe(true);
    expect(await identity.isLive(owner)).toBe(false);
  });

  test('keys that nobody has used since a time are revoked, new and used ones stay', async () => {
    const old = await claimed('unused@example.com');
    const used = await claimed('used@example.com');
    clock.now += 90 * DAY_MS;
    expect(await identity.validate(used.key)).not.toBeNull();
    const fresh = await claimed('fresh@example.com');
    const since = clock.now - DAY_MS;
    expect(await revokeUnusedKeys(database, since, clock.now)).toContain(old.metadata.id);
    expect(await revokeUnusedKeys(database, since, clock.now)).toEqual([]);
    expect(await identity.validate(old.key)).toBeNull();
    for (const { key } of [used, fresh]) expect(await identity.validate(key)).not.toBeNull();
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

test('of a hundred simultaneous registrations as many succeed as in sequence', async () => {
  const start100 = Array.from({ length: 100 }, () => refused(start('crowd@example.com')));
  const outcomes = await Promise.all(start100);
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(5);
});

describe('the embedded provider and its mailer', async () => {
  const made = await testIdentity();
  const { hasher } = made;
  afterAll(() => made.close());

  let mails: Mail[] = [];
  let isFull = false;
  let log = '';
  beforeEach(() => {
    [mails, isFull, log] = [[], false, ''];
  });

  const provider = (database: Database = made.database, teamEmailAllow: string[] | null = null) =>
    createEmbeddedIdentity({
      database,
      hasher,
      mailer: {
        async deliver(mail) {
          if (isFull) throw new Error('the outbox is full');
          mails.push(mail);
        },
        close: async () => {},
      },
      teamEmailDomain: 'team.example',
      teamEmailAllow: teamEmailAllow && new Set(teamEmailAllow),
      registrationsPerIp: 100,
      registrationsPerHour: 100,
      log: createLog('debug', (line) => void (log += line)),
      now: () => made.clock.now,
    });
  const request = (email: string) => ({
    email,
    scopes: ['captioner:audio:upload' as const],
    clientAddress: '192.0.2.1',
    userAgent: 'agent/1.0 (https://evil.test\r\nBcc: all@example.com)',
  });
  const codeOf = (mail: Mail | undefined) => /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '';

  test('both mails have the registration, the scopes and the minutes left', async () => {
    const identity = provider();
    const { claimToken, registrationId } = await identity.start(request('Ann@Example.com'));
    const [first] = mails;
    expect(first).toMatchObject({ to: 'ann@example.com', subject: 'Your Captioner code' });
    expect(first?.text).toContain(`Registration: ${registrationId}\n`);
    expect(first?.text).toContain('It is valid for 10 minutes and works once.');
    expect(first?.text).toContain('- captioner:audio:upload\n');
    // What a client says about itself is no part of the mail, nor a link.
    expect(first?.text).toContain('Requested from: 192.0.2.1 (agent/1.0 (evil.test');
    expect(first?.text).not.toMatch(/https?:|Bcc:\s*all|<[a-z]+>/);
    await guessed(made, 'ann@example.com');
    made.clock.now += 3 * 60_000;
    const answer = refused(identity.complete({ claimToken, code: codeOf(first) }));
    expect(await answer).toBe('401 invalid_otp');
    const second = mails[1];
    expect(second).toMatchObject({ to: 'ann@example.com', subject: 'Your second Captioner code' });
    expect(second?.text).toContain(`Registration: ${registrationId}\n`);
    expect(second?.text).toContain('- captioner:audio:upload\n');
    expect(second?.text).toContain('It is valid for about 7 minutes and works once.');
    const { key } = await identity.complete({ claimToken, code: codeOf(second) });
    expect(await identity.validate(key)).not.toBeNull();
  });

  test('a first or second code that cannot be mailed is an error', async () => {
    const identity = provider();
    isFull = true;
    await expect(identity.start(request('a@full.example'))).rejects.toThrow('the outbox is full');
    isFull = false;
    const { claimToken } = await identity.start(request('b@full.example'));
    await guessed(made, 'b@full.example');
    isFull = true;
    const claim = { claimToken, code: codeOf(mails[0]) };
    await expect(identity.complete(claim)).rejects.toThrow('the outbox is full');
  });

  test('an address that may not have a key gets no mail; the log has its registration', async () => {
    const identity = provider(made.database, ['ben@team.example']);
    const { registrationId } = await identity.start(request('eve@team.example'));
    expect(mails).toEqual([]);
    expect(log).toContain('address_refused');
    expect(log).toContain(registrationId);
  });

  test('invented claim tokens and registrations beyond a limit block no other writer', async () => {
    const unlocked = new Proxy(made.database, {
      get(target, name) {
        if (name === 'transaction') throw new Error('a transaction was opened');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const claim = { claimToken: 'clm_invented', code: '123456' };
    expect(await refused(provider(unlocked).complete(claim))).toBe('401 invalid_claim_token');
    const { claimToken } = await provider().start(request('past@full.example'));
    made.clock.now += 10 * 60_000;
    const past = refused(provider(unlocked).complete({ claimToken, code: '123456' }));
    expect(await past).toBe('410 claim_expired');
    for (let time = 0; time < 5; time += 1) await provider().start(request('c@full.example'));
    const next = refused(provider(unlocked).start(request('c@full.example')));
    expect(await next).toBe('429 rate_limited');
  });
});

describe('limits on registrations from many networks and for many addresses', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));

  describe('limits', () => {
    /** The number of registrations that pass, with more tries than allowed. */
    test.each<[string, object, number, number, (at: number) => [email: string, network: string]]>([
      [
        'for a /48, whose 65,536 /64s are one customer',
        { registrationsPerIp: 3 },
        15,
        12,
        (at) => [`a${at}@a${at}.example`, `2001:db8:1:${at.toString(16)}::1`],
      ],
      [
        'for a domain: a quarter of the total',
        { registrationsPerHour: 40 },
        12,
        40 * REGISTRATION.domainShare,
        (at) => [`a${at}@team.example`, elsewhere(at)],
      ],
      ['in total', { registrationsPerHour: 8 }, 10, 8, (at) => [`a@a${at}.example`, elsewhere(at)]],
    ])('%s', async (_, more, tries, passing, of) => {
      const made = await testIdentity({ ...limits, ...more });
      const outcomes: string[] = [];
      for (let at = 0; at < tries; at += 1) outcomes.push(await refused(begin(made, ...of(at))));
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(passing);
      expect(outcomes.at(-1)).toBe('429 rate_limited');
      made.clock.now += 3_600_000;
      await begin(made, 'a@example.com', elsewhere(99));
      await made.close();
    });

    test('on wrong codes from a network, without affecting other networks', async () => {
      const made = await testIdentity({ ...limits, registrationsPerIp: 3 });
      const claims: string[] = [];
      for (let at = 0; at < 2; at += 1) {
        claims.push((await begin(made, `n${at}@example.com`, `192.0.2.${at}`)).claimToken);
      }
      const outcomes: string[] = [];
      for (const claimToken of claims) {
        for (let guess = 0; guess < 4; guess += 1) {
          const code = wrong(made.code('n0@example.com'), guess + 1);
          outcomes.push(await refused(made.identity.complete({ claimToken, code })));
        }
      }
      expect(outcomes).toEqual([
        ...Array(6).fill('401 invalid_otp'),
        ...Array(2).fill('429 too_many_attempts'),
      ]);
      // It did not cost an attempt: an hour later the claim could continue if it had not expired.
      const { attempts } = await made.database
        .selectFrom('registrations')
        .select('attempts')
        .where('email', '=', 'n1@example.com')
        .executeTakeFirstOrThrow();
      expect(attempts).toBe(2);
      const { claimToken } = await begin(made, 'good@example.com', '198.51.100.1');
      await made.identity.complete({ claimToken, code: made.code('good@example.com') });
      await made.close();
    });

    test('hold across processes, also after a restart', async () => {
      expect(await registrationAfterShared(join(folder, 'shared.sqlite'))).toBe('429 rate_limited');
    });
  });
});

describe('email', () => {
  test.each([
    'ann@example.com',
    'ann@example.1.com',
    'ann@EXAMPLE.COM',
    'ann.smith+tag@mail.example.co.uk',
    "o'neil@example.com",
    'jürgen@münchen.example',
    '用户@例子.example',
    'a@xn--mnchen-3ya.example',
    `${'a'.repeat(64)}@example.com`,
    // 254 octets.
    `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(2)}${'c'.repeat(59)}.com`,
  ])('%s is valid', (email) => expect(isEmail(email)).toBe(true));

  test.each([
    '',
    'ann',
    'ann@',
    '@example.com',
    'ann@localhost',
    'ann@example..com',
    'ann@-example.com',
    'ann@example-.com',
    'example.com',
    'ann@192.0.2.1',
    'ann@example.123',
    'ann@exam ple.com',
    '.ann@example.com',
    'an..n@example.com',
    '"ann"@example.com',
    'ann@[192.0.2.1]',
    `${'a'.repeat(65)}@example.com`,
    `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(2)}${'c'.repeat(60)}.com`,
    'ann@example。com',
    'ann@ex%61mple.com',
    `a@${`${'b'.repeat(60)}.`.repeat(5)}com`,
  ])('%j is not valid', (email) => expect(isEmail(email)).toBe(false));

  test('no text with a line end or a second @ is valid', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('\r', '\n', '@', ' ', '<', ','),
        (a, b, mark) => {
          expect(isEmail(`${a}${mark}${b}@example.com`)).toBe(false);
        },
      ),
    );
  });

  test.each([
    ['Ann@Example.COM', 'ann@example.com'],
    ['ann@MÜNCHEN.example', 'ann@xn--mnchen-3ya.example'],
    ['Ann@LocalHost', 'ann@localhost'],
    ['A\u030Ann@example.com', '\u00E5nn@example.com'],
  ])('%s is normalised to %s', (email, normalised) => {
    expect(normalizeEmail(email)).toBe(normalised);
  });
});
