/** An attacker with any number of networks, against providers with realistic limits. */
import { crc32 } from 'node:zlib';
import { countGuess, guessLimits } from '../../server/identity/guess-limits.ts';
import { testIdentity, type TestIdentity } from '../support/servers/identity.ts';
import { REGISTRATION } from '../../server/contract/limits.ts';

/** The default limits. */
export const limits = {
  registrationsPerIp: REGISTRATION.perClient,
  registrationsPerHour: REGISTRATION.inAll,
};

/** The `status code` of a refusal. */
export const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: { status?: number; code?: string }) => `${error.status} ${error.code}`,
  );

/** A wrong code, different for each number. */
export const wrong = (right: string, other = 1): string =>
  String((Number(right) + other) % 1_000_000).padStart(6, '0');

/** A separate /64, in a separate /48. */
export const elsewhere = (at: number): string =>
  `2001:db8:${at.toString(16)}:${(at * 7).toString(16)}::1`;

/** Registers an address from a network. */
export const begin = (made: TestIdentity, email: string, clientAddress: string) =>
  made.start(email, { clientAddress });

/** Counts ten wrong guesses at the codes of an address, after which a second code is needed. */
export function guessed(
  { database, hasher, clock }: TestIdentity,
  email: string,
): Promise<unknown> {
  const options = { hasher, teamEmailDomain: null, registrationsPerIp: 100 };
  const limits = guessLimits(options, { email, client: null });
  return countGuess(database, limits, 10, clock.now);
}

/**
 * Lets two processes register on one database until the limit is reached; returns the outcome of
 * one more.
 */
export async function registrationAfterShared(databaseUrl: string): Promise<string> {
  const shared = { ...limits, registrationsPerHour: 8, databaseUrl, pepper: 'p'.repeat(32) };
  const one = await testIdentity(shared);
  const two = await testIdentity(shared);
  for (let at = 0; at < 4; at += 1) {
    await begin(one, `a@b${at}.example`, elsewhere(at));
    await begin(two, `a@c${at}.example`, elsewhere(100 + at));
  }
  await two.close();
  const outcome = await refused(begin(one, 'a@d.example', elsewhere(99)));
  await one.close();
  return outcome;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A text with the checksum that a key of these characters would have. */
export function summed(body: string): string {
  let rest = crc32(body);
  let sum = '';
  for (; rest > 0; rest = Math.floor(rest / 62)) sum = (DIGITS[rest % 62] ?? '') + sum;
  return `${body}_${sum.padStart(6, '0')}`;
}
