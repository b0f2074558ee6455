/** The codes that complete a registration: claims and their leases, the limits on guesses, and how long registrations are kept. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { keepLease } from '../../server/identity/workos-claim.ts';
import { hashOfCode, refusalOf, type Registration, takeTry } from '../../server/identity/claims.ts';
import {
  replaceCode,
  tryCode,
  countGuess,
  guessLimits,
  needsSecondCode,
  networkRefusal,
} from '../../server/identity/codes.ts';
import { countEvents } from '../../server/identity/rate-limit.ts';
import { createRegistrar } from '../../server/identity/registrations.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { until } from '../support/servers/client.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { begin, refused, wrong } from './attacker.ts';
import { workosBench } from './support.ts';

setDefaultTimeout(300000);

const made = await testIdentity();
const { database, identity, clock } = made;
afterAll(() => made.close());

const HOUR_MS = 3_600_000;

const registrarOptions = {
  database,
  hasher: made.hasher,
  teamEmailDomain: null,
  teamEmailAllow: null,
  registrationsPerIp: 1000,
  registrationsPerHour: 1000,
  now: () => clock.now,
};
const unlucky = {
  email: 'unlucky@example.com',
  scopes: [],
  clientAddress: '203.0.113.200',
  userAgent: '',
};

/** Two registrations of an address from different networks, and the code of each. */
async function twice(email: string) {
  const older = await begin(made, email, '192.0.2.1');
  const first = made.code(email);
  const newer = await begin(made, email, '198.51.100.1');
  const second = made.code(email);
  const change = async ({ registrationId: id }: typeof older, values: Partial<Registration>) => {
    await database.updateTable('registrations').set(values).where('id', '=', id).execute();
  };
  const complete = (code: string) =>
    refused(identity.complete({ claimToken: older.claimToken, code }));
  return { older, newer, first, second, change, complete };
}

describe('the newest code of an address', () => {
  test('completes an older registration', async () => {
    const { second, complete } = await twice('free@example.com');
    expect(await complete(second)).toBe('accepted');
  });

  test('does so if a claim of its own registration was abandoned', async () => {
    const { newer, second, change, complete } = await twice('given-up@example.com');
    await change(newer, { lease_until: clock.now });
    expect(await complete(second)).toBe('accepted');
  });

  test('does not do so after its own registration has expired', async () => {
    const { newer, second, change, complete } = await twice('expired@example.com');
    await change(newer, { expires_at: clock.now });
    expect(await complete(second)).toBe('401 invalid_otp');
  });

  test.each<[string, Partial<Registration>]>([
    ['its registration has a second code', { code_round: 2 }],
    ['its registration is being claimed', { lease_until: 9e15 }],
    ['its registration was claimed', { state: 'claimed' }],
    ['its registration was ended', { state: 'burnt' }],
  ])('does not do so while %s', async (name, values) => {
    const { newer, second, change, complete } = await twice(`${name.split(' ').at(-1)}@a.example`);
    await change(newer, values);
    expect(await complete(second)).toBe('401 invalid_otp');
  });

  test.each(['verifying', 'issuing'])(
    'does not complete one that is %s; its own code does, however many guesses there were',
    async (state) => {
      const { older, first, second, change, complete } = await twice(`${state}@example.com`);
      const row = await database
        .selectFrom('registrations')
        .selectAll()
        .where('id', '=', older.registrationId)
        .executeTakeFirstOrThrow();
      const options = { ...registrarOptions, teamEmailDomain: null };
      await countGuess(database, guessLimits(options, row), 10, clock.now);
      await change(older, { state });
      expect(await complete(second)).toBe('401 invalid_otp');
      expect(await complete(first)).toBe('accepted');
    },
  );

  test('does not complete one that waits for its second code; its own code does', async () => {
    const { older, first, second, change, complete } = await twice('bound@example.com');
    await change(older, { code_round: 2 });
    expect(await complete(second)).toBe('401 invalid_otp');
    expect(await complete(first)).toBe('accepted');
  });
});

test('the limits on guesses, by address, team, day and network', () => {
  const { hasher } = made;
  const options = { hasher, teamEmailDomain: 'team.example', registrationsPerIp: 10 };
  const told = (email: string, client: string | null) => {
    const { secondCode, network } = guessLimits(options, { email, client });
    return [...secondCode, ...network].map(
      ({ name, quota, windowMs }) => `${name} ${quota} in ${windowMs / HOUR_MS} h`,
    );
  };
  const everyones = ['guesses-per-address 10 in 168 h', 'guesses-in-all 200 in 24 h'];
  expect(told('ann@example.com', null)).toEqual(everyones);
  expect(told('ann@example.com', 'c')).toEqual([
    ...everyones,
    'claim-attempts-per-network 20 in 1 h',
  ]);
  expect(told('ann@team.example', null)[1]).toBe('guesses-per-domain 1 in 30 h');
  const subjects = (email: string, client: string) => {
    const { secondCode, network } = guessLimits(options, { email, client });
    return [...secondCode, ...network].map(({ subject }) => subject);
  };
  const [ann, inAll, home] = subjects('ann@example.com', 'home');
  expect(subjects('ben@example.com', 'away')).toEqual([
    expect.not.stringMatching(ann!),
    inAll!,
    expect.not.stringMatching(home!),
  ]);
});

test('a network that sent too many wrong codes gets Retry-After', async () => {
  const options = { ...registrarOptions, registrationsPerIp: 10 };
  const limits = guessLimits(options, { email: 'ann@example.com', client: 'busy' });
  expect(await networkRefusal(database, limits, clock.now)).toBeNull();
  await countGuess(database, { ...limits, secondCode: [] }, 1, clock.now - 60_000);
  await countEvents(database, Array(19).fill(limits.network[0]), clock.now);
  expect(await networkRefusal(database, limits, clock.now)).toMatchObject({
    status: 429,
    details: {
      limit: { name: 'claim-attempts-per-network', quota: 20, windowSeconds: 3600 },
      retryAfter: 3540,
    },
  });
});

test('a registration is kept for a day after it began, and then forgotten', async () => {
  const { registrationId: id } = await begin(made, 'kept@example.com', '203.0.113.9');
  const begun = clock.now;
  const there = async () =>
    (await database.selectFrom('registrations').where('id', '=', id).select('id').execute())
      .length === 1;
  clock.now = begun + 24 * HOUR_MS - 1;
  await begin(made, 'sweeper1@example.com', '203.0.113.10');
  expect(await there()).toBe(true);
  clock.now = begun + 25 * HOUR_MS;
  await begin(made, 'sweeper2@example.com', '203.0.113.10');
  expect(await there()).toBe(false);
});

test('a registration ends with its code, or after ten minutes without one', async () => {
  const start = createRegistrar({
    ...registrarOptions,
    teamEmailDomain: 'team.example',
    teamEmailAllow: new Set(['ann@team.example']),
  });
  const make = () => ({ code: '123456', expiresAt: clock.now + 1234 });
  const of = { ...unlucky, clientAddress: '203.0.113.150' };
  const told = async (email: string) => (await start({ ...of, email }, make)).started;
  expect((await told('ann@team.example')).expiresAt).toBe(clock.now + 1234);
  const { expiresAt, claimToken, registrationId } = await told('eve@team.example');
  expect(expiresAt).toBe(clock.now + 600_000);
  expect(claimToken).toMatch(/^clm_[\w-]{43}$/);
  expect(registrationId).toMatch(/^reg_[0-9a-f-]{36}$/);
});

test('a registration whose code cannot be created counts towards no limit', async () => {
  const start = createRegistrar({ ...registrarOptions, registrationsPerIp: 2 });
  const request = unlucky;
  for (let time = 0; time < 3; time += 1) {
    const failing = start(request, () => {
      throw new Error('no mail today');
    });
    await expect(failing).rejects.toThrow('no mail today');
  }
  const make = () => ({ code: '123456', expiresAt: clock.now + 1000 });
  expect((await start(request, make)).started.limit?.remaining).toBe(1);
  // Nor does it undo what other requests have counted.
  const failing = start(request, () => Promise.reject(new Error('no mail today')));
  await expect(failing).rejects.toThrow('no mail today');
  expect((await start(request, make)).started.limit?.remaining).toBe(0);
  await expect(start(request, make)).rejects.toMatchObject({
    code: 'rate_limited',
    details: {
      limit: { name: 'registrations-per-client', quota: 2, windowSeconds: 3600 },
      retryAfter: 3600,
    },
  });
});

test('each code that a try is compared with is a chance: after ten of them a second code is needed', async () => {
  const limits = guessLimits(registrarOptions, { email: 'chances@example.com', client: null });
  const needs = (before: number) => needsSecondCode(database, limits, before, clock.now);
  expect([await needs(9), await needs(10)]).toEqual([false, true]);
  // A try that was compared with no code, from a network that is not known, counts for nobody.
  await countGuess(database, limits, 0, clock.now);
  expect(await needs(9)).toBe(false);
  await countGuess(database, limits, 6, clock.now);
  expect([await needs(3), await needs(4)]).toEqual([false, true]);
});

describe('attempts of a claim in the database, each guard separately', async () => {
  const made = await testIdentity();
  const { database } = made;
  afterAll(() => made.close());

  /** A registration with some columns changed, and the current time. */
  async function registered(email: string, values: Partial<Registration> = {}) {
    await made.start(email);
    const row = await database
      .updateTable('registrations')
      .set({ attempts: 0, ...values })
      .where('email', '=', email)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { hash: row.claim_token_hash, expiresAt: row.expires_at };
  }

  test('a try is accepted until the claim expires', async () => {
    const { hash, expiresAt } = await registered('expiry@example.com');
    expect(await takeTry(database, hash, expiresAt - 1)).toMatchObject({ attempts: 1 });
    expect(await takeTry(database, hash, expiresAt)).toBeNull();
  });

  test.each(['claimed', 'burnt'])(
    'no try is accepted for a registration that is %s',
    async (state) => {
      const { hash, expiresAt } = await registered(`${state}@example.com`, { state });
      expect(await takeTry(database, hash, expiresAt - 1)).toBeNull();
    },
  );

  test('after too many wrong codes an address waits a minute', async () => {
    const { hash, expiresAt } = await registered('cooling@example.com', { state: 'burnt' });
    expect(await refusalOf(database, hash, expiresAt - 1)).toMatchObject({
      status: 429,
      details: { limit: { quota: 5, windowSeconds: 600 }, retryAfter: 60 },
    });
  });

  test('a try without a lease leaves none, whatever the clock of another machine', async () => {
    const { hash, expiresAt } = await registered('skewed@example.com');
    expect(await takeTry(database, hash, expiresAt - 1000)).toMatchObject({ lease_until: null });
    expect(await takeTry(database, hash, expiresAt - 2000)).toMatchObject({ attempts: 2 });
  });

  test('a lease blocks every other try until it ends', async () => {
    const { hash, expiresAt } = await registered('lease@example.com');
    const now = expiresAt - 10_000;
    expect(await takeTry(database, hash, now, 3000)).toMatchObject({ lease_until: now + 3000 });
    expect(await takeTry(database, hash, now + 2999)).toBeNull();
    expect(await takeTry(database, hash, now + 3000)).toMatchObject({ attempts: 2 });
  });
});

describe('the lease of a claim', async () => {
  const { made, register } = await workosBench();
  const { database, clock } = made;

  /** A registration with a lease, and the functions that read and take it. */
  async function leased(email: string) {
    const { registrationId } = await register(email);
    const take = (lease_until: number) =>
      database
        .updateTable('registrations')
        .set({ lease_until })
        .where('id', '=', registrationId)
        .execute();
    await take(clock.now + 50);
    const row = () =>
      database
        .selectFrom('registrations')
        .selectAll()
        .where('id', '=', registrationId)
        .executeTakeFirstOrThrow();
    const services = { database, now: () => clock.now };
    const lease = keepLease(services, await row(), { leaseMs: 60, renewEveryMs: 1 });
    return { lease, row, take };
  }

  test('a lease of another registration that ends at the same instant is not renewed with it', async () => {
    const other = await leased('other@example.com');
    await other.lease.stop();
    const { lease, take } = await leased('renewed@example.com');
    await lease.stop();
    const end = clock.now + 50;
    await Promise.all([other.take(end), take(end)]);
    const services = { database, now: () => clock.now + 10 };
    const row = { ...(await other.row()), lease_until: end };
    const renewed = keepLease(services, row, { leaseMs: 60, renewEveryMs: 1 });
    await until(async () => renewed.until() !== end);
    await renewed.stop();
    expect((await other.row()).lease_until).toBe(clock.now + 70);
    expect(
      await database
        .selectFrom('registrations')
        .select('id')
        .where('lease_until', '=', end)
        .execute(),
    ).toHaveLength(1);
  });

  test('it is lost once another claim has taken it, whose lease is unchanged', async () => {
    const { lease, row, take } = await leased('taken@example.com');
    const theirs = clock.now + 5000;
    await take(theirs);
    await until(async () => !lease.isHeld());
    await lease.stop();
    expect((await row()).lease_until).toBe(theirs);
  });
});

describe('registrations and claims whose writes fail', async () => {
  const made = await testIdentity();
  const { database, identity, hasher, clock } = made;
  afterAll(() => made.close());

  /** Makes a claim while the database refuses a kind of write, and expects that it fails with that. */
  const failsWithout = (write: string, claim: { claimToken: string; code: string }) =>
    refusing(database, write, () => identity.complete(claim));

  test.each([
    ['try', 'update of attempts on registrations'],
    ['workspace', 'insert on organizations'],
    ['key', 'insert on api_keys'],
    ['end', 'update of state on registrations'],
  ])('a claim whose %s cannot be recorded returns no key', async (name, write) => {
    const email = `${name}@example.com`;
    const { claimToken } = await begin(made, email, '192.0.2.1');
    const claim = { claimToken, code: made.code(email) };
    await failsWithout(write, claim);
    expect(await refused(identity.complete(claim))).toBe('accepted');
    expect(await refused(identity.complete(claim))).toBe('409 claim_already_used');
  });

  test('a newer code that cannot be recorded as used returns no key', async () => {
    const { claimToken } = await begin(made, 'newer@example.com', '192.0.2.2');
    await begin(made, 'newer@example.com', '198.51.100.2');
    const claim = { claimToken, code: made.code('newer@example.com') };
    for (const column of ['state', 'code_hash']) {
      await failsWithout(`update of ${column} on registrations`, claim);
    }
    expect(await refused(identity.complete(claim))).toBe('accepted');
  });

  test('a wrong code that cannot be counted is not answered as wrong', async () => {
    const { claimToken } = await begin(made, 'guessed@example.com', '192.0.2.3');
    const guess = { claimToken, code: wrong(made.code('guessed@example.com')) };
    for (const write of [
      'insert on rate_events',
      'update of lease_until on registrations',
      'update of lease_until on registrations when new.lease_until is null',
    ]) {
      await failsWithout(write, guess);
    }
    for (let tries = 1; tries < 5; tries += 1) {
      expect(await refused(identity.complete(guess))).toBe('401 invalid_otp');
    }
    await failsWithout('update of state on registrations', guess);
    expect(await refused(identity.complete(guess))).toBe('429 too_many_attempts');
  });

  test('no second code is mailed unless it is recorded', async () => {
    const email = 'second@example.com';
    const { claimToken, registrationId } = await begin(made, email, '192.0.2.4');
    const row = await database
      .selectFrom('registrations')
      .selectAll()
      .where('id', '=', registrationId)
      .executeTakeFirstOrThrow();
    const options = { hasher, teamEmailDomain: null, registrationsPerIp: 100 };
    await countGuess(database, guessLimits(options, row), 10, clock.now);
    const claim = { claimToken, code: made.code(email) };
    await failsWithout('update of code_round on registrations', claim);
    expect(made.mails(email)).toBe(1);
    expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
    expect(made.mails(email)).toBe(2);
    expect(await refused(identity.complete({ claimToken, code: made.code(email) }))).toBe(
      'accepted',
    );
  });
});

describe('the registration that a code counts for, each condition by itself', async () => {
  const made = await testIdentity();
  const { database, hasher, clock, start, code } = made;
  afterAll(() => made.close());

  const options = {
    hasher,
    teamEmailDomain: null,
    registrationsPerIp: 100,
    now: () => clock.now,
  };
  const rowOf = (id: string) =>
    database.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** Registers an address, from another network than before, with some columns changed. */
  let networks = 0;
  async function registered(email: string, values: Partial<Registration> = {}) {
    networks += 1;
    const { claimToken, registrationId: id } = await start(email, {
      clientAddress: `203.0.${networks}.1`,
    });
    if (Object.keys(values).length > 0) {
      await database.updateTable('registrations').set(values).where('id', '=', id).execute();
    }
    const mailed = code(email);
    const attempt = (given: string, leaseMs = 0) =>
      database.transaction().execute((transaction) =>
        tryCode(transaction, options, {
          tokenHash: hasher.hash('claim', claimToken),
          code: given,
          leaseMs,
        }),
      );
    return { id, mailed, attempt };
  }

  test('a claim that expires before its code is compared is refused as expired', async () => {
    const { mailed, attempt } = await registered('late@example.com', { expires_at: clock.now });
    expect(await attempt(mailed)).toMatchObject({
      refusal: { status: 410, code: 'claim_expired' },
    });
  });

  test('the code of a newer registration counts, and from then on belongs to this one', async () => {
    const older = await registered('moved@example.com');
    const newer = await registered('moved@example.com');
    expect(await older.attempt(newer.mailed)).toMatchObject({ outcome: 'right' });
    const [row, spent] = [await rowOf(older.id), await rowOf(newer.id)];
    expect(row.code_hash).toBe(hashOfCode(hasher, older.id, newer.mailed));
    expect([row.state, spent.state]).toEqual(['open', 'claimed']);
  });

  test.each([
    [1, 4],
    [2, 3],
    [3, 2],
    [4, 2],
    [5, 2],
  ])('after a right first code at try %d there are %d tries of the second', async (tried, left) => {
    const { id, attempt } = await registered(`try${tried}@example.com`, { attempts: tried });
    await replaceCode(database, hasher, await rowOf(id), { code: '654321' });
    for (let again = 1; again < left; again += 1) {
      expect(await attempt('123456')).toMatchObject({ refusal: { code: 'invalid_otp' } });
    }
    expect(await attempt('123456')).toMatchObject({ refusal: { code: 'too_many_attempts' } });
    expect(await attempt('654321')).toMatchObject({ refusal: { code: 'too_many_attempts' } });
  });

  test('a code is stored as earlier versions stored it, so that it stays valid', () => {
    expect(hashOfCode(createHasher('pepper'), 'reg_1', '123456')).toBe(
      '4f55e427ef565f72238120a1dfc036ff048ab94f84ade5b82b4266896426b324',
    );
  });
});

describe('the digits of a mailed code', async () => {
  const made = await testIdentity();
  afterAll(() => made.close());
  const { start, code } = made;

  test('a code has six digits, each of them any of the ten', async () => {
    const codes: string[] = [];
    for (let at = 0; at < 60; at += 1) {
      await start(`digits-${at}@example.com`, { clientAddress: `198.18.${at}.1` });
      codes.push(code(`digits-${at}@example.com`));
    }
    expect(codes.filter((one) => !/^[0-9]{6}$/.test(one))).toEqual([]);
    // That one digit is in none of 360 places has a chance of 3e-16.
    expect(new Set(codes.join('')).size).toBe(10);
  });
});
