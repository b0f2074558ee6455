/** The codes that complete a registration: claims and their leases, the limits on guesses, and how long registrations are kept. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Registration, hashOfCode } from '../../server/identity/claims.ts';
import { createRegistrar } from '../../server/identity/registrations.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { begin, guessed, refused, wrong } from './attacker.ts';
import { countEvents } from '../../server/identity/rate-limit.ts';
import { countGuess, guessLimits, networkRefusal } from '../../server/identity/guess-limits.ts';

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
      await guessed(made, `${state}@example.com`);
      await change(older, { state });
      expect(await complete(second)).toBe('401 invalid_otp');
      expect(await complete(first)).toBe('accepted');
    },
  );
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

describe('registrations and claims whose writes fail', async () => {
  const made = await testIdentity();
  const { database, identity } = made;
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
    const { claimToken } = await begin(made, email, '192.0.2.4');
    await guessed(made, email);
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

test('a code is stored as earlier versions stored it, so that it stays valid', () => {
  expect(hashOfCode(createHasher('pepper'), 'reg_1', '123456')).toBe(
    '4f55e427ef565f72238120a1dfc036ff048ab94f84ade5b82b4266896426b324',
  );
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
