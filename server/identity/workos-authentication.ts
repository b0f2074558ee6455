/** Authenticates the user of a code at WorkOS, for the organisation that issues the key. */
import type { WorkOS } from '@workos-inc/node';
import {
  type Registration,
  burnClaim,
  claimExpired,
  noteRegistration,
  tooManyAttempts,
} from './claims.ts';
import { refuseCode } from './codes.ts';
import { IdentityError } from './provider.ts';
import { call, IdpFailure } from './workos-failures.ts';
import type { Database } from '../storage/database.ts';
import { normalizeEmail } from './email.ts';
import type { Membership } from './workos-membership.ts';

export interface VerifyServices {
  client: WorkOS;
  workos: { clientId: string };
  database: Database;
}

/** A registration with its WorkOS user. */
type UserRegistration = Registration & { provider_user_id: string };

/** The purpose of an authentication. */
interface Target {
  organizationId: string;
  membership: Membership;
}

const AUTHENTICATE = { method: 'POST', path: '/user_management/authenticate' } as const;

/**
 * Lets WorkOS authenticate the user of a registration. This uses the code, so the caller must have verified it before.
 * @throws {IdentityError} `invalid_otp`, `claim_expired`, `too_many_attempts`, `user_mismatch`
 * @throws {IdpFailure} a call failed, or WorkOS requires more than a code
 */
export async function verifiedUser(
  services: VerifyServices,
  registration: UserRegistration,
  code: string,
  target: Target,
): Promise<void> {
  const { database } = services;
  const { email, state } = registration;
  if (state === 'verified' || state === 'issuing') return;
  await noteRegistration(database, registration, { state: 'verifying' });
  const user = await authenticate(services, registration, code, target).catch((error: unknown) => {
    if (error instanceof IdpFailure) return inSpiteOf(error, services, registration, target);
    throw error;
  });
  if (normalizeEmail(user.email) !== email || user.id !== registration.provider_user_id) {
    await noteRegistration(database, registration, { state: 'open' });
    throw new IdentityError(
      403,
      'user_mismatch',
      'The code belongs to a different person from the one registered.',
    );
  }
  await noteRegistration(database, registration, { state: 'verified' });
}

/** A person at WorkOS. */
interface User {
  id: string;
  email: string;
}

/** Authenticates with the code or, if WorkOS has replaced it by a newer one for the same address, with that one. */
async function authenticate(
  services: VerifyServices,
  registration: UserRegistration,
  code: string,
  target: Target,
): Promise<User> {
  try {
    return await authenticateWith(services, registration, code, target);
  } catch (error) {
    const { code: reason } = error as IdpFailure;
    const isVoid = ['invalid_one_time_code', 'one_time_code_expired'].includes(reason);
    const newer = isVoid ? await newerCode(services, registration) : null;
    if (newer === null) throw error;
    return authenticateWith(services, registration, newer, target);
  }
}

async function authenticateWith(
  { client, workos }: VerifyServices,
  { email }: UserRegistration,
  code: string,
  { organizationId }: Target,
): Promise<User> {
  const { clientId } = workos;
  const { userManagement } = client;
  try {
    return await call(
      AUTHENTICATE,
      async () => (await userManagement.authenticateWithMagicAuth({ clientId, email, code })).user,
      ['id', 'email'],
    );
  } catch (error) {
    const { code: reason, pendingToken: pendingAuthenticationToken } = error as IdpFailure;
    if (reason !== SELECTION || !pendingAuthenticationToken) throw error;
    const selection = { clientId, pendingAuthenticationToken, organizationId };
    // The organisation may then require SSO or a second factor, which ends the claim.
    return call(
      AUTHENTICATE,
      async () => (await userManagement.authenticateWithOrganizationSelection(selection)).user,
      ['id', 'email'],
    );
  }
}

/** WorkOS's error code for a person in several organisations, who has to select one. */
const SELECTION = 'organization_selection_required';

/**
 * The newest code that WorkOS emailed to the address, if it is not this registration's own. A stranger who registers an
 * address must not invalidate the owner's code, and the owner's own code proves access to the mailbox.
 */
async function newerCode(
  { client, database }: VerifyServices,
  { id, email, provider_code_id: own }: UserRegistration,
): Promise<string | null> {
  const newest = await database
    .selectFrom('registrations')
    .select(['provider_code_id'])
    .where('email', '=', email)
    .where('provider_code_id', 'is not', null)
    .where('id', '!=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  const codeId = newest?.provider_code_id;
  if (!codeId || codeId === own) return null;
  const path = `/user_management/magic_auth/${codeId}`;
  const { code } = await call(
    { method: 'GET', path },
    () => client.userManagement.getMagicAuth(codeId),
    ['code'],
  );
  return code;
}

/** Interprets a refusal to authenticate. */
async function inSpiteOf(
  failure: IdpFailure,
  services: VerifyServices,
  registration: UserRegistration,
  target: Target,
): Promise<User> {
  const { database } = services;
  const { state } = registration;
  switch (failure.code) {
    case 'one_time_code_previously_used':
      // Used by an earlier call whose response was lost; the session shows whether that call succeeded.
      if (state !== 'verifying') break;
      if (await hasSession(services, registration, target)) {
        return { id: registration.provider_user_id, email: registration.email };
      }
      await noteRegistration(database, registration, { expires_at: registration.created_at });
      throw claimExpired();
    case 'invalid_one_time_code':
      break;
    case 'one_time_code_expired':
      await noteRegistration(database, registration, { state });
      throw claimExpired();
    case 'one_time_code_too_many_attempts':
      await burnClaim(database, registration);
      throw tooManyAttempts();
    default:
      // If a person was refused for another reason, a used code alone does not let them in.
      if (!failure.isOpen) await noteRegistration(database, registration, { state: 'open' });
      throw failure;
  }
  await noteRegistration(database, registration, { state: 'open' });
  throw await refuseCode(database, registration);
}

/**
 * Whether an authentication by code for this organisation was completed after the registration began. Without a session
 * it may have required SSO or a second factor.
 */
async function hasSession(
  { client }: VerifyServices,
  { provider_user_id: userId, created_at: since }: UserRegistration,
  { organizationId, membership }: Target,
): Promise<boolean> {
  const path = `/user_management/users/${userId}/sessions`;
  const { sessions } = await call({ method: 'GET', path }, async () => ({
    sessions: await (await client.userManagement.listSessions(userId)).autoPagination(),
  }));
  const organization = membership === 'pending' ? undefined : organizationId;
  return sessions.some(
    (session) =>
      session.authMethod === 'magic_code' &&
      Date.parse(session.createdAt) >= since &&
      (session.organizationId ?? undefined) === organization,
  );
}
