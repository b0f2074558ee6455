/**
 * A claim at WorkOS: verify the code, find or make the organisation, issue the key. Several calls, any
 * of which may fail, so each is noted before it is made (see RegistrationState), and one claim at a
 * time holds the registration: what failed is done again, what was done is not.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { markClaimed, noteRegistration, refusalOf, takeTry, type Registration } from './claims.ts';
import { issuedKey, recordKey, recordOrganization } from './key-records.ts';
import { IdentityError, type ClaimedKey } from './provider.ts';
import { joinOrganization, issueWorkosKey, provideOrganization } from './workos-organization.ts';
import { verifiedUser, type User, type VerifyServices } from './workos-verify.ts';
import { workspaceOf } from './workspace.ts';

/** Longer than all calls of a claim together may take. */
const LEASE_MS = 60_000;
/** Who comes while another claim is under way waits for its end, so long and looking so often. */
const WAIT_MS = 15_000;
const LOOK_EVERY_MS = 100;

export interface WorkosClaimServices extends VerifyServices {
  /** Addresses of exactly this domain share a workspace. */
  teamEmailDomain: string | null;
  log: Log;
  now(): number;
}

/**
 * Completes a claim.
 * @throws {IdentityError} as the contract has it
 * @throws {IdpFailure} a call failed: the same claim can be made again
 */
export async function completeClaim(
  services: WorkosClaimServices,
  { claimToken, code }: { claimToken: string; code: string },
): Promise<ClaimedKey> {
  const registration = await lease(services, services.hasher.hash('claim', claimToken));
  try {
    const user = await verifiedUser(services, registration, code);
    return await issue(services, registration, user);
  } catch (error) {
    // Only what was answered about the code is a try of it.
    const attempts = registration.attempts - (error instanceof IdentityError ? 0 : 1);
    await noteRegistration(services.database, registration, { lease_until: null, attempts });
    throw error;
  }
}

/** Takes the registration for this claim, after any other that is under way. */
async function lease({ database, now }: WorkosClaimServices, tokenHash: string) {
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
    const refusal = await refusalOf(database, tokenHash, now());
    if (refusal) throw refusal;
    const taken = await takeTry(database, tokenHash, now(), LEASE_MS);
    if (taken) return taken;
    await sleep(LOOK_EVERY_MS);
  }
  throw new IdentityError(503, 'idp_claim_in_progress', 'This claim is under way. Try again.', {
    idp: { status: 503, code: 'claim_in_progress' },
    retryAfter: WAIT_MS / 1000,
  });
}

/** The organisation and the key of a verified user, recorded before they are handed out. */
async function issue(
  services: WorkosClaimServices,
  registration: Registration,
  user: User,
): Promise<ClaimedKey> {
  const { client, database, teamEmailDomain, log, now } = services;
  const { id: registrationId, email } = registration;
  const workspace = workspaceOf(email, teamEmailDomain, user.id);
  const organizationId = await provideOrganization(client, workspace, { registrationId, email });
  await joinOrganization(client, organizationId, user.id);
  await noteRegistration(services.database, registration, { state: 'issuing' });
  const scopes = JSON.parse(registration.scopes);
  const key = await issueWorkosKey(client, log, {
    organizationId,
    registrationId,
    scopes,
    again: registration.state === 'issuing',
  });
  const { id, name, value, obfuscated } = key;
  const record = { id, hash: '', obfuscated, name, organizationId, ownerEmail: email, scopes };
  await database.transaction().execute(async (transaction) => {
    await recordOrganization(transaction, organizationId, workspace, now());
    await recordKey(transaction, record, now());
    await markClaimed(transaction, registration);
  });
  return { registrationId, ...issuedKey(record, value, workspace) };
}
