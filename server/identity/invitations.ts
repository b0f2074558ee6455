/**
 * Invitations to a workspace. The code in the email is a hundred random bits, of which only a hash is stored; it is valid
 * for some days, once, and until it is taken back.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { INVITATION } from '../contract/limits.ts';
import type { Role } from '../contract/members.ts';
import { SCOPES } from '../contract/registration.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { issueKeyIn } from './keys.ts';
import { admitMember, memberByEmail } from './members.ts';
import { isDisabled } from './people.ts';
import { IdentityError, type IssuedKey } from './provider.ts';
import { clientNetwork } from './networks.ts';
import { countAgainst, countEvents, reachedUntil, secondsUntil } from './rate-limit.ts';
import type { Hasher } from './secrets.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
/** Letters and digits that nobody confuses. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_CHARS = 20;

/** A code as it is mailed: four groups of five characters. */
function newCode(): string {
  const text = Array.from(randomBytes(CODE_CHARS), (byte) => LETTERS.charAt(byte % 32)).join('');
  return (text.match(/.{5}/g) ?? []).join('-');
}

/** A code without what people add or change when they copy it. */
const plainCode = (code: string): string =>
  code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

/** An invitation without its code. Times are epoch milliseconds. */
export interface StoredInvitation {
  id: string;
  email: string;
  role: Role;
  invitedBy: string | null;
  createdAt: number;
  expiresAt: number;
}

interface InvitationServices {
  database: Database;
  hasher: Hasher;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/** Creates the store. */
export function createInvitations({ database, hasher, now = Date.now }: InvitationServices) {
  const hash = (code: string) => hasher.hash('invitation', plainCode(code));
  return {
    /**
     * Makes an invitation; an older one of the same address is void.
     * @param email normalised
     * @returns it with its code
     * @throws {IdentityError} `already_member`, `too_many_invitations`, `rate_limited`
     */
    async invite(
      organizationId: string,
      { email, role, invitedBy }: Pick<StoredInvitation, 'email' | 'role' | 'invitedBy'>,
    ): Promise<StoredInvitation & { code: string }> {
      const at = now();
      const subject = hasher.hash('limit', 'invitations', organizationId);
      const limit = { name: 'invitations', subject, quota: INVITATION.perDay, windowMs: DAY_MS };
      await countAgainst(database, [limit], at);
      const made = { id: `inv_${randomUUID()}`, email, role, invitedBy, createdAt: at };
      const expiresAt = at + INVITATION.days * DAY_MS;
      const code = newCode();
      return database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `invitations:${organizationId}`);
        await transaction.deleteFrom('invitations').where('expires_at', '<=', at).execute();
        const member = await memberByEmail(transaction, organizationId, email);
        if (member) throw alreadyMember(member.disabled_at !== null);
        await transaction
          .deleteFrom('invitations')
          .where('organization_id', '=', organizationId)
          .where('email', '=', email)
          .execute();
        const open = await transaction
          .selectFrom('invitations')
          .select('id')
          .where('organization_id', '=', organizationId)
          .limit(INVITATION.maxInWorkspace)
          .execute();
        if (open.length >= INVITATION.maxInWorkspace) throw tooManyInvitations();
        await transaction
          .insertInto('invitations')
          .values({
            id: made.id,
            organization_id: organizationId,
            email,
            role,
            code_hash: hash(code),
            invited_by: invitedBy,
            created_at: at,
            expires_at: expiresAt,
          })
          .execute();
        return { ...made, expiresAt, code };
      });
    },
    /** The open invitations of a workspace, newest first. */
    async list(organizationId: string): Promise<StoredInvitation[]> {
      const rows = await database
        .selectFrom('invitations')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('expires_at', '>', now())
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(INVITATION.maxInWorkspace)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        email: row.email,
        role: row.role,
        invitedBy: row.invited_by,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }));
    },
    /** Takes an invitation back; the address, or null if there is no such one. */
    async revoke(organizationId: string, id: string): Promise<string | null> {
      const row = await database
        .deleteFrom('invitations')
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returning('email')
        .executeTakeFirst();
      return row?.email ?? null;
    },
    /**
     * Accepts an invitation: whoever has its code can read the mail of its address.
     * @throws {IdentityError} `invalid_invitation`, `rate_limited`
     */
    async accept(
      code: string,
      clientAddress: string,
    ): Promise<IssuedKey & { email: string; role: Role }> {
      const at = now();
      const limit = {
        name: 'wrong-invitations',
        subject: hasher.hash('wrong-invitation', clientNetwork(clientAddress)),
        quota: INVITATION.wrongPerClient,
        windowMs: HOUR_MS,
      };
      const until = await reachedUntil(database, limit, at);
      if (until !== null) throw tooManyCodes(secondsUntil(until, at));
      const accepted = await database.transaction().execute(async (transaction) => {
        const found = await transaction
          .deleteFrom('invitations')
          .where('code_hash', '=', hash(code))
          .where('expires_at', '>', at)
          .returning(['organization_id', 'email', 'role'])
          .executeTakeFirst();
        if (!found || (await isDisabled(transaction, hasher, found.email))) return null;
        const { organization_id: organizationId, email, role } = found;
        await admitMember(transaction, { organizationId, email, role }, at);
        const member = await memberByEmail(transaction, organizationId, email);
        if (!member || member.disabled_at !== null) return null;
        const order = { ownerEmail: email, scopes: [...SCOPES], at };
        const key = await issueKeyIn(transaction, hasher, organizationId, order);
        return { ...key, email, role: member.role };
      });
      if (accepted) return accepted;
      await countEvents(database, [limit], at);
      throw new IdentityError(
        401,
        'invalid_invitation',
        'This invitation is not valid: it was used or taken back, or has expired.',
      );
    },
  };
}

const alreadyMember = (isDisabled: boolean): IdentityError =>
  new IdentityError(
    409,
    'already_member',
    isDisabled
      ? 'This person is disabled in the workspace. Enable the person instead.'
      : 'This person is in the workspace already.',
  );

const tooManyInvitations = (): IdentityError =>
  new IdentityError(
    409,
    'too_many_invitations',
    `A workspace has at most ${INVITATION.maxInWorkspace} open invitations. Take one back first.`,
  );

const tooManyCodes = (retryAfter: number): IdentityError =>
  new IdentityError(429, 'rate_limited', 'Too many wrong codes. Wait, then try again.', {
    limit: {
      name: 'wrong-invitations',
      quota: INVITATION.wrongPerClient,
      windowSeconds: HOUR_MS / 1000,
    },
    retryAfter,
  });
