/** The identity provider that needs no account anywhere: codes, claims and keys in the service's own database. */
import { randomInt } from 'node:crypto';
import { CLAIM_MINUTES } from '../contract/limits.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import {
  hashOfCode,
  markClaimed,
  refusalOf,
  refuseCode,
  takeTry,
  type Registration,
} from './claims.ts';
import { issueKey } from './issue-key.ts';
import { keyIdOf } from './keys.ts';
import { codeMail } from './mail.ts';
import type { Mailer } from './mailer.ts';
import type { ClaimedKey, IdentityProvider, Principal } from './provider.ts';
import { createRegistrar } from './registrations.ts';
import { sameHash, type Hasher } from './secrets.ts';

/** `last_used_at` is for people: to the minute is enough. */
const LAST_USED_EVERY_MS = 60_000;

export interface EmbeddedIdentityOptions {
  database: Database;
  hasher: Hasher;
  mailer: Mailer;
  /** Addresses of exactly this domain share a workspace. */
  teamEmailDomain: string | null;
  registrationsPerIp: number;
  log: Log;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/** Makes the provider. */
export function createEmbeddedIdentity(options: EmbeddedIdentityOptions): IdentityProvider {
  const { database, hasher, mailer, teamEmailDomain, log, now = Date.now } = options;
  const begin = createRegistrar({ ...options, now });

  return {
    async start(request) {
      const { started, email, code } = await begin(request, () => ({
        code: randomInt(1_000_000).toString().padStart(6, '0'),
        expiresAt: now() + CLAIM_MINUTES * 60_000,
      }));
      await mailer.deliver(codeMail({ ...request, email, code, minutes: CLAIM_MINUTES }));
      return started;
    },

    /** All of it inside one transaction, so that it happens once. */
    async complete({ claimToken, code }) {
      const at = now();
      const tokenHash = hasher.hash('claim', claimToken);
      // Looked at first without a lock: made-up tokens must not keep others from writing.
      const refusal = await refusalOf(database, tokenHash, at);
      if (refusal) throw refusal;
      const outcome = await database.transaction().execute(async (transaction) => {
        const registration = await takeTry(transaction, tokenHash, at);
        if (!registration) return refusalOf(transaction, tokenHash, at);
        const newest = await newestOf(transaction, registration.email);
        if (!isRight(newest, code, hasher, at) || !(await spend(transaction, newest))) {
          return refuseCode(transaction, registration);
        }
        await markClaimed(transaction, registration);
        const key = await issueKey(transaction, hasher, {
          ownerEmail: registration.email,
          scopes: JSON.parse(registration.scopes),
          teamEmailDomain,
          at,
        });
        return { registrationId: registration.id, ...key } satisfies ClaimedKey;
      });
      // Thrown out here: inside, it would undo the count of codes tried.
      if (outcome === null || outcome instanceof Error) throw outcome ?? new Error('claim is held');
      return outcome;
    },

    async validate(key) {
      const id = keyIdOf(key);
      if (id === null) return null;
      const row = await database
        .selectFrom('api_keys')
        .select(['key_hash', 'organization_id', 'scopes', 'last_used_at', 'revoked_at'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row || !sameHash(row.key_hash, hasher.hash('key', key))) return null;
      if (row.revoked_at !== null) return null;
      await noteUse(database, id, row.last_used_at, now(), log);
      return {
        keyId: id,
        ownerType: 'organization',
        organizationId: row.organization_id,
        scopes: JSON.parse(row.scopes),
      } satisfies Principal;
    },
  };
}

/**
 * The newest registration of an address: its code is the one that counts. A later registration
 * voids the code of an earlier one, whose claim token still stands until it expires.
 */
async function newestOf(transaction: Database, email: string): Promise<Registration> {
  return transaction
    .selectFrom('registrations')
    .selectAll()
    .where('email', '=', email)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

/** Spends a code, once: whichever of two registrations it was mailed for, both are over with it. */
async function spend(transaction: Database, { id }: Registration): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('registrations')
    .set({ state: 'claimed' })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

const isRight = (newest: Registration, code: string, hasher: Hasher, at: number): boolean =>
  sameHash(newest.code_hash, hashOfCode(hasher, newest.id, code)) &&
  newest.state === 'open' &&
  newest.expires_at > at;

/** Notes that a key is used. Nobody is turned away because that could not be written. */
async function noteUse(
  database: Database,
  id: string,
  lastUsedAt: number | null,
  at: number,
  log: Log,
): Promise<void> {
  if (lastUsedAt !== null && at - lastUsedAt < LAST_USED_EVERY_MS) return;
  try {
    await database.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
  } catch (error) {
    log.warn('key_use_not_noted', { keyId: id, error });
  }
}
