/**
 * Keys at WorkOS. WorkOS documents `Idempotency-Key` only for audit-log events
 * (https://workos.com/docs/reference/audit-logs/event), so a call whose response was lost may have created a key that
 * nobody has. To make such a key findable, the name of each key contains the id of its registration.
 */
import type { WorkOS } from '@workos-inc/node';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import { call, IdpFailure, type IdpRequest } from './workos-failures.ts';

interface WorkosKeyOrder {
  organizationId: string;
  registrationId: string;
  scopes: CaptionerScope[];
}

const nameOf = (registrationId: string): string => `Captioner key (${registrationId})`;

/** Issues a key with the scopes as its permissions. */
export async function issueWorkosKey(
  client: WorkOS,
  { organizationId, registrationId, scopes }: WorkosKeyOrder,
) {
  const name = nameOf(registrationId);
  const request: IdpRequest = { method: 'POST', path: `/organizations/${organizationId}/api_keys` };
  const key = await call(
    request,
    () => client.apiKeys.createOrganizationApiKey({ organizationId, name, permissions: scopes }),
    ['id', 'value'],
  );
  const { id, value, obfuscatedValue } = key;
  return { id, value, name, obfuscated: obfuscatedValue || `…${value.slice(-4)}` };
}

/** Deletes a key; a key that is already gone is not a failure. */
export async function deleteWorkosKey(client: WorkOS, id: string): Promise<void> {
  try {
    await call({ method: 'DELETE', path: `/api_keys/${id}` }, async () => {
      await client.apiKeys.deleteApiKey(id);
      return {};
    });
  } catch (error) {
    if ((error as IdpFailure).status !== 404) throw error;
  }
}

interface CleanupServices {
  client: WorkOS;
  database: Database;
  log: Log;
}

/**
 * Deletes keys of a registration that were created but never returned: all that have its name and are not recorded
 * here. Failures are recorded and retried by `sweepOrphans`.
 */
export async function deleteOrphanedKeys(
  { client, database, log }: CleanupServices,
  { registrationId, organizationId }: { registrationId: string; organizationId: string },
): Promise<void> {
  const name = nameOf(registrationId);
  const path = `/organizations/${organizationId}/api_keys`;
  try {
    const { named } = await call({ method: 'GET', path }, async () => {
      const pages = await client.apiKeys.listOrganizationApiKeys({ organizationId });
      return { named: (await pages.autoPagination()).filter((key) => key.name === name) };
    });
    for (const { id } of named) {
      const known = await database
        .selectFrom('api_keys')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      if (!known) await deleteWorkosKey(client, id);
    }
    await database
      .updateTable('registrations')
      .set({ cleanup_due: 0 })
      .where('id', '=', registrationId)
      .execute();
  } catch (error) {
    if (!(error instanceof IdpFailure)) throw error;
    log.warn('orphaned_keys_not_deleted', { registrationId, reason: error.message });
  }
}

/** Cleans up after claims that were never finished, or whose clean-up failed. Does not throw. */
export async function sweepOrphanedKeys(services: CleanupServices, now: number): Promise<void> {
  try {
    await sweepDue(services, now);
  } catch (error) {
    services.log.warn('orphaned_keys_not_deleted', { error });
  }
}

async function sweepDue(services: CleanupServices, now: number): Promise<void> {
  const due = await services.database
    .selectFrom('registrations')
    .select(['id', 'provider_organization_id'])
    .where('cleanup_due', '=', 1)
    .where((where) => where.or([where('state', '=', 'claimed'), where('expires_at', '<=', now)]))
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<=', now)]))
    .limit(MAX_AT_ONCE)
    .execute();
  for (const { id, provider_organization_id: organizationId } of due) {
    if (organizationId !== null)
      await deleteOrphanedKeys(services, { registrationId: id, organizationId });
  }
}

/** The most clean-ups in one sweep; the rest wait for the next. */
const MAX_AT_ONCE = 50;
