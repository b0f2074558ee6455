/** The people of a workspace: who they are, what they may do, and when they may not any more. */
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { includesRole, type Role } from '../contract/members.ts';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { workspaceOfEmail } from './email.ts';
import { IdentityError, type Principal } from './provider.ts';
import type { Hasher } from './secrets.ts';

/** What a key may do in its workspace, and who claimed it; null if nobody did here. */
export interface Standing {
  role: Role;
  person: string | null;
}

/** Thrown if nobody would be left who could manage a workspace. */
export class LastOwner extends Error {
  override readonly name = 'LastOwner';
}

/** Thrown for a change to the person whose personal workspace it is. */
export class OwnWorkspace extends Error {
  override readonly name = 'OwnWorkspace';
}

/** The refusal of a person who was disabled in a workspace, or never was in it. */
export const notAMember = (): IdentityError =>
  new IdentityError(403, 'not_a_member', 'This address has no access to the workspace.');

/**
 * What a valid key may do; null if its person was disabled or removed. A key that was not claimed here is one that the
 * administrator of an outside provider made: that of an organisation may do everything, that of a user may edit.
 */
export async function standingOf(
  database: Database,
  { keyId, ownerType, organizationId }: Omit<Principal, 'scopes'>,
): Promise<Standing | null> {
  const key = await database
    .selectFrom('api_keys')
    .leftJoin('members', (join) =>
      join
        .onRef('members.organization_id', '=', 'api_keys.organization_id')
        .onRef('members.email', '=', 'api_keys.owner_email'),
    )
    .select(['owner_email', 'revoked_at', 'role', 'disabled_at'])
    .where('api_keys.id', '=', keyId)
    .executeTakeFirst();
  if (!key) return { role: ownerType === 'organization' ? 'owner' : 'editor', person: null };
  if (key.revoked_at !== null || key.disabled_at !== null) return null;
  if (key.role !== null) return { role: key.role, person: key.owner_email };
  // A backup of an earlier version knows no people.
  if (!(await adoptMembers(database, organizationId))) return null;
  return { role: 'owner', person: key.owner_email };
}

/** Makes whoever has a valid key an owner, if a workspace has no people yet; whether it did. */
async function adoptMembers(database: Database, organizationId: string): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    await lockMembers(transaction, organizationId);
    const known = await transaction
      .selectFrom('members')
      .select('id')
      .where('organization_id', '=', organizationId)
      .limit(1)
      .executeTakeFirst();
    if (known) return false;
    const { numAffectedRows = 0n } = await sql`
      insert into members (id, organization_id, email, role, joined_at) select 'mem_' || min(id), organization_id,
        owner_email, 'owner', min(created_at) from api_keys
        where revoked_at is null and organization_id = ${organizationId} group by organization_id, owner_email`.execute(
      transaction,
    );
    return numAffectedRows > 0n;
  });
}

const lockMembers = (transaction: Database, organizationId: string): Promise<void> =>
  lockUntilCommit(transaction, `members:${organizationId}`);

/**
 * Makes an address one of the people of a workspace, unless it is one already: with a given role, or else as its owner
 * if it has none, and as an editor otherwise. Within a transaction.
 */
export async function admitMember(
  transaction: Database,
  { organizationId, email, role }: { organizationId: string; email: string; role?: Role },
  at: number,
): Promise<void> {
  await lockMembers(transaction, organizationId);
  await transaction
    .insertInto('members')
    .values({
      id: `mem_${randomUUID()}`,
      organization_id: organizationId,
      email,
      role: role ?? ((await ownersOf(transaction, organizationId)) > 0 ? 'editor' : 'owner'),
      joined_at: at,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doNothing())
    .execute();
}

/** The number of people who can manage a workspace. @param besides the id of a member who does not count */
async function ownersOf(
  database: Database,
  organizationId: string,
  besides: string = '',
): Promise<number> {
  const { count } = await database
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .where('id', '!=', besides)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A person in a workspace. */
export interface StoredMember {
  id: string;
  email: string;
  role: Role;
  joinedAt: number;
  disabledAt: number | null;
  lastUsedAt: number | null;
  /** Valid keys. */
  keys: number;
}

interface MemberPage {
  limit: number;
  /** The address after which the page begins. */
  after?: string;
  /** The only address to list. */
  only?: string;
}

/** People by their addresses. */
export async function listMembers(
  database: Database,
  organizationId: string,
  { limit, after = '', only }: MemberPage,
): Promise<{ members: StoredMember[]; total: number }> {
  await revokeEndedKeys(database, Date.now());
  const found = database.selectFrom('members').where('organization_id', '=', organizationId);
  const rows = await found
    .selectAll()
    .where('email', '>', after)
    .$if(only !== undefined, (query) => query.where('email', '=', only ?? ''))
    .orderBy('email')
    .limit(limit)
    .execute();
  const { total } = await found
    .select((eb) => eb.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const keys =
    rows.length === 0
      ? []
      : await database
          .selectFrom('api_keys')
          .select((eb) => [
            'owner_email',
            eb.fn.countAll<number | string>().as('count'),
            eb.fn.max('last_used_at').as('used'),
          ])
          .where('organization_id', '=', organizationId)
          .where('revoked_at', 'is', null)
          .where(
            'owner_email',
            'in',
            rows.map(({ email }) => email),
          )
          .groupBy('owner_email')
          .execute();
  const keysOf = new Map(keys.map((row) => [row.owner_email, row]));
  return {
    total: Number(total),
    members: rows.map((row) => {
      const own = keysOf.get(row.email);
      return {
        id: row.id,
        email: row.email,
        role: row.role,
        joinedAt: row.joined_at,
        disabledAt: row.disabled_at,
        lastUsedAt: own?.used ?? null,
        keys: Number(own?.count ?? 0),
      };
    }),
  };
}

/** A person by the id in a workspace. */
export const memberOf = (database: Database, organizationId: string, id: string) =>
  database
    .selectFrom('members')
    .select(['id', 'email', 'role', 'disabled_at'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();

/** A person by the address. */
export const memberByEmail = (database: Database, organizationId: string, email: string) =>
  database
    .selectFrom('members')
    .select(['id', 'email', 'role', 'disabled_at'])
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .executeTakeFirst();

/** A change to a person, or the person's removal. */
export type MemberOrder = { role?: Role; isDisabled?: boolean } | 'remove';

/**
 * Changes a person. Whoever is disabled or removed has no valid key any more when this returns.
 * @returns the address; null if the workspace has no such person
 * @throws {LastOwner} nobody could manage the workspace any more
 * @throws {OwnWorkspace} the workspace is the person's own
 */
export async function changeMember(
  database: Database,
  hasher: Hasher,
  { organizationId, id }: { organizationId: string; id: string },
  order: MemberOrder,
  at: number,
): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    await lockMembers(transaction, organizationId);
    const found = await memberOf(transaction, organizationId, id);
    if (!found) return null;
    const role = order === 'remove' ? null : (order.role ?? found.role);
    const isDisabled = order === 'remove' || (order.isDisabled ?? found.disabled_at !== null);
    const isOwner = role === 'owner' && !isDisabled;
    const wasOwner = found.role === 'owner' && found.disabled_at === null;
    if (wasOwner && !isOwner) {
      if (await isHome(transaction, hasher, organizationId, found.email)) throw new OwnWorkspace();
      if ((await ownersOf(transaction, organizationId, id)) === 0) throw new LastOwner();
    }
    if (role === null) {
      await transaction.deleteFrom('members').where('id', '=', id).execute();
      // The address may be another person's from now on.
      await transaction
        .deleteFrom('provider_people')
        .where('organization_id', '=', organizationId)
        .where('email', '=', found.email)
        .execute();
    } else {
      await transaction
        .updateTable('members')
        .set({ role, disabled_at: isDisabled ? (found.disabled_at ?? at) : null })
        .where('id', '=', id)
        .execute();
    }
    if (isDisabled) await revokeKeysOf(transaction, organizationId, found.email, at);
    return found.email;
  });
}

/** Revokes the keys of a person in a workspace, and takes back the invitations of the address. */
async function revokeKeysOf(
  transaction: Database,
  organizationId: string,
  email: string,
  at: number,
): Promise<void> {
  await transaction
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('organization_id', '=', organizationId)
    .where('owner_email', '=', email)
    .where('revoked_at', 'is', null)
    .execute();
  await transaction
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .execute();
}

/** Whether an address has a personal workspace that nobody else uses. */
export async function isAlone(
  database: Database,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const { kind, others } = await database
    .selectFrom('organizations')
    .select((eb) => [
      'kind',
      eb
        .selectFrom('members')
        .select((of) => of.fn.countAll<number | string>().as('count'))
        .where('organization_id', '=', organizationId)
        .where('email', '!=', email)
        .as('others'),
    ])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return kind === 'personal' && Number(others) === 0;
}

/** Whether a workspace is the personal one of an address. */
async function isHome(
  database: Database,
  hasher: Hasher,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const found = await database
    .selectFrom('organizations')
    .select(['kind', 'external_id'])
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return (
    found?.kind === 'personal' &&
    found.external_id === workspaceOfEmail(email, null, userOf(hasher, email)).externalId
  );
}

/** The id of a person, from which no address can be read. */
export const userOf = (hasher: Hasher, email: string): string =>
  `user_${hasher.hash('user', email).slice(0, 24)}`;

/** A workspace of a person. */
interface Membership {
  organizationId: string;
  name: string;
  role: Role;
}

/** The most workspaces of a person that are listed. */
const MOST_MEMBERSHIPS = 100;

/** The workspaces that an address may use. */
export async function membershipsOf(database: Database, email: string): Promise<Membership[]> {
  const rows = await database
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.organization_id')
    .select(['organization_id', 'role', 'kind', 'external_id'])
    .select((eb) =>
      eb
        .selectFrom('members as first')
        .select('first.email')
        .whereRef('first.organization_id', '=', 'members.organization_id')
        .orderBy('first.joined_at')
        .orderBy('first.id')
        .limit(1)
        .as('first'),
    )
    .where('members.email', '=', email)
    .where('disabled_at', 'is', null)
    .orderBy('members.joined_at')
    .orderBy('members.id')
    .limit(MOST_MEMBERSHIPS)
    .execute();
  return rows.map((row) => ({
    organizationId: row.organization_id,
    name: row.kind === 'team' ? row.external_id.replace(/^team:/, '') : (row.first ?? email),
    role: row.role,
  }));
}

/** A workspace that only an address can manage although it has other people; undefined if there is none. */
export async function soleOwnershipOf(
  database: Database,
  email: string,
): Promise<{ organizationId: string } | undefined> {
  for (const { organizationId, role } of await membershipsOf(database, email)) {
    if (!includesRole(role, 'owner')) continue;
    const own = await memberByEmail(database, organizationId, email);
    if (!own || (await ownersOf(database, organizationId, own.id)) > 0) continue;
    const other = await database
      .selectFrom('members')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('email', '!=', email)
      .where('disabled_at', 'is', null)
      .executeTakeFirst();
    if (other) return { organizationId };
  }
  return undefined;
}

/** Revokes the keys that have ended by themselves; their number. */
export async function revokeEndedKeys(database: Database, now: number): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('api_keys')
    .set(({ ref }) => ({ revoked_at: ref('expires_at') }))
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** A valid key of a workspace. */
interface WorkspaceKey {
  id: string;
  obfuscated: string;
  name: string;
  email: string;
  scopes: CaptionerScope[];
  createdAt: number;
  lastUsedAt: number | null;
}

/** The valid keys of a workspace, newest first. */
export async function workspaceKeys(
  database: Database,
  organizationId: string,
  limit: number,
): Promise<{ keys: WorkspaceKey[]; total: number }> {
  await revokeEndedKeys(database, Date.now());
  const valid = database
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null);
  const rows = await valid
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  const { total } = await valid
    .select((eb) => eb.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return {
    total: Number(total),
    keys: rows.map((row) => ({
      id: row.id,
      obfuscated: row.obfuscated,
      name: row.name,
      email: row.owner_email,
      scopes: JSON.parse(row.scopes),
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    })),
  };
}

/** Revokes a valid key of a workspace; the address that claimed it, or null if there is no such key. */
export async function revokeWorkspaceKey(
  database: Database,
  organizationId: string,
  id: string,
  at: number,
): Promise<string | null> {
  const row = await database
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('owner_email')
    .executeTakeFirst();
  return row?.owner_email ?? null;
}
