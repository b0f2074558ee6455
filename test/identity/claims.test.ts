/** Attempts of a claim in the database, each guard separately: expiry, state, lease and limits. */
import { afterAll, expect, test } from 'bun:test';
import { refusalOf, takeTry, type Registration } from '../../server/identity/claims.ts';
import { countEvents, reachedUntil, remainingOf } from '../../server/identity/rate-limit.ts';
import { testIdentity } from '../support/servers/identity.ts';

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

test('the remainder of a limit is never negative, and returns with its window', async () => {
  const limit = { name: 'x', subject: 'x', quota: 2, windowMs: 60_000 };
  for (const at of [1000, 2000, 3000]) await countEvents(database, [limit], at);
  expect(await remainingOf(database, limit, 4000)).toEqual({
    name: 'x',
    quota: 2,
    windowSeconds: 60,
    remaining: 0,
    resetSeconds: 57,
  });
  expect(await reachedUntil(database, limit, 4000)).toBe(62_000);
  expect(await remainingOf(database, limit, 62_000)).toMatchObject({ remaining: 1 });
  expect(await reachedUntil(database, limit, 62_000)).toBeNull();
  expect(await remainingOf(database, limit, 70_000)).toMatchObject({
    remaining: 2,
    resetSeconds: 60,
  });
});
