/**
 * The embedded identity provider, which needs no external account: it keeps codes, claims and keys in the service's own
 * database.
 */
import { randomInt } from 'node:crypto';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import { type Registration, noteRegistration, refusalOfClaim } from './claims.ts';
import { type Decided, invalidCode, replaceCode, tryCode } from './codes.ts';
import type { Mailer } from './mail.ts';
import { codeMail, secondCodeMail } from './mail-texts.ts';
import { memberByEmail, notAMember, userOf } from './members.ts';
import type { ClaimedKey, IdentityProvider, Principal } from './provider.ts';
import { createRegistrar } from './registrations.ts';
import { type Hasher, sameHash } from './secrets.ts';
import { type TeamOptions, workspaceOfEmail } from './email.ts';
import { REGISTRATION } from '../contract/limits.ts';
import { issueKeyIn, keyIdOf, organizationOfWorkspace, ownKeys, revokeKey } from './keys.ts';

/** The precision of `last_used_at`, which only people read. */
const LAST_USED_EVERY_MS = 60_000;

interface EmbeddedIdentityOptions extends TeamOptions {
  database: Database;
  hasher: Hasher;
  mailer: Mailer;
  /** Registrations an hour from one client, and for all addresses together (default: REGISTRATION.inAll). */
  registrationsPerIp: number;
  registrationsPerHour?: number;
  log: Log;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/** Creates the provider. */
export function createEmbeddedIdentity(options: EmbeddedIdentityOptions): IdentityProvider {
  const { database, hasher, mailer, teamEmailDomain, log, now = Date.now } = options;
  const clocked = { ...options, now };
  const begin = createRegistrar(clocked);

  return {
    async start(request) {
      const { started, email, code } = await begin(request, () => ({ code: newCode() }));
      const { registrationId } = started;
      if (code === null) log.info('address_refused', { registrationId });
      else {
        const mail = {
          ...request,
          email,
          code,
          registrationId,
          minutes: REGISTRATION.claimMinutes,
        };
        await mailer.deliver(codeMail(mail));
      }
      return started;
    },

    /** Claims in a single transaction, so that it can happen only once. */
    async complete({ claimToken, code, organizationId, language }) {
      const at = now();
      const tokenHash = hasher.hash('claim', claimToken);
      // Checked first without a lock, so that invented tokens do not block other writers.
      const refusal = await refusalOfClaim(database, tokenHash, at);
      if (refusal) throw refusal;
      const outcome = await database.transaction().execute(async (transaction) => {
        const tried = await tryCode(transaction, clocked, { tokenHash, code });
        if ('refusal' in tried) return tried.refusal;
        // Without a lease, no claim is held by another.
        const { registration, outcome } = tried as Decided;
        const { id: registrationId, email } = registration;
        const scopes: CaptionerScope[] = JSON.parse(registration.scopes);
        if (outcome === 'second') {
          const second = newCode();
          await replaceCode(transaction, hasher, registration, { code: second });
          const minutes = minutesLeft(registration, at);
          return secondCodeMail({ email, code: second, scopes, registrationId, minutes, language });
        }
        const order = { ownerEmail: email, scopes, at };
        const workspace = workspaceOfEmail(email, teamEmailDomain, userOf(hasher, email));
        const target =
          organizationId ?? (await organizationOfWorkspace(transaction, workspace, at));
        const member = await memberByEmail(transaction, target, email);
        // The code stays valid for another workspace.
        if (member ? member.disabled_at !== null : organizationId !== undefined) {
          return notAMember();
        }
        await markClaimed(transaction, registration);
        return { registrationId, ...(await issueKeyIn(transaction, hasher, target, order)) };
      });
      // Thrown here because throwing inside the transaction would undo the count of tries.
      if (outcome instanceof Error) throw outcome;
      if ('key' in outcome) return outcome satisfies ClaimedKey;
      await mailer.deliver(outcome);
      throw invalidCode();
    },

    async validate(key) {
      const id = keyIdOf(key);
      if (id === null) return null;
      // Computed whether or not there is such a key, which the time of the response must not tell.
      const hash = hasher.hash('key', key);
      const row = await database
        .selectFrom('api_keys')
        .select([
          'key_hash',
          'organization_id',
          'scopes',
          'last_used_at',
          'revoked_at',
          'expires_at',
        ])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row || !sameHash(row.key_hash, hash)) return null;
      if (hasEnded(row, now())) return null;
      await noteUse(database, id, row.last_used_at, now(), log);
      return {
        keyId: id,
        ownerType: 'organization',
        organizationId: row.organization_id,
        scopes: JSON.parse(row.scopes),
      } satisfies Principal;
    },

    async isLive({ keyId }) {
      const row = await database
        .selectFrom('api_keys')
        .select(['revoked_at', 'expires_at'])
        .where('id', '=', keyId)
        .executeTakeFirst();
      return row !== undefined && !hasEnded(row, now());
    },

    keysOf: (owner) => ownKeys(database, owner),

    async revoke(owner, id) {
      const isOwn = (await ownKeys(database, owner)).some((key) => key.id === id);
      return isOwn && revokeKey(database, id, now());
    },
  };
}

/** Whether a key was revoked, or has ended by itself. */
const hasEnded = (
  {
    revoked_at: revokedAt,
    expires_at: expiresAt,
  }: Record<'revoked_at' | 'expires_at', number | null>,
  now: number,
): boolean => revokedAt !== null || (expiresAt !== null && expiresAt <= now);

/** Six digits, uniformly distributed. */
const newCode = (): string => Array.from({ length: 6 }, () => randomInt(10)).join('');

/** Records that a key was used. A failure to write this does not fail the request. */
async function noteUse(
  database: Database,
  id: string,
  lastUsedAt: number | null,
  at: number,
  log: Log,
): Promise<void> {
  if (at - Number(lastUsedAt) < LAST_USED_EVERY_MS) return;
  try {
    await database.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
  } catch (error) {
    log.warn('key_use_not_recorded', { keyId: id, error });
  }
}

/** Marks the registration as claimed. */
const markClaimed = (database: Database, registration: Registration): Promise<void> =>
  noteRegistration(database, registration, { state: 'claimed' });

/** The minutes left for a claim, for the mail with its second code. */
const minutesLeft = ({ expires_at: expiresAt }: Registration, now: number): number =>
  Math.min(REGISTRATION.claimMinutes, Math.max(1, Math.floor((expiresAt - now) / 60_000)));
