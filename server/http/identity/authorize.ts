/** Authorises requests: checks that the bearer key has the scope that the route needs. Contract 5. */
import type { CaptionerScope } from '../../contract/registration.ts';
import type { IdentityProvider, Principal } from '../../identity/provider.ts';
import type { Log } from '../../log.ts';
import { headerText } from '../request.ts';
import { asProblem } from './identity-problem.ts';
import { insufficientScope, Problem } from '../problems.ts';
import type { PublicAddress } from '../public-address.ts';
import { routeName } from '../route-table.ts';
import { nameRequest } from '../trace-requests.ts';

/** A request, and its route as written in the app. */
export interface Routed {
  request: Request;
  route: string;
}

/**
 * Returns the sender of a request, or throws the 401, 403, 502 or 503 response to it.
 * @param needed the scope that the key needs, or all of several; null for any valid key
 */
export type Authorize = (routed: Routed, needed: NeededScope) => Promise<Authorized>;

/** The scope that a route needs, or all of several; null for any valid key. */
export type NeededScope = CaptionerScope | readonly CaptionerScope[] | null;

/** The scopes as a list. */
export const scopesOf = (needed: NeededScope): readonly CaptionerScope[] =>
  needed === null ? [] : typeof needed === 'string' ? [needed] : needed;

/** The sender of a request, whose response may take long. */
export interface Authorized extends Principal {
  /** Whether the key is still valid; it counts as valid if the identity provider gives no answer. */
  stillAllowed(): Promise<boolean>;
}

interface AuthorizeServices {
  address: PublicAddress;
  identity: IdentityProvider;
  log: Log;
}

/** What the audit log says about a key. */
type AuditedKey =
  | Pick<Principal, 'keyId' | 'ownerType' | 'organizationId'>
  | Record<keyof typeof NO_KEY, null>;

/** The fields of a missing or unknown key in the audit log. */
const NO_KEY = { keyId: null, ownerType: null, organizationId: null };

/**
 * Creates the check. Each protected request writes one line to the audit log (contract 5, point 8), whatever its
 * outcome. Of the key, the line contains only the id.
 */
export function createAuthorize({ address, identity, log }: AuthorizeServices): Authorize {
  return async ({ request, route }, needed) => {
    const scopes = scopesOf(needed);
    const challenge = (parameters: Record<string, string> = {}) =>
      bearerChallenge({
        ...parameters,
        resource_metadata: `${address.of(request)}/.well-known/oauth-protected-resource${route === '/mcp' ? route : ''}`,
      });
    const name = routeName(request.method, route);
    nameRequest(name);
    const audit = (outcome: string, { keyId, ownerType, organizationId }: AuditedKey = NO_KEY) =>
      log.audit('protected_request', {
        keyId,
        ownerType,
        organizationId,
        route: name,
        requiredScope: needed === null ? null : scopes.join(' '),
        outcome,
      });
    const key = bearerKey(request);
    if (key === null) {
      audit('missing_credential');
      throw new Problem(
        401,
        'missing_credential',
        'Send an API key: Authorization: Bearer <key>.',
        { headers: challenge() },
      );
    }
    const principal = await asProblem(() =>
      identity.validate(key, { fresh: changes(request) }),
    ).catch((error: unknown) => {
      audit(error instanceof Problem ? error.code : 'internal');
      throw error;
    });
    if (!principal) {
      audit('invalid_credential');
      throw new Problem(
        401,
        'invalid_credential',
        'The API key is not valid. Discard it and register again.',
        { headers: challenge({ error: 'invalid_token' }) },
      );
    }
    const scope = scopes.find((one) => !principal.scopes.includes(one));
    if (scope !== undefined) {
      audit('insufficient_scope', principal);
      throw insufficientScope(scope, challenge({ error: 'insufficient_scope', scope }));
    }
    audit('allowed', principal);
    const stillAllowed = async () => {
      const now = await identity.validate(key).catch(() => principal);
      return now !== null && scopes.every((one) => now.scopes.includes(one));
    };
    return { ...principal, stillAllowed };
  };
}

/** The header of a 401 or 403 that tells clients how to get a key (RFC 6750, 9728). */
const bearerChallenge = (parameters: Record<string, string>): Record<string, string> => ({
  'www-authenticate': `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`,
});

/** Whether a request may change something. */
const changes = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';

/** The bearer key of a request. The scheme is case-insensitive (RFC 9110); only the header counts. */
function bearerKey(request: Request): string | null {
  const match = /^Bearer +([^\s,]+)\s*$/i.exec(headerText(request.headers, 'authorization'));
  return match?.[1] ?? null;
}
