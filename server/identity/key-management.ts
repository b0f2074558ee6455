/** Operations on keys of the embedded provider, for the operator. */
import type { CaptionerScope } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';

/** A key as shown to an operator. */
interface ListedKey {
  id: string;
  ownerEmail: string;
  /** `personal:…` or `team:<domain>`. */
  workspace: string;
  scopes: CaptionerScope[];
  /** Epoch milliseconds, like the other times. */
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** All keys, including revoked ones, oldest first. */
export async function listKeys(database: Database): Promise<ListedKey[]> {
  const rows = await database
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .selectAll('api_keys')
    .select('organizations.external_id')
    .orderBy('api_keys.created_at')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ownerEmail: row.owner_email,
    workspace: row.external_id,
    scopes: JSON.parse(row.scopes),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }));
}

/**
 * Revokes a key: from now on, requests with it get 401.
 * @returns whether the key exists; a key that is already revoked keeps its date
 */
export async function revokeKey(database: Database, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('api_keys')
    .set((expression) => ({
      revoked_at: expression.fn.coalesce('revoked_at', expression.val(at)),
    }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
