/**
 * Authorises requests: the `scope` macro refuses those without a key or link that fits, before their body is read.
 * Contract 5.
 */
import { Elysia, type DocumentDecoration } from 'elysia';
import { includesRole, type Role } from '../../contract/members.ts';
import type { CaptionerScope } from '../../contract/registration.ts';
import { LINK_PREFIX, LINK_RIGHTS, type LinkRight } from '../../contract/sharing.ts';
import {
  IdentityError,
  type IdentityProvider,
  type Principal,
  type ReachedLimit,
  type RemainingLimit,
} from '../../identity/provider.ts';
import { clientNetwork } from '../../identity/networks.ts';
import { countEvents, reachedUntil, secondsUntil } from '../../identity/rate-limit.ts';
import type { Standing } from '../../identity/members.ts';
import { recordEvent } from '../../storage/workspace-audit.ts';
import { ADDRESS_PREFIX, type KeyAddresses } from '../../identity/key-addresses.ts';
import type { Hasher } from '../../identity/secrets.ts';
import type { Log } from '../../base/log.ts';
import type { ReviewLinks, StoredLink } from '../../reviews/review-links.ts';
import type { Database } from '../../storage/database.ts';
import { pathOf, type PublicAddress, headerText } from '../request.ts';
import { Problem } from '../problems.ts';
import { routeName, nameRequest } from '../route-table.ts';
import { isRecorded, leastRole } from './roles.ts';
import { LINK } from '../../contract/limits.ts';
import { createBodyRate, type OpenAccount } from '../bodies/body-rate.ts';
import { writeFor } from '../../storage/write-limit.ts';
import { response } from '../openapi/responses.ts';

/** Adds the option `scope` to routes, and the `sender` of the request to their handlers. */
export type Guard = ReturnType<typeof createGuard>;

/** The route options that the macro reads. */
interface RouteOptions {
  parse?: unknown;
  json?: unknown;
}

/**
 * Creates the macro. `scope` names the scope that a key needs, or several; null accepts any valid key; with `link`, the
 * right that a link to the review needs instead. It must come before any option that reads the body. The refusals
 * become part of the route's OpenAPI description.
 *
 * @example
 * ```ts
 * new Elysia().use(guard).get('/mine', ({ sender }) => sender.organizationId, {
 *   scope: 'captioner:caption:run',
 * });
 * ```
 */
export function createGuard(
  authorize: Authorize,
  { record = async () => {}, openAccount = createBodyRate() }: GuardOptions = {},
) {
  // Parsing happens only for requests with a body, before the steps common to all requests.
  const checked = new WeakMap<Request, Promise<Authorized>>();
  const check = ({ request, route }: Routed, scope: NeededAccess) => {
    const sender = checked.get(request) ?? authorized({ request, route }, scope);
    checked.set(request, sender);
    return sender;
  };
  const authorized = async (routed: Routed, scope: NeededAccess) => {
    const sender = await authorize(routed, scope);
    openAccount(routed.request, sender.organizationId);
    writeFor(sender.organizationId);
    return sender;
  };
  return new Elysia({ name: 'guard' }).macro({
    scope: (scope: NeededAccess) => {
      let readsJson: boolean | undefined;
      return {
        introspect(options) {
          const { parse, json } = options as RouteOptions;
          if (parse !== undefined && parse !== 'none') {
            throw new Error('scope has to come before the option that reads the body');
          }
          readsJson = json !== undefined;
        },
        async parse({ request, route }) {
          await check({ request, route }, scope);
          // Without a return value, the router would read the body according to its media type, however long it is.
          return readsJson ? undefined : null;
        },
        async transform({ request, route }) {
          await check({ request, route }, scope);
        },
        async resolve({ request }) {
          return { sender: await checked.get(request)! };
        },
        async afterHandle({ request, route, params }) {
          const sender = await checked.get(request);
          const action = routeName(request.method, route);
          if (sender && isRecorded(action)) await record(sender, action, params);
        },
        detail: guarded(scope),
      };
    },
  });
}

interface GuardOptions {
  /** Puts what a request did on the record of its workspace. */
  record?: RecordAction;
  openAccount?: OpenAccount;
}

export type RecordAction = (sender: Authorized, action: string, params: unknown) => Promise<void>;

/** Creates the function that puts what a request did on the record of its workspace. It does not fail the request. */
export const createRecord =
  ({ database, log }: Pick<AuthorizeServices, 'database' | 'log'>): RecordAction =>
  async ({ organizationId, person, keyId, subject }, action, params) => {
    const named = Object.values((params ?? {}) as Record<string, string>).join(' ');
    const event = { organizationId, person, keyId, action, subject: subject.of ?? named };
    await recordEvent(database, event, Date.now()).catch((error: unknown) => {
      log.error('audit_event_not_recorded', { action, error });
    });
  };

/** The part of a protected route's description that concerns keys. */
const guarded = (scope: NeededAccess) =>
  ({
    security: [
      { bearer: [...scopesOf(scope)] },
      ...(isAddressed(scope) ? [{ basic: [] }, { address: [] }] : []),
      ...(linkRightOf(scope) === null ? [] : [{ reviewLink: [] }]),
    ],
    responses: {
      401: response('Unauthorized'),
      ...(scope !== null && { 403: response('Forbidden') }),
      ...(linkRightOf(scope) !== null && { 429: response('TooManyRequests') }),
      502: response('IdentityProviderFailed'),
      503: response('Unavailable'),
    },
  }) as DocumentDecoration;

/** A request, and its route as written in the app. */
interface Routed {
  request: Request;
  route: string;
}

/**
 * Returns the sender of a request, or throws the 401, 403, 502 or 503 response to it.
 */
type Authorize = (routed: Routed, needed: NeededAccess) => Promise<Authorized>;

/** The scope that a route needs, or all of several; null for any valid key. */
type NeededScope = CaptionerScope | readonly CaptionerScope[] | null;

/**
 * What a route needs: a key with a scope, or a link to the review of the run in its path, with this right. A route
 * that names no right accepts no link.
 */
type NeededAccess =
  | NeededScope
  | { key: CaptionerScope; link: LinkRight }
  // For programs that cannot send a bearer key: as the password of Basic, or an address made for them.
  | { keys: readonly CaptionerScope[]; addressed: true };

/** The scopes as a list. */
const scopesOf = (needed: NeededAccess): readonly CaptionerScope[] => {
  if (needed === null) return [];
  if (typeof needed === 'string') return [needed];
  if ('addressed' in needed) return needed.keys;
  return 'link' in needed ? [needed.key] : needed;
};

/** Whether the key may be sent in other ways than as a bearer. */
const isAddressed = (needed: NeededAccess): boolean =>
  typeof needed === 'object' && needed !== null && 'addressed' in needed;

/** The right that a link needs; null if the route accepts no link. */
const linkRightOf = (needed: NeededAccess): LinkRight | null =>
  typeof needed === 'object' && needed !== null && 'link' in needed ? needed.link : null;

/** The sender of a request, whose response may take long. */
export interface Authorized extends Principal {
  /** The link that was sent instead of a key; its id is the `keyId`. */
  link: StoredLink | null;
  role: Role;
  /** The address that claimed the key; null if nobody did here, or for a link. */
  person: string | null;
  /** What the request was done to, for the record of the workspace; by default, the parameters of its path. */
  subject: { of?: string };
  /** Whether the key is still valid; it counts as valid if the identity provider gives no answer. */
  stillAllowed(): Promise<boolean>;
}

interface AuthorizeServices {
  address: PublicAddress;
  identity: IdentityProvider;
  links: ReviewLinks;
  addresses: KeyAddresses;
  /** What a valid key may do in its workspace; null if its person was disabled or removed. */
  standingIn(principal: Principal): Promise<Standing | null>;
  database: Database;
  hasher: Hasher;
  /** The client's address, for limits on guesses. */
  clientAddress(request: Request): string;
  log: Log;
}

/** What the audit log says about a key. */
type AuditedKey =
  | Pick<Principal, 'keyId' | 'ownerType' | 'organizationId'>
  | { keyId: string; ownerType: 'link'; organizationId: string }
  | Record<keyof typeof NO_KEY, null>;

/** The fields of a missing or unknown key in the audit log. */
const NO_KEY = { keyId: null, ownerType: null, organizationId: null };

/**
 * Creates the check. Each protected request writes one line to the audit log (contract 5, point 8), whatever its
 * outcome. Of the key, the line contains only the id.
 */
export function createAuthorize(services: AuthorizeServices): Authorize {
  const { address, identity, links, addresses, standingIn, log } = services;
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
    const key = isAddressed(needed) ? sentKey(request) : bearerKey(request);
    if (key === null) {
      audit('missing_credential');
      throw new Problem(
        401,
        'missing_credential',
        'Send an API key: Authorization: Bearer <key>.',
        { headers: challenge() },
      );
    }
    const failed = (error: unknown): never => {
      audit(error instanceof Problem ? error.code : 'internal');
      throw error;
    };
    if (key.startsWith(LINK_PREFIX)) {
      const right = linkRightOf(needed);
      const link =
        right === null
          ? null
          : await asProblem(() => findLink(services, key, request)).catch(failed);
      const [, run = link?.runId] =
        /^\/workflows\/captioner\/([^/]+)/.exec(pathOf(request.url)) ?? [];
      if (right === null || !link || link.runId !== run) {
        audit('invalid_credential');
        throw new Problem(
          401,
          'invalid_credential',
          'This link is not valid here: it was revoked, has expired, or is for something else.',
          { headers: challenge({ error: 'invalid_token' }) },
        );
      }
      const sender = {
        keyId: link.id,
        ownerType: 'link',
        organizationId: link.organizationId,
      } as const;
      if (LINK_RIGHTS.indexOf(link.right) < LINK_RIGHTS.indexOf(right)) {
        audit('insufficient_right', sender);
        throw new Problem(403, 'insufficient_right', `This link does not let you ${right}.`);
      }
      audit('allowed', sender);
      const stillAllowed = async () => (await links.find(key).catch(() => link)) !== null;
      return {
        ...sender,
        ownerType: 'user',
        role: 'reader',
        person: null,
        subject: {},
        link,
        scopes: [...scopes],
        stillAllowed,
      };
    }
    const isAddress = key.startsWith(ADDRESS_PREFIX);
    const find = async (options = {}): Promise<Principal | null> => {
      if (!isAddress) return identity.validate(key, options);
      return isAddressed(needed) ? addresses.find(key) : null;
    };
    const validate = async (options = {}): Promise<(Principal & Standing) | null> => {
      const found = await find(options);
      const standing = found && (await standingIn(found));
      return standing && { ...found, ...standing };
    };
    const principal = await asProblem(() => validate({ fresh: changes(request) })).catch(failed);
    if (!principal) {
      audit('invalid_credential');
      throw new Problem(
        401,
        'invalid_credential',
        isAddress
          ? 'This address is not valid here: it was revoked, or its key was.'
          : 'The API key is not valid. Discard it and register again.',
        { headers: challenge({ error: 'invalid_token' }) },
      );
    }
    const scope = scopes.find((one) => !principal.scopes.includes(one));
    if (scope !== undefined) {
      audit('insufficient_scope', principal);
      throw Problem.insufficientScope(scope, challenge({ error: 'insufficient_scope', scope }));
    }
    const least = leastRole(name);
    if (!includesRole(principal.role, least)) {
      audit('insufficient_role', principal);
      throw Problem.insufficientRole(least, principal.role);
    }
    audit('allowed', principal);
    const stillAllowed = async () => {
      const now = await validate().catch(() => principal);
      return (
        now !== null &&
        includesRole(now.role, least) &&
        scopes.every((one) => now.scopes.includes(one))
      );
    };
    return { ...principal, link: null, subject: {}, stillAllowed };
  };
}

/** The header of a 401 or 403 that tells clients how to get a key (RFC 6750, 9728). */
const bearerChallenge = (parameters: Record<string, string>): Record<string, string> => ({
  'www-authenticate': `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`,
});

const HOUR_MS = 3_600_000;

/**
 * The valid link of a token. A valid one is always found: 256 random bits are not guessed, so that refusing the network
 * of a guesser would only shut out guests.
 * @throws {IdentityError} `rate_limited` for a client that sent too many others
 */
async function findLink(
  { links, database, hasher, clientAddress }: AuthorizeServices,
  token: string,
  request: Request,
): Promise<StoredLink | null> {
  const link = await links.find(token);
  if (link) return link;
  const now = Date.now();
  const limit = {
    name: 'wrong-links',
    subject: hasher.hash('wrong-link', clientNetwork(clientAddress(request))),
    quota: LINK.wrongPerClient,
    windowMs: HOUR_MS,
  };
  const until = await reachedUntil(database, limit, now);
  if (until === null) {
    await countEvents(database, [limit], now);
    return null;
  }
  const message = 'Too many invalid links were tried. Wait, then try again.';
  const { name, quota } = limit;
  throw new IdentityError(429, 'rate_limited', message, {
    limit: { name, quota, windowSeconds: HOUR_MS / 1000 },
    retryAfter: secondsUntil(until, now),
  });
}

/** Whether a request may change something. */
const changes = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';

/** The bearer key of a request. The scheme is case-insensitive (RFC 9110); only the header counts. */
function bearerKey(request: Request): string | null {
  const match = /^Bearer +([^\s,]+)\s*$/i.exec(headerText(request.headers, 'authorization'));
  return match?.[1] ?? null;
}

/**
 * The key of a request as a bearer, as the password of Basic, or within an address that was made to hold one. A key
 * itself does not count in an address, which proxies and histories keep.
 */
function sentKey(request: Request): string | null {
  const bearer = bearerKey(request);
  if (bearer !== null) return bearer;
  const [, basic] =
    /^Basic +([\w+/=-]+)\s*$/i.exec(headerText(request.headers, 'authorization')) ?? [];
  if (basic !== undefined) {
    const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
    return password === '' ? null : password;
  }
  const inQuery = new URL(request.url).searchParams.get('key');
  return inQuery?.startsWith(ADDRESS_PREFIX) ? inQuery : null;
}

/** Calls an identity provider, and converts its refusals into problems, with any rate limits they report. */
export async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    const { status, code, message, details } = error;
    const { limit, retryAfter, idp } = details;
    throw new Problem(status, code, message, {
      more: { idp },
      headers: {
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
        ...(limit && {
          'ratelimit-policy': policyOf(limit),
          ratelimit: `"${limit.name}";r=0;t=${retryAfter ?? limit.windowSeconds}`,
        }),
      },
    });
  }
}

/** The headers for a limit that was not reached. */
export const remainingHeaders = (limit: RemainingLimit): Record<string, string> => ({
  'ratelimit-policy': policyOf(limit),
  ratelimit: `"${limit.name}";r=${limit.remaining};t=${limit.resetSeconds}`,
});

const policyOf = ({ name, quota, windowSeconds }: ReachedLimit): string =>
  `"${name}";q=${quota};w=${windowSeconds}`;
