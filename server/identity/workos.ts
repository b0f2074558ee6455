/** The identity provider at WorkOS: it mails and verifies codes, holds organisations and keys, and is asked about every key. */
import { isIP } from 'node:net';
import { WorkOS } from '@workos-inc/node';
import type { WorkosService } from '../config.ts';
import { CLAIM_MINUTES } from '../contract/limits.ts';
import { SCOPES, type CaptionerScope } from '../contract/scopes.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { recordedScopes } from './key-records.ts';
import {
  IdentityError,
  type IdentityProvider,
  type Principal,
  type RegistrationRequest,
} from './provider.ts';
import { createRegistrar } from './registrations.ts';
import type { Hasher } from './secrets.ts';
import { completeClaim } from './workos-claim.ts';
import {
  answering,
  call,
  refusalFor,
  registrationRefusalFor,
  type IdpFailure,
} from './workos-failures.ts';

/** A call that takes longer is given up. */
const TIMEOUT_MS = 5000;
/** A good answer about a key is known for so long; a bad one never is. */
const KNOWN_MS = 30_000;
const MOST_KNOWN = 10_000;

export interface WorkosIdentityOptions {
  workos: WorkosService;
  database: Database;
  hasher: Hasher;
  teamEmailDomain: string | null;
  registrationsPerIp: number;
  log: Log;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/** Makes the provider. */
export function createWorkosIdentity(options: WorkosIdentityOptions): IdentityProvider {
  const { database, hasher, log, now = Date.now } = options;
  const client = createClient(options.workos);
  const begin = createRegistrar({ ...options, now });
  const services = { ...options, client, now };
  const known = new Map<string, { principal: Principal; at: number }>();

  const makeCode = async (email: string, { clientAddress, userAgent }: RegistrationRequest) => {
    const request = { method: 'POST', path: '/user_management/magic_auth' } as const;
    const ip = isIP(clientAddress) === 0 ? {} : { ipAddress: clientAddress };
    const agent = userAgent === '' ? {} : { userAgent: userAgent.slice(0, 500) };
    const magic = await call(request, () =>
      client.userManagement.createMagicAuth({ email, ...ip, ...agent }),
    );
    const expires = Date.parse(magic.expiresAt);
    return {
      code: magic.code ?? '',
      userId: magic.userId,
      expiresAt: Number.isFinite(expires) ? expires : now() + CLAIM_MINUTES * 60_000,
    };
  };

  const ask = async (value: string): Promise<Principal | null> => {
    const request = { method: 'POST', path: '/api_keys/validations' } as const;
    const { apiKey } = await call(request, () => client.apiKeys.createValidation({ value }));
    if (!apiKey) return null;
    const { id, owner, permissions } = apiKey;
    const scopes = (await recordedScopes(database, id)) ?? scopesAmong(permissions);
    return owner.type === 'user'
      ? { keyId: id, ownerType: 'user', organizationId: owner.organizationId, scopes }
      : { keyId: id, ownerType: 'organization', organizationId: owner.id, scopes };
  };

  return {
    start: (request) =>
      answering(log, startRefusalFor, async () => {
        const { started } = await begin(request, (email) => makeCode(email, request));
        return started;
      }),

    complete: (claim) =>
      answering(log, registrationRefusalFor, () => completeClaim(services, claim)),

    validate: (key, { fresh = false } = {}) =>
      answering(log, refusalFor, async () => {
        if (!couldBeKey(key)) return null;
        const name = hasher.hash('key', key);
        const before = known.get(name);
        if (!fresh && before && now() - before.at < KNOWN_MS) return before.principal;
        const at = now();
        known.delete(name);
        const principal = await ask(key);
        if (known.size >= MOST_KNOWN) known.clear();
        if (principal) known.set(name, { principal, at });
        return principal;
      }),
  };
}

function createClient({ apiKey, clientId, apiUrl }: WorkosService): WorkOS {
  const { hostname, port, protocol } = new URL(apiUrl);
  return new WorkOS(apiKey, {
    clientId,
    apiHostname: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    https: protocol === 'https:',
    timeout: TIMEOUT_MS,
    // Three by default, and it repeats POSTs: two mails for one registration.
    maxRetries: 0,
    // It is told keys and addresses: they go to the service that was named, and to no other.
    fetchFn: stayingFetch as typeof fetch,
  });
}

const stayingFetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
  fetch(input, { ...init, redirect: 'manual' });

/** A key that was made in the provider's own key management has its permissions for scopes. */
const scopesAmong = (permissions: readonly string[] = []): CaptionerScope[] =>
  SCOPES.filter((scope) => permissions.includes(scope));

/** What no key can look like is not worth a call. */
const couldBeKey = (key: string): boolean => /^[!-~]{1,1024}$/.test(key);

/** An address that WorkOS will not have is the client's to put right. */
function startRefusalFor(failure: IdpFailure): IdentityError {
  const { status, code } = failure;
  if ((status === 400 || status === 422) && code.includes('email')) {
    return new IdentityError(400, 'invalid_email', 'assertion must be an email address.');
  }
  return registrationRefusalFor(failure);
}
