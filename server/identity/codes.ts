/** Compares a code with the registrations to which it may belong, and finds it right, wrong, or right but not sufficient. */
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
import {
  type GuessOptions,
  guessLimits,
  lockGuesses,
  networkRefusal,
  needsSecondCode,
  countGuess,
} from './guess-limits.ts';

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
