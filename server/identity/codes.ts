/** A code against the registrations it may belong to: right, wrong, or right but not enough. */
import { TRIES_OF_SECOND_CODE, MAX_CODES } from '../contract/limits.ts';
import type { Database } from '../storage/database.ts';
import {
  burn,
  hashOfCode,
  noteRegistration,
  refusalOf,
  takeTry,
  tooManyAttempts,
  type Registration,
} from './claims.ts';
import {
  countGuess,
  guessLimits,
  lockGuesses,
  needsSecondCode,
  networkRefusal,
  type GuessOptions,
} from './guesses.ts';
import { IdentityError } from './provider.ts';
import { sameHash, type Hasher } from './secrets.ts';

/** What a try came to. */
export type Tried =
  /** The code is right, and the claim may go on. */
  | { registration: Registration; outcome: 'right' }
  /** It is right, but somebody has been guessing: a second one has to be mailed. */
  | { registration: Registration; outcome: 'second' }
  | { refusal: IdentityError }
  /** Another claim of the same token is under way. */
  | { outcome: 'held' };

export interface CodeOptions extends GuessOptions {
  now(): number;
}

/**
 * Tries a code, once: whether it is counted and whether it is right is one step, so that a hundred tries
 * at once are a hundred tries.
 * @param leaseMs keeps every other try of the same token out for so long
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
  if (found) {
    const limits = guessLimits(options, found);
    await lockGuesses(transaction, limits);
    const refusal = await networkRefusal(transaction, limits, at);
    if (refusal) return { refusal };
  }
  const registration = await takeTry(transaction, tokenHash, at, leaseMs);
  if (!registration) {
    const refusal = await refusalOf(transaction, tokenHash, at);
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
  const outcome = isFirst && (await needsSecondCode(transaction, limits, at)) ? 'second' : 'right';
  if (match.id === registration.id) return { registration, outcome };
  // The code of another registration of the address is spent, and belongs to this one from here on. Tries
  // of one address exclude each other (lockGuesses), so that it was free is still true.
  await noteRegistration(transaction, match, { state: 'claimed' });
  const codeHash = hashOfCode(hasher, registration.id, code);
  await noteRegistration(transaction, registration, { code_hash: codeHash });
  return { registration: { ...registration, code_hash: codeHash }, outcome };
}

/**
 * The registrations whose code may complete this one: itself, unless the same client has registered
 * again since, and the newest of its address. A stranger who registers the address therefore voids
 * nothing, and a person who takes the newest mail is right, whoever's registration it belongs to.
 */
async function candidatesOf(
  transaction: Database,
  registration: Registration,
  at: number,
): Promise<Registration[]> {
  // What an outside provider has verified, and a second code, is for this very registration.
  const isBound = registration.state !== 'open' || registration.code_round > 1;
  if (isBound) return [registration].filter(hasCode);
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

/** An address that may have no key has no code either: no hash equals an empty one. */
const hasCode = ({ code_hash: hash }: Registration): boolean => hash !== '';

/** Whether the code of a registration may complete another one: not while a claim of its own is under way. */
const isFree = (
  { state, expires_at: expiresAt, code_round: round, lease_until: leaseUntil }: Registration,
  at: number,
): boolean =>
  state === 'open' && round === 1 && expiresAt > at && (leaseUntil === null || leaseUntil <= at);

/** Puts a second code in the place of the first: the same registration, with few tries left. */
export async function replaceCode(
  database: Database,
  hasher: Hasher,
  registration: Registration,
  second: { code: string; providerCodeId?: string },
): Promise<void> {
  await noteRegistration(database, registration, {
    code_hash: hashOfCode(hasher, registration.id, second.code),
    code_round: 2,
    attempts: Math.min(registration.attempts, MAX_CODES - TRIES_OF_SECOND_CODE),
    lease_until: null,
    ...(second.providerCodeId === undefined ? {} : { provider_code_id: second.providerCodeId }),
  });
}

/**
 * The answer to a wrong code, and to a first one that was right where a second one is on its way: who
 * guesses must not learn which.
 */
export const invalidCode = (): IdentityError =>
  new IdentityError(
    401,
    'invalid_otp',
    'The code is wrong, or a newer one was mailed. Use the newest.',
  );

/** Answers a wrong code; the last one that may be tried ends the registration. */
export async function refuseCode(
  database: Database,
  registration: Registration,
): Promise<IdentityError> {
  await noteRegistration(database, registration, { lease_until: null });
  if (registration.attempts < MAX_CODES) return invalidCode();
  await burn(database, registration);
  return tooManyAttempts();
}
