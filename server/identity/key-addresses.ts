/**
 * Addresses that hold what a key would be, for programs with a field for an address and none for a key. One allows only
 * the routes that accept it, ends with its key, and can be revoked by itself. Of its token, only a hash is stored.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { ADDRESS } from '../contract/limits.ts';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import type { IdentityProvider, KeyOwner, Principal } from './provider.ts';
import type { Hasher } from './secrets.ts';

/** The beginning of every token, which distinguishes it from a key. */
export const ADDRESS_PREFIX = 'asr_';

/** What an address allows where it is accepted. */
const SCOPES: readonly CaptionerScope[] = ['captioner:audio:upload', 'captioner:caption:run'];

/** An address without its token. */
interface StoredAddress {
  id: string;
  name: string | null;
  /** Epoch milliseconds. */
  createdAt: number;
}

export type KeyAddresses = ReturnType<typeof createKeyAddresses>;

interface KeyAddressServices {
  database: Database;
  hasher: Hasher;
  identity: Pick<IdentityProvider, 'isLive'>;
}

/** Creates the store. */
export function createKeyAddresses({ database, hasher, identity }: KeyAddressServices) {
  const hash = (token: string) => hasher.hash('key-address', token);
  return {
    /** Makes an address for a key; null if the workspace has too many. */
    create: (
      { organizationId, keyId, userId }: KeyOwner,
      name: string | null,
    ): Promise<(StoredAddress & { token: string }) | null> =>
      database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `key-addresses:${organizationId}`);
        const known = await transaction
          .selectFrom('key_addresses')
          .select('id')
          .where('organization_id', '=', organizationId)
          .execute();
        if (known.length >= ADDRESS.maxInWorkspace) return null;
        const made = { id: `adr_${randomUUID()}`, name, createdAt: Date.now() };
        const token = `${ADDRESS_PREFIX}${randomBytes(32).toString('base64url')}`;
        await transaction
          .insertInto('key_addresses')
          .values({
            id: made.id,
            organization_id: organizationId,
            key_id: keyId,
            user_id: userId ?? null,
            token_hash: hash(token),
            name,
            created_at: made.createdAt,
          })
          .execute();
        return { ...made, token };
      }),
    /** The addresses of a workspace, newest first. */
    async list(organizationId: string): Promise<StoredAddress[]> {
      const rows = await database
        .selectFrom('key_addresses')
        .select(['id', 'name', 'created_at'])
        .where('organization_id', '=', organizationId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }));
    },
    /** Revokes an address; false if the workspace has no such one. */
    async revoke(organizationId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await database
        .deleteFrom('key_addresses')
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /**
     * Whom the address with a token lets in; null if there is none, or its key was revoked.
     * @throws {IdentityError} `idp_*`: the provider gave no answer
     */
    async find(token: string): Promise<Principal | null> {
      const row = await database
        .selectFrom('key_addresses')
        .selectAll()
        .where('token_hash', '=', hash(token))
        .executeTakeFirst();
      if (!row) return null;
      const owner = {
        keyId: row.key_id,
        organizationId: row.organization_id,
        ...(row.user_id !== null && { userId: row.user_id }),
      };
      if (!(await identity.isLive(owner))) return null;
      return { ...owner, ownerType: 'organization', scopes: [...SCOPES] };
    },
  };
}
