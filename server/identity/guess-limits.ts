/**
 * Counts wrong codes to make guessing useless: for the address, for the team's domain, for the guesser's network, and
 * in total. A guess succeeds with a probability of 1e-6, so a limit on tries alone would either lock people out or let
 * guessers in. Instead, once somebody has been guessing, one right code is no longer enough: a second one is emailed,
 * and only that one claims the key. This locks nobody out, and the response does not reveal it. A registration with two
 * codes is guessed with a probability of 1.3e-11: a guesser who hits the first code at try 1, 2, 3, 4 or 5 (1e-6 each)
 * has 4, 3, 2, 2 or 2 tries left for the second one (1e-6 each). The daily totals are in contract/limits.ts.
 */
import { GUESSES } from '../contract/limits.ts';
import type { Database } from '../storage/database.ts';
import { type Registration } from './claims.ts';
import { IdentityError } from './provider.ts';
import { type Hasher } from './secrets.ts';
import { type Limit, countEvents, lockLimits, reachedUntil, secondsUntil } from './rate-limit.ts';
import { emailDomain } from './email.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface GuessOptions {
  hasher: Hasher;
  teamEmailDomain: string | null;
  /** Registrations an hour from one client. */
  registrationsPerIp: number;
}

/** The limits on guesses for a registration. */
interface GuessLimits {
  /** The limits beyond which one code is no longer enough. */
  secondCode: Limit[];
  /** The limits beyond which no code from the network is compared. */
  network: Limit[];
}

/** The limits that apply to a registration. */
export function guessLimits(
  { hasher, teamEmailDomain, registrationsPerIp }: GuessOptions,
  { email, client }: Pick<Registration, 'email' | 'client'>,
): GuessLimits {
  const limit = (name: string, of: string, quota: number, windowMs: number): Limit => ({
    name,
    subject: hasher.hash('guess', name, of),
    quota,
    windowMs,
  });
  const windowMs = GUESSES.countDays * DAY_MS;
  const secondCode = [limit('guesses-per-address', email, GUESSES.perAddress, windowMs)];
  const domain = emailDomain(email);
  if (domain === teamEmailDomain) {
    const domainWindowMs = GUESSES.perDomainHours * HOUR_MS;
    secondCode.push(limit('guesses-per-domain', domain, GUESSES.perDomain, domainWindowMs));
  }
  secondCode.push(limit('guesses-in-all', '', GUESSES.inAll, DAY_MS));
  const quota = GUESSES.perClientRegistration * registrationsPerIp;
  const network =
    client === null ? [] : [limit('claim-attempts-per-network', client, quota, HOUR_MS)];
  return { secondCode, network };
}

/** Makes all other tries under these limits wait until the transaction ends. */
export const lockGuesses = (
  transaction: Database,
  { secondCode, network }: GuessLimits,
): Promise<void> => lockLimits(transaction, [...network, ...secondCode]);

/** The refusal of a network that sent too many wrong codes; null if it may send another. */
export async function networkRefusal(
  database: Database,
  { network }: GuessLimits,
  now: number,
): Promise<IdentityError | null> {
  for (const limit of network) {
    const until = await reachedUntil(database, limit, now);
    if (until === null) continue;
    const { name, quota, windowMs } = limit;
    return new IdentityError(
      429,
      'too_many_attempts',
      'Too many wrong codes from this network. Wait, then try again.',
      {
        limit: { name, quota, windowSeconds: windowMs / 1000 },
        retryAfter: secondsUntil(until, now),
      },
    );
  }
  return null;
}

/**
 * Whether somebody has been guessing, so that one code is not enough.
 * @param before the number of codes with which the try was compared before it matched. Each was a separate chance, and
 *   none beyond a limit may claim a key.
 */
export async function needsSecondCode(
  database: Database,
  { secondCode }: GuessLimits,
  before: number,
  now: number,
): Promise<boolean> {
  for (const limit of secondCode) {
    const quota = limit.quota - before;
    if (quota <= 0 || (await reachedUntil(database, { ...limit, quota }, now)) !== null) {
      return true;
    }
  }
  return false;
}

/**
 * Counts a wrong code.
 * @param compared the number of codes with which it was compared, each of which is a chance. If it is zero, because the
 *   address has no code, the try counts only for the network.
 */
export async function countGuess(
  database: Database,
  { secondCode, network }: GuessLimits,
  compared: number,
  now: number,
): Promise<void> {
  const chances = Array.from({ length: compared }, () => secondCode).flat();
  const counted = [...network, ...chances];
  if (counted.length > 0) await countEvents(database, counted, now);
}
