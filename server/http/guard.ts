/** Who may: the bearer key of a request against the scope of its route. Contract 5. */
import type { CaptionerScope } from '../contract/scopes.ts';
import type { IdentityProvider, Principal } from '../identity/provider.ts';
import type { Log } from '../log.ts';
import { Problem } from './problems.ts';

/** Answers who sends a request, or throws the 401 or 403 that it gets. */
export type Authorize = (request: Request, scope: CaptionerScope) => Promise<Principal>;

export interface GuardServices {
  baseUrl: string;
  identity: IdentityProvider;
  log: Log;
}

/**
 * Makes the guard. Each protected request leaves one line of audit log, whatever its outcome;
 * nothing of the key is in it but its id.
 */
export function createGuard({ baseUrl, identity, log }: GuardServices): Authorize {
  const metadata = `${baseUrl}/.well-known/oauth-protected-resource`;
  const challenge = (parameters: Record<string, string> = {}) => ({
    'www-authenticate': `Bearer ${Object.entries({ ...parameters, resource_metadata: metadata })
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`,
  });

  return async (request, scope) => {
    const audit = (outcome: string, principal?: Principal) =>
      log.info('protected_request', {
        route: `${request.method} ${routeOf(request)}`,
        requiredScope: scope,
        outcome,
        ...(principal && {
          keyId: principal.keyId,
          ownerType: principal.ownerType,
          organizationId: principal.organizationId,
        }),
      });
    const key = bearerKey(request);
    if (key === null) {
      audit('missing_credential');
      throw new Problem(
        401,
        'missing_credential',
        'Send an API key: Authorization: Bearer <key>.',
        {
          headers: challenge(),
        },
      );
    }
    const principal = await identity.validate(key);
    if (!principal) {
      audit('invalid_credential');
      throw new Problem(
        401,
        'invalid_credential',
        'The API key is not valid. Discard it and register again.',
        { headers: challenge({ error: 'invalid_token' }) },
      );
    }
    if (!principal.scopes.includes(scope)) {
      audit('insufficient_scope', principal);
      throw new Problem(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`, {
        headers: challenge({ error: 'insufficient_scope', scope }),
        more: { scope },
      });
    }
    audit('allowed', principal);
    return principal;
  };
}

/** The first two segments: keys of audio objects and run ids are not for the log. */
const routeOf = (request: Request): string => {
  const [, first = '', second = ''] = (URL.parse(request.url)?.pathname ?? '').split('/');
  return first === 'audio' ? '/audio/{key}' : `/${first}/${second}`;
};

/** The scheme is case-insensitive (RFC 9110); only the header counts. */
function bearerKey(request: Request): string | null {
  const match = /^Bearer +([^\s,]+)\s*$/i.exec(request.headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}
