/**
 * Registrations and claims whose writes fail: none counts as done, and the same claim can be
 * repeated.
 */
import { afterAll, expect, test } from 'bun:test';
import { refusing } from '../support/servers/sqlite-database.ts';
import { refuseCode } from '../../server/identity/codes.ts';
import { countGuess, guessLimits } from '../../server/identity/guesses.ts';
import { createRegistrar } from '../../server/identity/registrations.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { begin, refused, wrong } from './attacker.ts';

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

test('a wrong code is refused only when its lease is released', async () => {
  const { registrationId } = await begin(made, 'released@example.com', '192.0.2.4');
  const registration = await database
    .selectFrom('registrations')
    .selectAll()
    .where('id', '=', registrationId)
    .executeTakeFirstOrThrow();
  await refusing(database, 'update of lease_until on registrations', () =>
    refuseCode(database, registration),
  );
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
  expect(await refused(identity.complete({ claimToken, code: made.code(email) }))).toBe('accepted');
});

test('a registration whose code can neither be created nor withdrawn fails with the second error', async () => {
  const begun = createRegistrar({
    database,
    hasher,
    teamEmailDomain: null,
    teamEmailAllow: null,
    registrationsPerIp: 100,
    registrationsPerHour: 100,
    now: () => clock.now,
  });
  const request = { email: 'back@example.com', scopes: [], clientAddress: '192.0.2.6' };
  await refusing(database, 'delete on rate_events', () =>
    begun({ ...request, userAgent: '' }, () => Promise.reject(new Error('no mail today'))),
  );
});

test('a registration whose writes fail is not answered as started', async () => {
  const start = () => begin(made, 'begun@example.com', '192.0.2.5');
  for (const write of ['insert on rate_events', 'insert on registrations']) {
    await refusing(database, write, start);
  }
  clock.now += 25 * 3_600_000;
  for (const table of ['rate_events', 'registrations']) {
    await refusing(database, `delete on ${table}`, start);
    // The sweep is due again after ten minutes.
    clock.now += 600_000;
  }
  await start();
});
