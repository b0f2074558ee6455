/** Whom a code verifies, by WorkOS. */
import type { WorkOS } from '@workos-inc/node';
import type { Database } from '../storage/database.ts';
import {
  burn,
  claimExpired,
  hashOfCode,
  noteRegistration,
  refuseCode,
  tooManyAttempts,
  type Registration,
} from './claims.ts';
import { normalizeEmail } from './email.ts';
import { IdentityError } from './provider.ts';
import { sameHash, type Hasher } from './secrets.ts';
import { call, IdpFailure } from './workos-failures.ts';

export interface VerifyServices {
  client: WorkOS;
  workos: { clientId: string };
  database: Database;
  hasher: Hasher;
}

/** A person at WorkOS. */
export interface User {
  id: string;
  email: string;
}

/**
 * The user that a code verifies. A code is spent by that: who comes back has to know it again.
 * @throws {IdentityError} `invalid_otp`, `claim_expired`, `too_many_attempts`, `user_mismatch`
 * @throws {IdpFailure} a call failed, and nothing is known of the code
 */
export async function verifiedUser(
  services: VerifyServices,
  registration: Registration,
  code: string,
): Promise<User> {
  const { database, hasher } = services;
  const { email, state, provider_user_id: userId } = registration;
  const codeHash = hashOfCode(hasher, registration.id, code);
  if (state === 'verified' || state === 'issuing') {
    if (!sameHash(registration.code_hash, codeHash)) throw await refuseCode(database, registration);
    return { id: userId ?? '', email };
  }
  await noteRegistration(database, registration, { state: 'verifying' });
  const user = await authenticate(services, registration, code).catch((error: unknown) => {
    if (error instanceof IdpFailure) return userInSpiteOf(error, services, registration, codeHash);
    throw error;
  });
  if (normalizeEmail(user.email) !== email) {
    await noteRegistration(database, registration, { state: 'open' });
    throw new IdentityError(
      403,
      'user_mismatch',
      'The code belongs to another address than the one that was registered.',
    );
  }
  await noteRegistration(database, registration, {
    state: 'verified',
    provider_user_id: user.id,
    code_hash: codeHash,
  });
  return user;
}

async function authenticate(
  { client, workos }: VerifyServices,
  { email }: Registration,
  code: string,
): Promise<User> {
  const request = { method: 'POST', path: '/user_management/authenticate' } as const;
  const { clientId } = workos;
  return call(
    request,
    async () =>
      (await client.userManagement.authenticateWithMagicAuth({ clientId, email, code })).user,
    ['id', 'email'],
  );
}

/** What a refusal to authenticate means. */
async function userInSpiteOf(
  failure: IdpFailure,
  services: VerifyServices,
  registration: Registration,
  codeHash: string,
): Promise<User> {
  const { database } = services;
  const { state, code_hash: mailed, email, provider_user_id: userId } = registration;
  const own = { id: userId ?? '', email };
  switch (failure.code) {
    case 'organization_selection_required':
      // The code was right; which organisation it is to be is for us to say.
      return failure.user ?? own;
    case 'one_time_code_previously_used':
      // Spent by a call of ours whose answer got lost: it is the very code mailed for this claim.
      if (state === 'verifying' && sameHash(mailed, codeHash)) return own;
      break;
    case 'invalid_one_time_code':
      break;
    case 'one_time_code_expired':
      await noteRegistration(database, registration, { state });
      throw claimExpired();
    case 'one_time_code_too_many_attempts':
      await burn(database, registration);
      throw tooManyAttempts();
    default:
      // Whoever is refused for another reason is not let in because the code is spent by now.
      if (!failure.isOpen) await noteRegistration(database, registration, { state: 'open' });
      throw failure;
  }
  await noteRegistration(database, registration, { state });
  throw await refuseCode(database, registration);
}
