/**
 * A claim at WorkOS: checks the code, finds or creates the organisation and the membership, authenticates for that
 * organisation, and issues the key. These are several calls, any of which may fail. Each is recorded before it is made
 * (see RegistrationState), and only one claim at a time holds the registration, so that failed calls are repeated and
 * successful ones are not. The organisation comes first, so that an authentication that asks for an organisation can be
 * completed immediately, under that organisation's requirements (SSO, a second factor).
 */
import type { Log } from '../base/log.ts';
import { realTime, type Waiting } from '../base/concurrency.ts';
import { type Registration, noteRegistration, refusalOfClaim } from './claims.ts';
import { type CodeOptions, invalidCode, replaceCode, tryCode } from './codes.ts';
import { type Claim, type ClaimedKey, IdentityError } from './provider.ts';
import { issuedKey, recordKey, recordOrganization } from './keys.ts';
import { notAMember } from './members.ts';
import { workspaceOfEmail } from './email.ts';
import { deleteOrphanedKeys, deleteWorkosKey, issueWorkosKey } from './workos-keys.ts';
import { type LeaseTimes, LEASE_TIMES, type ClaimLease, keepLease } from './claim-lease.ts';
import { provideMembership } from './workos-membership.ts';
import { provideOrganization } from './workos-organization.ts';
import { type VerifyServices, verifiedUser } from './workos-authentication.ts';

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
  { claimToken, code, organizationId }: Claim,
): Promise<ClaimedKey> {
  const { database, hasher, leaseTimes = LEASE_TIMES } = services;
  const tokenHash = hasher.hash('claim', claimToken);
  const { registration, outcome } = await hold(services, { tokenHash, code }, leaseTimes);
  const lease = keepLease(services, registration, leaseTimes);
  try {
    if (outcome === 'second') return await askAgain(services, registration);
    return await issue(services, registration, { code, lease, asked: organizationId });
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
  { code, lease, asked }: { code: string; lease: ClaimLease; asked: string | undefined },
): Promise<ClaimedKey> {
  const { client, database, teamEmailDomain, now } = services;
  const { id: registrationId, email, provider_user_id: userId } = registration;
  if (userId === null) throw new Error(`registration ${registrationId} has no user`);
  const workspace = workspaceOfEmail(email, teamEmailDomain, userId);
  const organizationId = await provideOrganization(client, workspace, email);
  if (asked !== undefined && asked !== organizationId) throw notAMember();
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
