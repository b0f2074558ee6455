/** Whom a code verifies, by WorkOS, for the organisation that the key is to be issued in. */
import type { WorkOS } from '@workos-inc/node';
import type { Database } from '../storage/database.ts';
import {
  burn,
  claimExpired,
  noteRegistration,
  tooManyAttempts,
  type Registration,
} from './claims.ts';
import { refuseCode } from './codes.ts';
import { normalizeEmail } from './email.ts';
import { IdentityError } from './provider.ts';
import { call, IdpFailure } from './workos-failures.ts';
import type { Membership } from './workos-membership.ts';

export interface VerifyServices {
  client: WorkOS;
  workos: { clientId: string };
  database: Database;
}

/** A registration whose user WorkOS has named. */
export type UserRegistration = Registration & { provider_user_id: string };

/** What an authentication is for. */
export interface Target {
  organizationId: string;
  membership: Membership;
}

const AUTHENTICATE = { method: 'POST', path: '/user_management/authenticate' } as const;

/**
 * Has WorkOS authenticate the user of a registration, whose code is known to be right here. The code is
 * spent by that: who comes back has been verified before.
 * @throws {IdentityError} `invalid_otp`, `claim_expired`, `too_many_attempts`, `user_mismatch`
 * @throws {IdpFailure} a call failed, or WorkOS asks for more than a code
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
      'The code belongs to another person than the one who was registered.',
    );
  }
  await noteRegistration(database, registration, { state: 'verified' });
}

/** A person at WorkOS. */
interface User {
  id: string;
  email: string;
}

/** Authenticates with the code; where WorkOS voided it by a newer one of the same address, with that. */
async function authenticate(
  services: VerifyServices,
  registration: UserRegistration,
  code: string,
  target: Target,
): Promise<User> {
  try {
    return await authenticateWith(services, registration, code, target);
  } catch (error) {
    const isVoid =
      error instanceof IdpFailure &&
      ['invalid_one_time_code', 'one_time_code_expired'].includes(error.code);
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
    if (!(error instanceof IdpFailure) || error.code !== SELECTION || !error.pendingToken)
      throw error;
    const { pendingToken: pendingAuthenticationToken } = error;
    const selection = { clientId, pendingAuthenticationToken, organizationId };
    // The organisation may ask for SSO or a second factor in its turn: that ends the claim.
    return call(
      AUTHENTICATE,
      async () => (await userManagement.authenticateWithOrganizationSelection(selection)).user,
      ['id', 'email'],
    );
  }
}

/** A person of several organisations has to say which one is meant. */
const SELECTION = 'organization_selection_required';

/**
 * The newest code that WorkOS mailed to the address, where that is not this registration's own. Who
 * registers an address that is not theirs must not void the code of its owner; that the owner has the
 * mailbox is known by their own code.
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
    .limit(1)
    .executeTakeFirst();
  const codeId = newest?.provider_code_id ?? null;
  if (codeId === null || codeId === own) return null;
  const path = `/user_management/magic_auth/${codeId}`;
  const { code } = await call(
    { method: 'GET', path },
    () => client.userManagement.getMagicAuth(codeId),
    ['code'],
  );
  return code;
}

/** What a refusal to authenticate means. */
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
      // Spent by a call of ours whose answer got lost. What it was is seen by its session.
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
      await burn(database, registration);
      throw tooManyAttempts();
    default:
      // Whoever is refused for another reason is not let in because the code is spent by now.
      if (!failure.isOpen) await noteRegistration(database, registration, { state: 'open' });
      throw failure;
  }
  await noteRegistration(database, registration, { state: 'open' });
  throw await refuseCode(database, registration);
}

/**
 * Whether an authentication by code for this very organisation came to its end since the registration
 * began: without a session it may have asked for SSO or a second factor.
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
