/** Workspaces and keys in the database: the owner of a key, and its scopes. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';
import type { IssuedKey, Workspace } from './provider.ts';

/** The stored fields of a new key. */
interface KeyRecord {
  id: string;
  /** Empty if an outside provider stores the key. */
  hash: string;
  obfuscated: string;
  name: string;
  organizationId: string;
  /** The address that claimed it. */
  ownerEmail: string;
  scopes: readonly CaptionerScope[];
}

/** A key in the form in which it is returned to the client, this one time. */
export const issuedKey = (
  { id, name, obfuscated, organizationId, scopes }: KeyRecord,
  value: string,
  workspace: Workspace,
): IssuedKey => ({
  key: value,
  scopes: [...scopes],
  organizationId,
  workspace,
  metadata: {
    id,
    owner: { type: 'organization', id: organizationId },
    name,
    obfuscated_value: obfuscated,
  },
});

/** Records a key; a known key is left unchanged. */
export async function recordKey(database: Database, key: KeyRecord, at: number): Promise<void> {
  await database
    .insertInto('api_keys')
    .values({
      id: key.id,
      key_hash: key.hash,
      obfuscated: key.obfuscated,
      name: key.name,
      organization_id: key.organizationId,
      owner_email: key.ownerEmail,
      scopes: JSON.stringify(key.scopes),
      created_at: at,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** The scopes recorded for a key; null if there is no record. */
export async function recordedScopes(
  database: Database,
  keyId: string,
): Promise<CaptionerScope[] | null> {
  const row = await database
    .selectFrom('api_keys')
    .select('scopes')
    .where('id', '=', keyId)
    .executeTakeFirst();
  return row ? JSON.parse(row.scopes) : null;
}

/** The organisation of a workspace, created only once even if several claims race for it. */
export async function organizationOf(
  database: Database,
  { kind, externalId }: Workspace,
  at: number,
): Promise<string> {
  await database
    .insertInto('organizations')
    .values({ id: `org_${randomUUID()}`, external_id: externalId, kind, created_at: at })
    .onConflict((conflict) => conflict.column('external_id').doNothing())
    .execute();
  const { id } = await database
    .selectFrom('organizations')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Records an organisation that an outside provider created. If an older one with the same external id was deleted
 * there, its record keeps its keys under another name.
 */
export async function recordOrganization(
  database: Database,
  id: string,
  { kind, externalId }: Workspace,
  at: number,
): Promise<void> {
  await database
    .updateTable('organizations')
    .set({ external_id: sql<string>`'former:' || id` })
    .where('external_id', '=', externalId)
    .where('id', '!=', id)
    .execute();
  await database
    .insertInto('organizations')
    .values({ id, external_id: externalId, kind, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
