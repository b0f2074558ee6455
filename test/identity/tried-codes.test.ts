/** The registration that a code counts for, each condition by itself. */
import { afterAll, expect, test } from 'bun:test';
import { hashOfCode, type Registration } from '../../server/identity/claims.ts';
import { replaceCode, tryCode } from '../../server/identity/codes.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { testIdentity } from '../support/servers/identity.ts';

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
  expect(await attempt(mailed)).toMatchObject({ refusal: { status: 410, code: 'claim_expired' } });
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
