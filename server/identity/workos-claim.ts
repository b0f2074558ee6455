/**
 * A claim at WorkOS: checks the code, finds or creates the organisation and the membership, authenticates for that
 * organisation, and issues the key. These are several calls, any of which may fail. Each is recorded before it is made
 * (see RegistrationState), and only one claim at a time holds the registration, so that failed calls are repeated and
 * successful ones are not. The organisation comes first, so that an authentication that asks for an organisation can be
 * completed immediately, under that organisation's requirements (SSO, a second factor).
 *
 * Authenticates the user of a code at WorkOS, for the organisation that issues the key.
 */
import { DomainDataState, type WorkOS, type OrganizationMembershipStatus } from '@workos-inc/node';
import type { Log } from '../log.ts';
import { realTime, type Waiting } from '../concurrency.ts';
import {
  type Registration,
  burnClaim,
  claimExpired,
  noteRegistration,
  refusalOfClaim,
  tooManyAttempts,
} from './claims.ts';
import { type CodeOptions, invalidCode, refuseCode, replaceCode, tryCode } from './codes.ts';
import { type ClaimedKey, IdentityError, type Workspace } from './provider.ts';
import { call, IdpFailure, type IdpRequest } from './workos-failures.ts';
import type { Database } from '../storage/database.ts';
import { issuedKey, recordKey, recordOrganization } from './keys.ts';
import { normalizeEmail, workspaceOfEmail } from './email.ts';
import { deleteOrphanedKeys, deleteWorkosKey, issueWorkosKey } from './workos-keys.ts';

interface VerifyServices {
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
async function verifiedUser(
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

/** The person's relation to the organisation that issues the key. */
type Membership = 'active' | 'pending';

const PATH = '/user_management/organization_memberships';
const EVERY_STATUS: OrganizationMembershipStatus[] = ['active', 'inactive', 'pending'];

/**
 * Makes a user a member. Creating a membership would reactivate an inactive one
 * (https://workos.com/docs/reference/authkit/organization-membership/create), so memberships of every status are looked
 * up first. A pending invitation stays pending.
 * @throws {IdentityError} 502 `idp_membership_inactive` for a deactivated member; not `user_mismatch`, since it is the
 *   right person
 */
async function provideMembership(
  client: WorkOS,
  organizationId: string,
  userId: string,
): Promise<Membership> {
  const found = await statusOf(client, organizationId, userId);
  if (found !== null) return admitted(found);
  try {
    await call({ method: 'POST', path: PATH }, () =>
      client.userManagement.createOrganizationMembership({ organizationId, userId }),
    );
    return 'active';
  } catch (error) {
    const { code, status } = error as IdpFailure;
    if (code === 'cannot_reactivate_pending_organization_membership') return 'pending';
    const isThere = status === 409 || code.includes('already');
    if (!isThere) throw error;
    // Another claim has created it in the meantime.
    return admitted((await statusOf(client, organizationId, userId)) ?? 'active');
  }
}

/** The status of a membership; null if there is none. If there are several, an inactive one decides. */
async function statusOf(
  client: WorkOS,
  organizationId: string,
  userId: string,
): Promise<OrganizationMembershipStatus | null> {
  const request: IdpRequest = { method: 'GET', path: PATH };
  const { data } = await call(request, async () => {
    const page = await client.userManagement.listOrganizationMemberships({
      organizationId,
      userId,
      statuses: EVERY_STATUS,
    });
    if (!page.data.every(({ status }) => EVERY_STATUS.includes(status))) {
      throw new TypeError('a membership has no status');
    }
    return page;
  });
  const statuses = new Set(data.map(({ status }) => status));
  return EVERY_STATUS.toSorted(byHarm).find((status) => statuses.has(status)) ?? null;
}

/** The order of statuses: a deactivated person stays deactivated, whatever other memberships there are. */
const byHarm = (a: OrganizationMembershipStatus, b: OrganizationMembershipStatus): number =>
  Number(b === 'inactive') - Number(a === 'inactive');

function admitted(status: OrganizationMembershipStatus): Membership {
  if (status !== 'inactive') return status;
  throw new IdentityError(
    502,
    'idp_membership_inactive',
    'This person was deactivated in the organisation and cannot get a key. Its administrator can reactivate the membership.',
    { idp: { status: 200, code: 'membership_inactive', request: { method: 'GET', path: PATH } } },
  );
}

/** A claim waits for another one in progress for a quarter of a minute, and polls it every 50 ms. */
const MAX_LOOKS = 300;
const LOOK_EVERY_MS = 50;

interface WorkosClaimServices extends VerifyServices, CodeOptions {
  log: Log;
  /** Mails another code to an address. */
  mailCode(email: string): Promise<{ code: string; providerCodeId: string }>;
  leaseTimes?: LeaseTimes;
  /** Timer for the look at a claim in progress (default: real time). */
  waiting?: Waiting;
}

/**
 * Completes a claim.
 * @throws {IdentityError} as defined by the contract
 * @throws {IdpFailure} a call failed; the same claim can be repeated
 */
export async function completeClaim(
  services: WorkosClaimServices,
  { claimToken, code }: { claimToken: string; code: string },
): Promise<ClaimedKey> {
  const { database, hasher, leaseTimes = LEASE_TIMES } = services;
  const tokenHash = hasher.hash('claim', claimToken);
  const { registration, outcome } = await hold(services, { tokenHash, code }, leaseTimes);
  const lease = keepLease(services, registration, leaseTimes);
  try {
    if (outcome === 'second') return await askAgain(services, registration);
    return await issue(services, registration, { code, lease });
  } catch (error) {
    await lease.stop();
    // Only an error about the code counts as a try; a second code has its own count.
    const isTry = error instanceof IdentityError;
    await database
      .updateTable('registrations')
      .set((expression) => ({
        lease_until: null,
        ...(isTry ? {} : { attempts: expression('attempts', '-', 1) }),
      }))
      .where('id', '=', registration.id)
      .where('lease_until', '=', lease.until())
      .execute();
    throw error;
  }
}

/** Takes the registration for this claim if the code is right, after any other claim in progress. */
async function hold(
  services: WorkosClaimServices,
  tried: { tokenHash: string; code: string },
  { leaseMs }: LeaseTimes,
) {
  const { database, now, waiting = realTime } = services;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const refusal = await refusalOfClaim(database, tried.tokenHash, now());
    if (refusal) throw refusal;
    const outcome = await database
      .transaction()
      .execute((transaction) => tryCode(transaction, services, { ...tried, leaseMs }));
    if ('refusal' in outcome) throw outcome.refusal;
    if (outcome.outcome !== 'held') return outcome;
    await waiting.pause(LOOK_EVERY_MS);
  }
  throw new IdentityError(503, 'idp_claim_in_progress', 'This claim is in progress. Try again.', {
    idp: { status: 503, code: 'claim_in_progress' },
    retryAfter: (MAX_LOOKS * LOOK_EVERY_MS) / 1000,
  });
}

/** Mails a second code after a right one, because somebody has been guessing. */
async function askAgain(
  { database, hasher, mailCode }: WorkosClaimServices,
  registration: Registration,
): Promise<never> {
  await replaceCode(database, hasher, registration, await mailCode(registration.email));
  throw invalidCode();
}

/** Creates the organisation and the key of a verified user, and records them before returning them. */
async function issue(
  services: WorkosClaimServices,
  registration: Registration,
  { code, lease }: { code: string; lease: ClaimLease },
): Promise<ClaimedKey> {
  const { client, database, teamEmailDomain, now } = services;
  const { id: registrationId, email, provider_user_id: userId } = registration;
  if (userId === null) throw new Error(`registration ${registrationId} has no user`);
  const workspace = workspaceOfEmail(email, teamEmailDomain, userId);
  const organizationId = await provideOrganization(client, workspace, email);
  const membership = await provideMembership(client, organizationId, userId);
  const target = { organizationId, membership };
  await verifiedUser(services, { ...registration, provider_user_id: userId }, code, target);
  await noteRegistration(database, registration, {
    state: 'issuing',
    provider_organization_id: organizationId,
    cleanup_due: 1,
  });
  const scopes = JSON.parse(registration.scopes);
  const order = { organizationId, registrationId, scopes };
  const { id, name, value, obfuscated } = await issueWorkosKey(client, order);
  await lease.stop();
  const record = { id, hash: '', obfuscated, name, organizationId, ownerEmail: email, scopes };
  const isOurs = await database.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('registrations')
      .set({ state: 'claimed', lease_until: null })
      .where('id', '=', registrationId)
      .where('lease_until', '=', lease.until())
      .executeTakeFirstOrThrow();
    if (numUpdatedRows !== 1n) return false;
    await recordOrganization(transaction, organizationId, workspace, now());
    await recordKey(transaction, record, now());
    return true;
  });
  if (!isOurs) {
    // This claim was delayed for so long that another took over, so nobody gets this key.
    await deleteWorkosKey(client, id);
    throw new IdentityError(409, 'claim_already_used', 'The claim token has already been used.');
  }
  // An earlier call whose response was lost may already have created a key.
  const isSole = registration.state !== 'issuing';
  if (isSole) await noteRegistration(database, registration, { cleanup_due: 0 });
  else await deleteOrphanedKeys(services, { registrationId, organizationId });
  return { registrationId, ...issuedKey(record, value, workspace) };
}

/**
 * The organisation of a workspace, found by its unique external id or created. If two claims create it at the same
 * time, one fails and then finds the other's.
 * @param email names a personal organisation
 */
async function provideOrganization(
  client: WorkOS,
  { kind, externalId }: Workspace,
  email: string,
): Promise<string> {
  const found = await findOrganization(client, externalId);
  if (found !== null) return found;
  const domain = externalId.replace('team:', '');
  const team = kind === 'team' && {
    domainData: [{ domain, state: DomainDataState.Verified }],
  };
  const request: IdpRequest = { method: 'POST', path: '/organizations' };
  try {
    const made = await call(
      request,
      () =>
        client.organizations.createOrganization({
          name: kind === 'team' ? domain : email,
          externalId,
          ...team,
        }),
      ['id'],
    );
    return made.id;
  } catch (error) {
    const failure = error as IdpFailure;
    const taken = [400, 409, 422].includes(failure.status);
    const other = taken ? await findOrganization(client, externalId) : null;
    if (other !== null) return other;
    throw taken && team && isAboutDomain(failure) ? domainTaken(failure, externalId) : failure;
  }
}

const isAboutDomain = ({ status, code }: IdpFailure): boolean =>
  status === 409 || code.includes('domain');

/**
 * The failure if the team's domain belongs to an organisation created elsewhere, which only the operator can connect.
 */
const domainTaken = (failure: IdpFailure, externalId: string): IdpFailure =>
  new IdpFailure(
    failure.request,
    { status: failure.status, code: failure.code },
    `The team's domain belongs to another organisation at the identity provider. Tell the operator of this service to give that organisation the external id ${externalId} in the WorkOS dashboard, or to remove the domain from it.`,
  );

async function findOrganization(client: WorkOS, externalId: string): Promise<string | null> {
  const path = `/organizations/external_id/${externalId}`;
  try {
    const { id } = await call(
      { method: 'GET', path },
      () => client.organizations.getOrganizationByExternalId(externalId),
      ['id'],
    );
    return id;
  } catch (error) {
    if ((error as IdpFailure).status === 404) return null;
    throw error;
  }
}

// The lease that keeps a registration for one claim while the claim calls an outside provider. It is short and is
// renewed while the claim continues, so a process that dies, even by SIGKILL, blocks other claims only briefly.

export interface LeaseTimes {
  /** The time after which a lease that is not renewed ends, in milliseconds. */
  leaseMs: number;
  renewEveryMs: number;
}

/** The lease times of a claim. */
const LEASE_TIMES: LeaseTimes = { leaseMs: 3000, renewEveryMs: 500 };

interface ClaimLease {
  /** Whether this claim still holds the registration; after a long pause another claim may have taken it. */
  isHeld(): boolean;
  /** The end of the lease as stored in the database. */
  until(): number | null;
  /** Stops renewing after any renewal in progress; the lease stays until it ends or is released. */
  stop(): Promise<void>;
}

/** Renews the lease taken with a registration until it is stopped. */
function keepLease(
  { database, now }: { database: Database; now(): number },
  { id, lease_until: taken }: Registration,
  { leaseMs, renewEveryMs }: LeaseTimes,
): ClaimLease {
  let until = taken;
  let held = true;
  let renewing: Promise<void> = Promise.resolve();

  const renew = async (): Promise<void> => {
    const next = now() + leaseMs;
    const { numUpdatedRows } = await database
      .updateTable('registrations')
      .set({ lease_until: next })
      .where('id', '=', id)
      .where('lease_until', '=', until)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) until = next;
    else held = false;
  };
  const timer = setInterval(() => {
    // A database that does not respond now may respond at the next renewal; the lease outlasts several of them.
    renewing = renewing.then(renew).catch(() => {});
  }, renewEveryMs);

  return {
    isHeld: () => held,
    until: () => until,
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}
