/** The claim of a registration: all of it inside one transaction, so that it happens once. */
import type { Transaction } from 'kysely';
import type { Tables } from '../storage/tables.ts';
import { IdentityError } from './provider.ts';
import { sameHash, type Hasher } from './secrets.ts';

/** Wrong codes that end a registration. */
export const MAX_WRONG_CODES = 5;

/** The registration that was claimed, or why not. A refusal is a value: what it counted must stay. */
export type ClaimResult = { registration: Tables['registrations'] } | { refused: IdentityError };

/**
 * Claims a registration. The code that counts is the newest one mailed to the address: a later
 * registration voids the code of an earlier one, whose claim token still stands until it expires.
 */
export async function claimRegistration(
  transaction: Transaction<Tables>,
  hasher: Hasher,
  { claimToken, code }: { claimToken: string; code: string },
  now: number,
): Promise<ClaimResult> {
  const registration = await transaction
    .selectFrom('registrations')
    .selectAll()
    .where('claim_token_hash', '=', hasher.hash('claim', claimToken))
    .executeTakeFirst();
  const refusal = refuse(registration, now);
  if (refusal) return { refused: refusal };
  if (!registration) throw new Error('an unknown claim token has been refused');

  const newest = await newestOf(transaction, registration.email);
  const right =
    newest.expires_at > now &&
    newest.state === 'open' &&
    sameHash(newest.code_hash, hasher.hash('code', newest.id, code));
  if (!right) return { refused: await countWrongCode(transaction, registration) };

  // The code is spent with the claim, whichever of the two registrations it was mailed for.
  await transaction
    .updateTable('registrations')
    .set({ state: 'claimed' })
    .where('id', 'in', [registration.id, newest.id])
    .execute();
  return { registration };
}

function refuse(
  registration: Tables['registrations'] | undefined,
  now: number,
): IdentityError | null {
  if (!registration) {
    return new IdentityError(
      401,
      'invalid_claim_token',
      'The claim token is not known. Register again.',
    );
  }
  if (registration.state === 'claimed') {
    return new IdentityError(409, 'claim_already_used', 'The claim token has been used already.');
  }
  if (registration.state === 'burnt') return tooManyAttempts();
  if (registration.expires_at <= now) {
    return new IdentityError(410, 'claim_expired', 'The claim has expired. Register again.');
  }
  return null;
}

const tooManyAttempts = (): IdentityError =>
  new IdentityError(429, 'too_many_attempts', 'Too many wrong codes. Register again later.', {
    name: 'claim-attempts',
    quota: MAX_WRONG_CODES,
    windowSeconds: 600,
    retryAfter: 60,
  });

async function newestOf(
  transaction: Transaction<Tables>,
  email: string,
): Promise<Tables['registrations']> {
  return transaction
    .selectFrom('registrations')
    .selectAll()
    .where('email', '=', email)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

async function countWrongCode(
  transaction: Transaction<Tables>,
  { id, attempts }: Tables['registrations'],
): Promise<IdentityError> {
  const over = attempts + 1 >= MAX_WRONG_CODES;
  await transaction
    .updateTable('registrations')
    .set({ attempts: attempts + 1, ...(over ? { state: 'burnt' as const } : {}) })
    .where('id', '=', id)
    .execute();
  if (over) return tooManyAttempts();
  return new IdentityError(401, 'invalid_otp', 'The code is wrong. Use the newest one.');
}
