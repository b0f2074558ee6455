/** The claim of a registration, for both providers: counts the codes tried, and refuses further ones. */
import type { Selectable } from 'kysely';
import type { Database } from '../storage/database.ts';
import { IdentityError } from './provider.ts';
import type { Hasher } from './secrets.ts';
import { REGISTRATION } from '../contract/limits.ts';
import type { Tables } from '../storage/tables.ts';

export type Registration = Selectable<Tables['registrations']>;

/** Pause after too many wrong codes, in seconds. */
const COOLING_SECONDS = 60;

/** The stored form of a code, bound to its registration. */
export const hashOfCode = (hasher: Hasher, registrationId: string, code: string): string =>
  hasher.hash('code', registrationId, code);

/**
 * Counts a try on a registration, before its code is compared.
 * @param leaseMs how long all other tries are kept out
 * @returns the registration with the try counted, or null if no try is allowed (see `refusalOf`)
 */
export async function takeTry(
  database: Database,
  claimTokenHash: string,
  now: number,
  leaseMs = 0,
): Promise<Registration | null> {
  const row = await database
    .updateTable('registrations')
    .set((expression) => ({
      attempts: expression('attempts', '+', 1),
      lease_until: leaseMs > 0 ? now + leaseMs : null,
    }))
    .where('claim_token_hash', '=', claimTokenHash)
    .where('state', 'not in', ['claimed', 'burnt'])
    .where('expires_at', '>', now)
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** The reason why no try is allowed on a registration; null if only another try is in progress. */
export async function refusalOfClaim(
  database: Database,
  claimTokenHash: string,
  now: number,
): Promise<IdentityError | null> {
  const row = await database
    .selectFrom('registrations')
    .select(['state', 'expires_at'])
    .where('claim_token_hash', '=', claimTokenHash)
    .executeTakeFirst();
  if (!row) {
    return new IdentityError(
      401,
      'invalid_claim_token',
      'The claim token is unknown. Register again.',
    );
  }
  if (row.state === 'claimed') {
    return new IdentityError(409, 'claim_already_used', 'The claim token has already been used.');
  }
  if (row.state === 'burnt') return tooManyAttempts();
  return row.expires_at <= now ? claimExpired() : null;
}

/** Ends a registration for good: no further code is accepted. */
export const burnClaim = (database: Database, registration: Registration): Promise<void> =>
  noteRegistration(database, registration, { state: 'burnt' });

/** Records the state of a registration. */
export async function noteRegistration(
  database: Database,
  { id }: Registration,
  values: Partial<Registration>,
): Promise<void> {
  await database.updateTable('registrations').set(values).where('id', '=', id).execute();
}

/** The error for a registration that ended after too many wrong codes. */
export const tooManyAttempts = (): IdentityError =>
  new IdentityError(429, 'too_many_attempts', 'Too many wrong codes. Register again later.', {
    limit: {
      name: 'claim-attempts',
      quota: REGISTRATION.maxCodes,
      windowSeconds: REGISTRATION.claimMinutes * 60,
    },
    retryAfter: COOLING_SECONDS,
  });

/** The error for a claim, or its code, that has expired. */
export const claimExpired = (): IdentityError =>
  new IdentityError(410, 'claim_expired', 'The claim has expired. Register again.');
