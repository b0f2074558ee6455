/** Creates and records a key of the embedded provider, which is returned only once. */
import type { CaptionerScope } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';
import { issuedKey, organizationOf, recordKey } from './key-records.ts';
import { createKey } from './keys.ts';
import type { IssuedKey } from './provider.ts';
import type { Hasher } from './secrets.ts';
import { workspaceOf } from './workspace.ts';

interface KeyOrder {
  /** The verified address, normalised. */
  ownerEmail: string;
  scopes: CaptionerScope[];
  /** Addresses of exactly this domain share a workspace. */
  teamEmailDomain: string | null;
  /** The time of issue in epoch milliseconds. */
  at: number;
}

/** Issues a key in the workspace of an address, creating the workspace if necessary. */
export async function issueKey(
  database: Database,
  hasher: Hasher,
  { ownerEmail, scopes, teamEmailDomain, at }: KeyOrder,
): Promise<IssuedKey> {
  const user = `user_${hasher.hash('user', ownerEmail).slice(0, 24)}`;
  const workspace = workspaceOf(ownerEmail, teamEmailDomain, user);
  const organizationId = await organizationOf(database, workspace, at);
  const { id, value, obfuscated } = createKey();
  const name = `Captioner key of ${new Date(at).toISOString().slice(0, 10)}`;
  const hash = hasher.hash('key', value);
  const record = { id, hash, obfuscated, name, organizationId, ownerEmail, scopes };
  await recordKey(database, record, at);
  return issuedKey(record, value, workspace);
}
