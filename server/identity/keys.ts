/**
 * API keys: `cap_live_<key id>_<32 random bytes>_<checksum>`, all in base62, and who owns them. The prefix lets secret
 * scanners find a leaked key; the checksum exposes a mistyped one without a database query.
 */
import { sql } from 'kysely';
import { randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';
import type { IssuedKey, KeyOwner, OwnKey, Workspace } from './provider.ts';
import { admitMember, userOf } from './members.ts';
import type { Hasher } from './secrets.ts';
import { workspaceOfEmail } from './email.ts';

const PREFIX = 'cap_live_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const ID_BYTES = 9;
const FORM = /^(cap_live_([0-9A-Za-z]{8,32})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

interface NewKey {
  id: string;
  /** The whole key, shown only once. */
  value: string;
  /** The part that can be shown later. */
  obfuscated: string;
}

/** Creates a key. */
export function createKey(): NewKey {
  const id = base62(randomBytes(ID_BYTES), 13);
  const body = `${PREFIX}${id}_${base62(randomBytes(32), SECRET_DIGITS)}`;
  const value = `${body}_${checksum(body)}`;
  return { id, value, obfuscated: `${PREFIX}${id}_…${value.slice(-4)}` };
}

/** The id within a key; null for a text that cannot be a key. */
export function keyIdOf(key: string): string | null {
  const [, body = '', id = null, sum] = FORM.exec(key) ?? [];
  return checksum(body) === sum ? id : null;
}

function checksum(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(text));
  return base62(bytes, CHECKSUM_DIGITS);
}

/** Encodes bytes as a number in base 62, padded to a fixed width. */
function base62(bytes: Uint8Array, width: number): string {
  let rest = 0n;
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte);
  let text = '';
  for (; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}

interface KeyOrder {
  /** The verified address, normalised. */
  ownerEmail: string;
  scopes: CaptionerScope[];
  /** Addresses of exactly this domain share a workspace. */
  teamEmailDomain: string | null;
  /** The time of issue in epoch milliseconds. */
  at: number;
  /** When the key ends by itself; default: never. */
  expiresAt?: number;
}

/** Issues a key in the workspace of an address, creating the workspace if necessary. */
export async function issueKey(
  database: Database,
  hasher: Hasher,
  { teamEmailDomain, ...order }: KeyOrder,
): Promise<IssuedKey> {
  const { ownerEmail, at } = order;
  const user = userOf(hasher, ownerEmail);
  const workspace = workspaceOfEmail(ownerEmail, teamEmailDomain, user);
  const organizationId = await organizationOfWorkspace(database, workspace, at);
  return issueKeyIn(database, hasher, organizationId, order);
}

/** Issues a key in a workspace. */
export async function issueKeyIn(
  database: Database,
  hasher: Hasher,
  organizationId: string,
  { ownerEmail, scopes, at, expiresAt }: Omit<KeyOrder, 'teamEmailDomain'>,
): Promise<IssuedKey> {
  const { kind, externalId } = await database
    .selectFrom('organizations')
    .select(['kind', 'external_id as externalId'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const workspace = { kind, externalId };
  const { id, value, obfuscated } = createKey();
  const name = `Captioner key of ${new Date(at).toISOString().slice(0, 10)}`;
  const hash = hasher.hash('key', value);
  const record = { id, hash, obfuscated, name, organizationId, ownerEmail, scopes };
  await recordKey(database, { ...record, ...(expiresAt !== undefined && { expiresAt }) }, at);
  return issuedKey(record, value, workspace);
}

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

/**
 * Revokes the keys that nobody has used since a time, nor been issued since.
 * @returns their ids
 */
export async function revokeUnusedKeys(
  database: Database,
  since: number,
  at: number,
): Promise<string[]> {
  const revoked = await database
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('revoked_at', 'is', null)
    .where(({ fn }) => fn.coalesce('last_used_at', 'created_at'), '<', since)
    .returning('id')
    .execute();
  return revoked.map(({ id }) => id);
}

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
  expiresAt?: number;
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

/** Records a key, within a transaction; a known key is left unchanged. Its address becomes one of the workspace's people. */
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
      expires_at: key.expiresAt ?? null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  await admitMember(database, { organizationId: key.organizationId, email: key.ownerEmail }, at);
}

/** The organisation of a workspace, created only once even if several claims race for it. */
export async function organizationOfWorkspace(
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

/** The keys that the same address claimed in the same workspace and that are not revoked, newest first. */
export async function ownKeys(
  database: Database,
  { keyId, organizationId }: KeyOwner,
): Promise<OwnKey[]> {
  const rows = await database
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .where('owner_email', '=', (eb) =>
      eb.selectFrom('api_keys').select('owner_email').where('id', '=', keyId),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    obfuscated: row.obfuscated,
    name: row.name,
    scopes: JSON.parse(row.scopes),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}
