/**
 * The WorkOS identity provider: WorkOS emails and verifies codes, stores organisations and keys, and validates every
 * key.
 */
import { isIP } from 'node:net';
import { WorkOS } from '@workos-inc/node';
import { type CaptionerScope, SCOPES } from '../contract/registration.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import type { Waiting } from '../base/concurrency.ts';
import {
  IdentityError,
  type IdentityProvider,
  type KeyOwner,
  type Principal,
  type RegistrationRequest,
} from './provider.ts';
import { createRegistrar } from './registrations.ts';
import type { Hasher } from './secrets.ts';
import { completeClaim } from './workos-claim.ts';
import { type LeaseTimes } from './claim-lease.ts';
import { call, IdpFailure, refusalFor, registrationRefusalFor } from './workos-failures.ts';
import type { TeamOptions } from './email.ts';
import { REGISTRATION } from '../contract/limits.ts';
import type { WorkosService } from '../remote/service-settings.ts';
import { ownKeys } from './keys.ts';
import { sweepOrphanedKeys } from './workos-keys.ts';

/** The time-out of a call, in milliseconds. */
const TIMEOUT_MS = 5000;

interface WorkosIdentityOptions extends TeamOptions {
  workos: WorkosService;
  database: Database;
  hasher: Hasher;
  /** Registrations an hour from one client, and for all addresses together (default: REGISTRATION.inAll). */
  registrationsPerIp: number;
  registrationsPerHour?: number;
  log: Log;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
  timeoutMs?: number;
  leaseTimes?: LeaseTimes;
  /** Timer (default: real time). */
  waiting?: Waiting;
}

/** Creates the provider. */
export function createWorkosIdentity(options: WorkosIdentityOptions): IdentityProvider {
  const { database, hasher, log, now = Date.now, timeoutMs = TIMEOUT_MS } = options;
  const client = createClient(options.workos, timeoutMs);
  const known = createKnownKeys();
  const begin = createRegistrar({
    ...options,
    now,
    sweep: () => sweepOrphanedKeys({ client, database, log }, now()),
  });

  const mailCode = async (
    email: string,
    { clientAddress = '', userAgent = '' }: Partial<RegistrationRequest> = {},
  ) => {
    const request = { method: 'POST', path: '/user_management/magic_auth' } as const;
    const ip = isIP(clientAddress) === 0 ? {} : { ipAddress: clientAddress };
    const agent = userAgent === '' ? {} : { userAgent: userAgent.slice(0, 500) };
    const magic = await call(
      request,
      () => client.userManagement.createMagicAuth({ email, ...ip, ...agent }),
      ['id', 'userId', 'code'],
    );
    const expires = Date.parse(magic.expiresAt);
    return {
      code: magic.code,
      providerCodeId: magic.id,
      userId: magic.userId,
      expiresAt: Number.isFinite(expires) ? expires : now() + REGISTRATION.claimMinutes * 60_000,
    };
  };
  const services = { ...options, client, now, mailCode };

  const ask = async (value: string): Promise<Principal | null> => {
    const key = await validated(client, value);
    if (key === null) return null;
    const { id, owner, permissions } = key;
    const record = await recordedKey(database, id);
    if (record && record.revoked_at !== null) return null;
    const scopes = record
      ? (JSON.parse(record.scopes) as CaptionerScope[])
      : scopesAmong(permissions);
    return owner.type === 'user'
      ? {
          keyId: id,
          ownerType: 'user',
          organizationId: owner.organization_id,
          userId: owner.id,
          scopes,
        }
      : { keyId: id, ownerType: 'organization', organizationId: owner.id, scopes };
  };

  /** The keys recorded here that WorkOS still has: some may have been deleted in its dashboard. */
  const liveKeys = async (owner: KeyOwner) => {
    const keys = await ownKeys(database, owner);
    if (keys.length === 0) return [];
    const live = await listedKeys(client, { organizationId: owner.organizationId });
    return keys.filter(({ id }) => live.includes(id));
  };

  return {
    start: (request) =>
      answering(log, startRefusalFor, async () => {
        const { started, code } = await begin(request, (email) => mailCode(email, request));
        if (code === null) {
          log.info('address_refused', { registrationId: started.registrationId });
        }
        return started;
      }),

    complete: (claim) =>
      answering(log, registrationRefusalFor, () => completeClaim(services, claim)),

    validate: (key, { fresh = false } = {}) =>
      answering(log, refusalFor, async () => {
        if (!couldBeKey(key)) return null;
        const name = hasher.hash('key', key);
        const at = now();
        const before = fresh ? null : known.get(name, at);
        if (before) return before;
        known.forget(name);
        const principal = await ask(key);
        if (principal) known.set(name, principal, at);
        return principal;
      }),

    isLive: (owner) =>
      answering(log, refusalFor, async () => {
        // Revoked here, although WorkOS still has it.
        const record = await recordedKey(database, owner.keyId);
        if (record && record.revoked_at !== null) return false;
        return (await listedKeys(client, owner)).includes(owner.keyId);
      }),

    keysOf: (owner) => answering(log, refusalFor, () => liveKeys(owner)),
  };
}

/** A key in WorkOS's format. */
interface WireKey {
  id: string;
  owner: { type: string; id: string; organization_id: string };
  permissions?: string[];
}

/**
 * Validates a key; null if WorkOS says that it is invalid. Reads the raw response, because the SDK would treat an empty
 * response as invalid, and a valid key must not be refused for that.
 */
async function validated(client: WorkOS, value: string): Promise<WireKey | null> {
  const request = { method: 'POST', path: '/api_keys/validations' } as const;
  const { key } = await call(request, async () => {
    const { data } = await client.post<{ api_key?: WireKey | null }>(request.path, { value });
    const key = data?.api_key;
    if (key === null) return { key: null };
    const owner = key?.owner;
    const organizationId = owner?.type === 'user' ? owner.organization_id : owner?.id;
    if (typeof key?.id !== 'string' || typeof organizationId !== 'string') {
      throw new TypeError('api_key is missing');
    }
    return { key };
  });
  return key;
}

function createClient({ apiKey, clientId, apiUrl }: WorkosService, timeoutMs: number): WorkOS {
  const { hostname, port, protocol } = new URL(apiUrl);
  return new WorkOS(apiKey, {
    clientId,
    apiHostname: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    https: protocol === 'https:',
    timeout: timeoutMs,
    // The default of three retries would repeat POSTs: two emails for one registration.
    maxRetries: 0,
    // Requests contain keys and addresses, so they go only to the configured host.
    fetchFn: stayingFetch as typeof fetch,
  });
}

const stayingFetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
  fetch(input, { ...init, redirect: 'manual' });

/** The scopes among permissions; keys created in WorkOS's dashboard may have other permissions too. */
const scopesAmong = (permissions: readonly string[] = []): CaptionerScope[] =>
  SCOPES.filter((scope) => permissions.includes(scope));

/** Whether a text could be a key at all; otherwise WorkOS is not called. */
const couldBeKey = (key: string): boolean => /^[!-~]{1,1024}$/.test(key);

/**
 * The refusal of a failed start. Only an address that WorkOS rejects is the client's error; the rest of that call is
 * ours.
 */
function startRefusalFor(failure: IdpFailure): IdentityError {
  const { status, code } = failure;
  if (status === 422 || (status === 400 && code.includes('email'))) {
    return new IdentityError(400, 'invalid_email', 'assertion must be an email address.');
  }
  return registrationRefusalFor(failure);
}

/** The time for which a valid key is cached, in milliseconds; invalid ones are never cached. */
const KNOWN_MS = 30_000;
const MAX_KNOWN = 10_000;

/** Creates an empty cache, which is emptied when it is full. */
function createKnownKeys() {
  const known = new Map<string, { principal: Principal; at: number }>();
  return {
    /** The owner of a key, if it was validated recently. */
    get(name: string, now: number): Principal | null {
      const before = known.get(name);
      return before && now - before.at < KNOWN_MS ? before.principal : null;
    },
    set(name: string, principal: Principal, at: number): void {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(name, { principal, at });
    },
    forget: (name: string): void => void known.delete(name),
  };
}

/** The record of a key, which says its scopes, and whether its owner is refused here; undefined if there is none. */
const recordedKey = (database: Database, keyId: string) =>
  database
    .selectFrom('api_keys')
    .select(['scopes', 'revoked_at'])
    .where('id', '=', keyId)
    .executeTakeFirst();

/** The ids of the keys of an owner: a user in an organisation, or the organisation itself. */
async function listedKeys(
  client: WorkOS,
  { organizationId, userId }: Pick<KeyOwner, 'organizationId' | 'userId'>,
): Promise<string[]> {
  const path = userId
    ? `/user_management/users/${userId}/api_keys`
    : `/organizations/${organizationId}/api_keys`;
  const list = await call({ method: 'GET', path }, async () => {
    const pages = userId
      ? await client.userManagement.listUserApiKeys(userId, { organizationId })
      : await client.apiKeys.listOrganizationApiKeys({ organizationId });
    return { ids: (await pages.autoPagination()).map(({ id }) => id) };
  });
  return list.ids;
}

/** Passes refusals on, and converts failures into refusals after logging them for the operator. */
async function answering<T>(
  log: Log,
  refusal: (failure: IdpFailure) => IdentityError,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof IdpFailure)) throw error;
    const { request, ...details } = error.details;
    const { remedy } = error;
    log.error('identity_provider_failed', { ...details, ...request, remedy });
    throw refusal(error);
  }
}
