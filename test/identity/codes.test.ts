/** The codes that complete a registration, the limits on guesses, and how long registrations are kept. */
import { afterAll, describe, expect, test } from 'bun:test';
import type { Registration } from '../../server/identity/claims.ts';
import {
  countGuess,
  guessLimits,
  minutesLeft,
  needsSecondCode,
  networkRefusal,
} from '../../server/identity/guesses.ts';
import { countEvents, reachedUntil } from '../../server/identity/rate-limit.ts';
import { createRegistrar } from '../../server/identity/registrations.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { begin, refused } from './attacker.ts';

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

test('a limit that is far exceeded holds until the events within its quota have passed', async () => {
  const limit = { name: 'y', subject: 'y', quota: 2, windowMs: 60_000 };
  for (const at of [1000, 2000, 3000, 4000]) await countEvents(database, [limit], at);
  expect(await reachedUntil(database, limit, 5000)).toBe(63_000);
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

test('registrations are swept every ten minutes', async () => {
  let sweeps = 0;
  const start = createRegistrar({
    ...registrarOptions,
    sweep: async () => void (sweeps += 1),
  });
  const make = () => ({ code: '123456', expiresAt: clock.now + 1000 });
  const request = { ...unlucky, email: 'swept@example.com', clientAddress: '203.0.113.99' };
  await start(request, make);
  clock.now += 599_999;
  await start(request, make);
  expect(sweeps).toBe(1);
  clock.now += 1;
  await start(request, make);
  expect(sweeps).toBe(2);
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

test.each([
  [10 * 60_000, 10],
  [599_999, 9],
  [90_000, 1],
  [1, 1],
  [-5, 1],
  [24 * 60 * 60_000, 10],
])('a claim that ends in %p ms has %p minutes, as stated in a mail', (left, minutes) => {
  const registration = { expires_at: clock.now + left } as Registration;
  expect(minutesLeft(registration, clock.now)).toBe(minutes);
});
