/**
 * Compares a code with the registrations to which it may belong, and finds it right, wrong, or right but not
 * sufficient.
 *
 * Counts wrong codes to make guessing useless: for the address, for the team's domain, for the guesser's network, and
 * in total. A guess succeeds with a probability of 1e-6, so a limit on tries alone would either lock people out or let
 * guessers in. Instead, once somebody has been guessing, one right code is no longer enough: a second one is emailed,
 * and only that one claims the key. This locks nobody out, and the response does not reveal it.
 *
 * A registration with two codes is guessed with a probability of 1.3e-11: a guesser who hits the first code at try 1,
 * 2, 3, 4 or 5 (1e-6 each) has 4, 3, 2, 2 or 2 tries left for the second one (1e-6 each). The daily totals are in
 * contract/limits.ts.
 */
import { REGISTRATION, GUESSES } from '../contract/limits.ts';
import type { Database } from '../storage/database.ts';
import {
  type Registration,
  burnClaim,
  hashOfCode,
  noteRegistration,
  refusalOfClaim,
  takeTry,
  tooManyAttempts,
  claimExpired,
} from './claims.ts';
import { isDisabled } from './people.ts';
import { IdentityError } from './provider.ts';
import { sameHash, type Hasher } from './secrets.ts';
import { type Limit, countEvents, lockLimits, reachedUntil, secondsUntil } from './rate-limit.ts';
import { emailDomain } from './email.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface GuessOptions {
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
const lockGuesses = (transaction: Database, { secondCode, network }: GuessLimits): Promise<void> =>
  lockLimits(transaction, [...network, ...secondCode]);

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
async function needsSecondCode(
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

/** A right code: the claim can continue (`right`), or after guesses a second code has to be emailed (`second`). */
export interface Decided {
  registration: Registration;
  outcome: 'right' | 'second';
}

/** The outcome of a try. */
type Tried =
  | Decided
  | { refusal: IdentityError }
  /** Another claim of the same token is in progress. */
  | { outcome: 'held' };

export interface CodeOptions extends GuessOptions {
  now(): number;
}

/**
 * Tries a code once. Counting and comparing are a single step, so a hundred simultaneous tries count as a hundred.
 * @param leaseMs how long all other tries of the same token are kept out
 */
export async function tryCode(
  transaction: Database,
  options: CodeOptions,
  { tokenHash, code, leaseMs = 0 }: { tokenHash: string; code: string; leaseMs?: number },
): Promise<Tried> {
  const { hasher, now } = options;
  const at = now();
  const found = await transaction
    .selectFrom('registrations')
    .select(['email', 'client'])
    .where('claim_token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (found && (await isDisabled(transaction, hasher, found.email))) {
    return { refusal: claimExpired() };
  }
  if (found) {
    const limits = guessLimits(options, found);
    await lockGuesses(transaction, limits);
    const refusal = await networkRefusal(transaction, limits, at);
    if (refusal) return { refusal };
  }
  const registration = await takeTry(transaction, tokenHash, at, leaseMs);
  if (!registration) {
    const refusal = await refusalOfClaim(transaction, tokenHash, at);
    return refusal ? { refusal } : { outcome: 'held' };
  }
  const limits = guessLimits(options, registration);
  const candidates = await candidatesOf(transaction, registration, at);
  const match = candidates.find((one) => sameHash(one.code_hash, hashOfCode(hasher, one.id, code)));
  if (!match) {
    await countGuess(transaction, limits, candidates.length, at);
    return { refusal: await refuseCode(transaction, registration) };
  }
  const isFirst = registration.state === 'open' && registration.code_round === 1;
  const before = candidates.indexOf(match);
  const isSecondNeeded = isFirst && (await needsSecondCode(transaction, limits, before, at));
  const outcome = isSecondNeeded ? 'second' : 'right';
  if (match.id !== registration.id) {
    // The code belonged to another registration of the address; that registration is used up, and the code now
    // belongs to this one. Tries for one address exclude each other (lockGuesses), so it is still free.
    await noteRegistration(transaction, match, { state: 'claimed' });
    const codeHash = hashOfCode(hasher, registration.id, code);
    await noteRegistration(transaction, registration, { code_hash: codeHash });
  }
  return { registration, outcome };
}

/**
 * The registrations whose code may complete this one: itself, unless the same client has registered again since, and
 * the newest one of its address. This way a stranger who registers the address does not invalidate anything, and the
 * code from the newest email is always right, whoever started that registration.
 */
async function candidatesOf(
  transaction: Database,
  registration: Registration,
  at: number,
): Promise<Registration[]> {
  // After a verification by an outside provider, or with a second code, only this registration's code counts.
  const isBound = registration.state !== 'open' || registration.code_round > 1;
  if (isBound) return [registration];
  const newer = await transaction
    .selectFrom('registrations')
    .selectAll()
    .where('email', '=', registration.email)
    .where((where) =>
      where.or([
        where('created_at', '>', registration.created_at),
        where.and([
          where('created_at', '=', registration.created_at),
          where('id', '>', registration.id),
        ]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const isReplaced = newer.some(({ client }) => client === registration.client);
  const newest = newer[0];
  const candidates = isReplaced ? [] : [registration];
  if (newest && isFree(newest, at)) candidates.push(newest);
  return candidates.filter(hasCode);
}

/**
 * Whether a registration has a code. An address that may not have a key has none: its hash is empty, which no hash
 * equals.
 */
const hasCode = ({ code_hash: hash }: Registration): boolean => hash !== '';

/** Whether the code of a registration may complete another one; not while the registration itself is being claimed. */
const isFree = (
  { state, expires_at: expiresAt, code_round: round, lease_until: leaseUntil }: Registration,
  at: number,
): boolean => state === 'open' && round === 1 && expiresAt > at && Number(leaseUntil) <= at;

/** Replaces the first code by a second one for the same registration, with few tries left. */
export async function replaceCode(
  database: Database,
  hasher: Hasher,
  registration: Registration,
  second: { code: string; providerCodeId?: string },
): Promise<void> {
  await noteRegistration(database, registration, {
    code_hash: hashOfCode(hasher, registration.id, second.code),
    code_round: 2,
    attempts: Math.min(registration.attempts, REGISTRATION.maxCodes - GUESSES.triesOfSecondCode),
    ...(second.providerCodeId && { provider_code_id: second.providerCodeId }),
  });
}

/**
 * The response to a wrong code, and also to a right first code for which a second one is emailed, so that a guesser
 * cannot tell them apart.
 */
export const invalidCode = (): IdentityError =>
  new IdentityError(
    401,
    'invalid_otp',
    'The code is wrong, or a newer one was emailed. Use the newest.',
  );

/** Refuses a wrong code; the last allowed one ends the registration. */
export async function refuseCode(
  database: Database,
  registration: Registration,
): Promise<IdentityError> {
  await noteRegistration(database, registration, { lease_until: null });
  if (registration.attempts < REGISTRATION.maxCodes) return invalidCode();
  await burnClaim(database, registration);
  return tooManyAttempts();
}
