/** The identity provider that needs no account anywhere: registrations and keys in the service's own database. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Log } from '../log.ts';
import type { Database, Tables } from '../storage/database.ts';
import { emailDomain, normalizeEmail } from './email.ts';
import { createKey, keyIdOf } from './keys.ts';
import { codeMail, type Mailer } from './mail.ts';
import { claimRegistration } from './claim.ts';
import type { ClaimedKey, IdentityProvider, RegistrationRequest } from './provider.ts';
import { countAgainst } from './rate-limit.ts';
import { createHasher, readPepper, sameHash, type Hasher } from './secrets.ts';

const CLAIM_MINUTES = 10;
const HOUR_MS = 3_600_000;
const REGISTRATIONS_PER_ADDRESS = 5;
/** `last_used_at` is for people: to the minute is enough. */
const LAST_USED_EVERY_MS = 60_000;

export interface EmbeddedIdentityOptions {
  database: Database;
  dataDir: string;
  mailer: Mailer;
  /** Addresses of exactly this domain share a workspace. */
  teamEmailDomain: string | null;
  registrationsPerIp: number;
  log: Log;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

export async function createEmbeddedIdentity(
  options: EmbeddedIdentityOptions,
): Promise<IdentityProvider> {
  const { database, mailer, log, now = Date.now } = options;
  const hasher = createHasher(await readPepper(options.dataDir));

  const send = async (request: RegistrationRequest, code: string): Promise<void> => {
    const sending = mailer.send(codeMail({ ...request, code, minutes: CLAIM_MINUTES }));
    // Whether an address takes mail must not show in how long the answer takes.
    if (mailer.remote) sending.catch((error: unknown) => log.error('mail_not_sent', { error }));
    else await sending;
  };

  return {
    async start(request) {
      const at = now();
      const email = normalizeEmail(request.email);
      const registrationId = `reg_${randomUUID()}`;
      const claimToken = `clm_${randomBytes(32).toString('base64url')}`;
      const code = randomInt(1_000_000).toString().padStart(6, '0');
      const expiresAt = at + CLAIM_MINUTES * 60_000;
      await database.transaction().execute(async (transaction) => {
        await countAgainst(transaction, limitsOf(request, email, options, hasher), at);
        await transaction
          .insertInto('registrations')
          .values({
            id: registrationId,
            email,
            claim_token_hash: hasher.hash('claim', claimToken),
            code_hash: hasher.hash('code', registrationId, code),
            scopes: JSON.stringify(request.scopes),
            attempts: 0,
            state: 'open',
            created_at: at,
            expires_at: expiresAt,
          })
          .execute();
      });
      await send(request, code);
      return { registrationId, claimToken, expiresAt };
    },

    async complete(claim) {
      const outcome = await database.transaction().execute(async (transaction) => {
        const result = await claimRegistration(transaction, hasher, claim, now());
        if ('refused' in result) return result;
        return { key: await issueKey(transaction, result.registration, options, hasher, now()) };
      });
      // Thrown out here: inside, it would undo the count of wrong codes.
      if ('refused' in outcome) throw outcome.refused;
      return outcome.key;
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
      await noteUse(database, id, row.last_used_at, now());
      return {
        keyId: id,
        ownerType: 'organization',
        organizationId: row.organization_id,
        scopes: JSON.parse(row.scopes),
      };
    },
  };
}

/** An hour's quota for the address and for the client. */
const limitsOf = (
  request: RegistrationRequest,
  email: string,
  options: EmbeddedIdentityOptions,
  hasher: Hasher,
) => [
  {
    name: 'registrations-per-address',
    subject: hasher.hash('limit', 'address', email),
    quota: REGISTRATIONS_PER_ADDRESS,
    windowMs: HOUR_MS,
  },
  {
    name: 'registrations-per-client',
    subject: hasher.hash('limit', 'client', request.clientAddress),
    quota: options.registrationsPerIp,
    windowMs: HOUR_MS,
  },
];

async function issueKey(
  transaction: Transaction<Tables>,
  registration: Tables['registrations'],
  { teamEmailDomain }: EmbeddedIdentityOptions,
  hasher: Hasher,
  at: number,
): Promise<ClaimedKey> {
  const workspace = workspaceOf(registration.email, teamEmailDomain, hasher);
  const organizationId = await organizationOf(transaction, workspace, at);
  const key = createKey();
  const name = `Captioner key of ${new Date(at).toISOString().slice(0, 10)}`;
  await transaction
    .insertInto('api_keys')
    .values({
      id: key.id,
      key_hash: hasher.hash('key', key.value),
      obfuscated: key.obfuscated,
      name,
      organization_id: organizationId,
      owner_email: registration.email,
      scopes: registration.scopes,
      created_at: at,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return {
    registrationId: registration.id,
    key: key.value,
    scopes: JSON.parse(registration.scopes),
    organizationId,
    workspace,
    metadata: {
      id: key.id,
      owner: { type: 'organization', id: organizationId },
      name,
      obfuscated_value: key.obfuscated,
    },
  };
}

/** The team's domain matches exactly, never by its ending: `example.com.evil.test` is no team. */
function workspaceOf(
  email: string,
  teamEmailDomain: string | null,
  hasher: Hasher,
): ClaimedKey['workspace'] {
  const domain = emailDomain(email);
  if (teamEmailDomain !== null && domain === teamEmailDomain) {
    return { kind: 'team', externalId: `team:${domain}` };
  }
  const user = hasher.hash('user', email).slice(0, 24);
  return { kind: 'personal', externalId: `personal:user_${user}` };
}

/** The organisation of a workspace, made once however many claims race for it. */
async function organizationOf(
  transaction: Transaction<Tables>,
  { kind, externalId }: ClaimedKey['workspace'],
  at: number,
): Promise<string> {
  await transaction
    .insertInto('organizations')
    .values({ id: `org_${randomUUID()}`, external_id: externalId, kind, created_at: at })
    .onConflict((conflict) => conflict.column('external_id').doNothing())
    .execute();
  const { id } = await transaction
    .selectFrom('organizations')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow();
  return id;
}

async function noteUse(
  database: Database,
  id: string,
  lastUsedAt: number | null,
  at: number,
): Promise<void> {
  if (lastUsedAt !== null && at - lastUsedAt < LAST_USED_EVERY_MS) return;
  await database.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
}
