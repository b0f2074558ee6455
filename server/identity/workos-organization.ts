/** Organisations and their keys at WorkOS. */
import { DomainDataState, type WorkOS } from '@workos-inc/node';
import type { CaptionerScope } from '../contract/scopes.ts';
import type { Log } from '../log.ts';
import type { Workspace } from './provider.ts';
import { call, IdpFailure, type IdpRequest } from './workos-failures.ts';

/**
 * The organisation of a workspace: found by its external id, which is unique there, otherwise made.
 * Of two claims that make it at once one fails, and then finds what the other made.
 */
export async function provideOrganization(
  client: WorkOS,
  { kind, externalId }: Workspace,
  { registrationId, email }: { registrationId: string; email: string },
): Promise<string> {
  const found = await findOrganization(client, externalId);
  if (found !== null) return found;
  const domain = externalId.replace('team:', '');
  const team = kind === 'team' && {
    domainData: [{ domain, state: DomainDataState.Verified }],
  };
  try {
    const made = await call(
      { method: 'POST', path: '/organizations' },
      () =>
        client.organizations.createOrganization(
          { name: kind === 'team' ? domain : email, externalId, ...team },
          { idempotencyKey: `${registrationId}-organization` },
        ),
      ['id'],
    );
    return made.id;
  } catch (error) {
    const taken = error instanceof IdpFailure && [400, 409, 422].includes(error.status);
    const other = taken ? await findOrganization(client, externalId) : null;
    if (other === null) throw error;
    return other;
  }
}

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
    if (error instanceof IdpFailure && error.status === 404) return null;
    throw error;
  }
}

/** Makes a user a member; one who is already stays one. */
export async function joinOrganization(
  client: WorkOS,
  organizationId: string,
  userId: string,
): Promise<void> {
  const request: IdpRequest = { method: 'POST', path: '/user_management/organization_memberships' };
  try {
    await call(request, () =>
      client.userManagement.createOrganizationMembership({ organizationId, userId }),
    );
  } catch (error) {
    if (!(error instanceof IdpFailure)) throw error;
    if (error.status !== 409 && !error.code.includes('already')) throw error;
  }
}

export interface WorkosKeyOrder {
  organizationId: string;
  registrationId: string;
  scopes: CaptionerScope[];
  /** A call before this one may have made a key whose value nobody has. */
  again: boolean;
}

/** Issues a key with the scopes as its permissions. The same registration gets the same key. */
export async function issueWorkosKey(
  client: WorkOS,
  log: Log,
  { organizationId, registrationId, scopes, again }: WorkosKeyOrder,
) {
  const name = `Captioner key (${registrationId})`;
  const request: IdpRequest = { method: 'POST', path: `/organizations/${organizationId}/api_keys` };
  const key = await call(
    request,
    () =>
      client.apiKeys.createOrganizationApiKey(
        { organizationId, name, permissions: scopes },
        { idempotencyKey: registrationId },
      ),
    ['id', 'value'],
  );
  if (again) await deleteOrphans(client, log, { organizationId, name, keep: key.id });
  const { id, value, obfuscatedValue } = key;
  return { id, value, name, obfuscated: obfuscatedValue || `…${value.slice(-4)}` };
}

/** Deletes keys of the same registration that were made but never handed out. */
async function deleteOrphans(
  client: WorkOS,
  log: Log,
  { organizationId, name, keep }: { organizationId: string; name: string; keep: string },
): Promise<void> {
  try {
    const pages = await client.apiKeys.listOrganizationApiKeys({ organizationId });
    for (const key of await pages.autoPagination()) {
      if (key.name === name && key.id !== keep) await client.apiKeys.deleteApiKey(key.id);
    }
  } catch (error) {
    const path = `/organizations/${organizationId}/api_keys`;
    log.warn('orphaned_keys_not_deleted', {
      reason: new IdpFailure({ method: 'GET', path }, error).message,
    });
  }
}
