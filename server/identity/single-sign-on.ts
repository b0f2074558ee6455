/** People whom an OpenID Connect provider signs in: their workspace, their role, and keys that end. */
import type { Role } from '../contract/members.ts';
import { ROLES } from '../contract/members.ts';
import { SCOPES } from '../contract/registration.ts';
import type { SingleSignOnSettings } from '../remote/single-sign-on-settings.ts';
import type { Database } from '../storage/database.ts';
import { emailDomain } from './email.ts';
import { issueKeyIn, organizationOfWorkspace } from './keys.ts';
import {
  admitMember,
  changeMember,
  LastOwner,
  memberByEmail,
  notAMember,
  OwnWorkspace,
  revokeEndedKeys,
} from './members.ts';
import type { ProviderPerson } from './openid.ts';
import { isDisabled } from './people.ts';
import { IdentityError, type IssuedKey } from './provider.ts';
import type { Hasher } from './secrets.ts';

interface SignOnServices {
  database: Database;
  hasher: Hasher;
  settings: SingleSignOnSettings;
  teamEmailDomain: string | null;
  /** For how long a key of a sign-in is valid. */
  sessionMs: number;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/** Creates what follows a sign-in at the provider. */
export function createSingleSignOn(services: SignOnServices) {
  const { database, hasher, settings, teamEmailDomain, sessionMs, now = Date.now } = services;
  const { issuer, domains, groups: groupsOf } = settings;
  const hashOf = (subject: string) => hasher.hash('oidc-subject', issuer, subject);
  /** Everybody whom the provider signs in shares a workspace: that of the team, if there is one. */
  const externalId = `team:${teamEmailDomain ?? new URL(issuer).host}`;
  const mapsGroups = ROLES.some((role) => groupsOf[role].length > 0);

  /** The highest role of somebody's groups; undefined if groups give no roles. */
  const roleOf = (groups: readonly string[]): Role | undefined => {
    if (!mapsGroups) return undefined;
    const role = ROLES.findLast((each) => groupsOf[each].some((group) => groups.includes(group)));
    if (role) return role;
    throw new IdentityError(
      403,
      'not_admitted',
      'Your account is in none of the groups that may use this service.',
    );
  };

  return {
    /**
     * Lets a person in who was just signed in, and issues a key.
     * @throws {IdentityError} `not_admitted`, `not_a_member`, `user_mismatch`
     */
    async admit({
      subject,
      email,
      groups,
    }: ProviderPerson): Promise<IssuedKey & { email: string }> {
      const at = now();
      await revokeEndedKeys(database, at);
      if (domains !== null && !domains.includes(emailDomain(email))) {
        throw new IdentityError(403, 'not_admitted', 'Addresses of this domain may not sign in.');
      }
      const role = roleOf(groups);
      if (await isDisabled(database, hasher, email)) throw notAMember();
      const person = hashOf(subject);
      const organizationId = await database.transaction().execute(async (transaction) => {
        const id = await organizationOfWorkspace(transaction, { kind: 'team', externalId }, at);
        await rememberPerson(transaction, { person, email, organizationId: id });
        await admitMember(transaction, { organizationId: id, email, ...(role && { role }) }, at);
        return id;
      });
      const member = await memberByEmail(database, organizationId, email);
      if (!member || member.disabled_at !== null) throw notAMember();
      if (role && role !== member.role) {
        // Groups decide, except that a workspace keeps its last owner.
        const change = { organizationId, id: member.id };
        await changeMember(database, hasher, change, { role }, at).catch((error: unknown) => {
          if (!(error instanceof LastOwner || error instanceof OwnWorkspace)) throw error;
        });
      }
      const order = { ownerEmail: email, scopes: [...SCOPES], at, expiresAt: at + sessionMs };
      const key = await database
        .transaction()
        .execute((transaction) => issueKeyIn(transaction, hasher, organizationId, order));
      return { ...key, email };
    },
    /** Revokes all keys of somebody whom the provider signed out or disabled; their number. */
    async end(subject: string): Promise<number> {
      const found = await database
        .selectFrom('provider_people')
        .select(['email', 'organization_id'])
        .where('person', '=', hashOf(subject))
        .executeTakeFirst();
      if (!found) return 0;
      const { numUpdatedRows } = await database
        .updateTable('api_keys')
        .set({ revoked_at: now() })
        .where('organization_id', '=', found.organization_id)
        .where('owner_email', '=', found.email)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
  };
}

/**
 * Remembers which account of the provider an address belongs to.
 * @throws {IdentityError} `user_mismatch`: it belonged to another account, which may have been another person's
 */
async function rememberPerson(
  transaction: Database,
  { person, email, organizationId }: { person: string; email: string; organizationId: string },
): Promise<void> {
  const known = await transaction
    .selectFrom('provider_people')
    .select('person')
    .where('email', '=', email)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (known && known.person !== person) {
    throw new IdentityError(
      403,
      'user_mismatch',
      'This address belonged to another account of the provider. An owner has to remove that person first.',
    );
  }
  const row = { email, organization_id: organizationId };
  await transaction
    .insertInto('provider_people')
    .values({ person, ...row })
    .onConflict((conflict) => conflict.column('person').doUpdateSet(row))
    .execute();
}
