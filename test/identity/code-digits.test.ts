/** The digits of a mailed code. */
import { afterAll, expect, test } from 'bun:test';
import { testIdentity } from '../support/servers/identity.ts';

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
