/**
 * A double of WorkOS over HTTP, written from its documentation of 22 November 2026:
 * workos.com/docs/reference/authkit/magic-auth, …/authentication (magic-auth, organization-selection),
 * …/authentication-errors, …/organization-membership (create, list), …/session, …/api-keys,
 * workos.com/docs/reference/organization. It ignores `Idempotency-Key`, which the documents define only for
 * audit-log events.
 */
import { randomInt, randomUUID } from 'node:crypto';
import type { Any } from '../servers/client.ts';
import { type HttpDouble, type Seen, startHttpDouble } from './http-double.ts';

/** The service's key and client id at WorkOS. */
export const WORKOS_KEY = 'sk_test_of_the_service';
export const WORKOS_CLIENT = 'client_01TEST';

/** A user's membership of an organisation; default: active. */
interface Membership {
  organizationId: string;
  userId: string;
  status?: 'active' | 'inactive' | 'pending';
}

interface WorkosUser {
  id: string;
  email: string;
}

interface MagicCode extends WorkosUser {
  code: string;
  expiresAt: number;
  used: boolean;
  wrong: number;
}

/** A response from WorkOS. */
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

/** An error response from WorkOS. */
const problem = (status: number, code: string, message = code): Response =>
  json({ code, message }, status);

/** A list response from WorkOS, always a single page. */
const list = (data: unknown[]): Response =>
  json({ object: 'list', data, list_metadata: { before: null, after: null } });

/** A WorkOS double that can be inspected, and made to fail. */
export interface WorkosDouble
  extends
    HttpDouble,
    Pick<
      ReturnType<typeof workosRecords>,
      'codes' | 'organizations' | 'memberships' | 'keys' | 'sessions' | 'demands' | 'user'
    > {
  /** The WORKOS_… variables of a service that uses it. */
  env: Record<string, string>;
  /** Its clock, in epoch milliseconds, for tests that change theirs. */
  clock: { now(): number };
  /** Deletes a key, as in its dashboard. */
  deleteKey(value: string): void;
  /** The newest code mailed to an address. */
  code(email: string): string;
  /**
   * Sets the response to the next requests to a path (`/organizations`, or `POST /organizations`),
   * this many times.
   */
  fail(
    path: RegExp,
    answer: () => Response | Promise<Response> | { fault: 'hang' | 'drop' | 'reset' },
    times?: number,
  ): void;
  /** Carries out the next request to a path, but replaces its response. */
  answerInPlace(path: RegExp, answer: () => Response | Promise<Response>): void;
  /** Carries out the next request to a path, but loses its response. */
  loseAnswer(path: RegExp): void;
}

/** Starts a WorkOS without any users. */
export async function startWorkosDouble(
  permissions = ['captioner:audio:upload', 'captioner:caption:run', 'captioner:terminology:read'],
): Promise<WorkosDouble> {
  const clock = { now: () => Date.now() };
  const records = workosRecords(clock, permissions);
  const { codes, organizations, memberships, keys, sessions, demands, user, removeKey } = records;
  const failures: { path: RegExp; answer: () => Any; left: number; after: boolean }[] = [];

  const route = (seen: Seen): Response => {
    const { method, url } = seen;
    if (seen.header('authorization') !== `Bearer ${WORKOS_KEY}`) {
      return json({ message: 'Unauthorized' }, 401);
    }
    const body = seen.body.byteLength > 0 ? JSON.parse(seen.body.toString()) : {};
    const [first, second, third, fourth] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    switch (`${method} /${[first, ...(first === 'organizations' ? [] : [second])].join('/')}`) {
      case 'POST /user_management/magic_auth':
        return records.magicAuth(body);
      case 'POST /user_management/authenticate':
        return records.authenticate(body);
      case 'GET /user_management/magic_auth':
        return records.getMagicAuth(third ?? '');
      case 'POST /user_management/organization_memberships':
        return records.createMembership(body);
      case 'GET /user_management/organization_memberships':
        return records.listMemberships(url.searchParams);
      case 'GET /user_management/users':
        return fourth === 'sessions'
          ? records.listSessions(third ?? '')
          : list(keys.filter(({ owner }) => owner.type === 'user' && owner.id === third));
      case 'POST /api_keys/validations': {
        const key = keys.find(({ value }) => value === body.value);
        if (!key) return json({ api_key: null });
        return json({ api_key: withoutValue(key) });
      }
      case 'GET /organizations': {
        if (third === 'api_keys') {
          return list(keys.filter(({ owner }) => owner.id === second).map(withoutValue));
        }
        const organization = organizations.get(third ?? '');
        return organization ? json(organization) : problem(404, 'entity_not_found');
      }
      case 'POST /organizations':
        return third === 'api_keys'
          ? records.createKey(second ?? '', body)
          : records.createOrganization(body);
      case `DELETE /api_keys/${second}`:
        return removeKey(({ id }) => id === second)
          ? new Response(null, { status: 204 })
          : problem(404, 'entity_not_found');
      default:
        return problem(404, 'not_found');
    }
  };

  const double = await startHttpDouble(async (seen) => {
    const { method, url } = seen;
    const failure = failures.find(
      ({ path, left }) =>
        left > 0 && (path.test(url.pathname) || path.test(`${method} ${url.pathname}`)),
    );
    if (!failure) return route(seen);
    failure.left -= 1;
    if (failure.after) route(seen);
    return failure.answer();
  });

  return {
    ...double,
    env: {
      WORKOS_API_KEY: WORKOS_KEY,
      WORKOS_CLIENT_ID: WORKOS_CLIENT,
      WORKOS_API_URL: double.origin,
    },
    clock,
    codes,
    organizations,
    memberships,
    keys,
    sessions,
    demands,
    deleteKey: (value) => void removeKey((key) => key.value === value),
    code: (email) => codes.findLast((made) => made.email === email)?.code ?? '',
    user,
    fail: (path, answer, times = 1) =>
      void failures.push({ path, answer, left: times, after: false }),
    answerInPlace: (path, answer) => void failures.push({ path, answer, left: 1, after: true }),
    loseAnswer: (path) =>
      void failures.push({ path, answer: () => ({ fault: 'drop' }), left: 1, after: true }),
  };
}

/** A key as shown after its creation. */
const withoutValue = (key: Any) => {
  const told = { ...key };
  delete told.value;
  return told;
};

/** The records of a WorkOS without users, with these permissions, and its answers to requests that create or change them. */
function workosRecords(clock: { now(): number }, permissions: string[]) {
  const users = new Map<string, WorkosUser>();
  const codes: MagicCode[] = [];
  /** By external id. */
  const organizations = new Map<string, Any>();
  const memberships: Membership[] = [];
  const keys: Any[] = [];
  const sessions: Any[] = [];
  /** What organisations require besides the code, by id. */
  const demands = new Map<string, 'sso_required' | 'mfa_enrollment' | 'mfa_challenge'>();
  const removeKey = (matches: (key: Any) => boolean): boolean => {
    const at = keys.findIndex(matches);
    if (at >= 0) keys.splice(at, 1);
    return at >= 0;
  };

  const user = (email: string) => {
    const known = users.get(email) ?? { id: `user_${randomUUID().slice(0, 8)}`, email };
    users.set(email, known);
    return known;
  };
  /** The users of unfinished authentications, by token. */
  const pending = new Map<string, WorkosUser>();

  const authenticate = (body: Any): Response => {
    if (body.client_id !== WORKOS_CLIENT || body.client_secret !== WORKOS_KEY) {
      return json({ error: 'invalid_client', error_description: 'Invalid client ID.' }, 400);
    }
    switch (body.grant_type) {
      case 'urn:workos:oauth:grant-type:magic-auth:code':
        return authenticateByCode(body);
      case 'urn:workos:oauth:grant-type:organization-selection':
        return selectOrganization(body);
      default:
        return json({ error: 'unsupported_grant_type', error_description: 'Unknown.' }, 400);
    }
  };
  const authenticateByCode = (body: Any): Response => {
    const mailed = codes.filter(({ email }) => email === body.email);
    const newest = mailed.at(-1);
    const match = mailed.find(({ code }) => code === body.code);
    if (!newest || newest.wrong >= 10) return problem(400, 'one_time_code_too_many_attempts');
    if (!match || (match !== newest && !match.used)) {
      newest.wrong += 1;
      return problem(400, 'invalid_one_time_code', `Invalid one-time code: ${body.code}`);
    }
    if (match.used) return problem(400, 'one_time_code_previously_used');
    if (match.expiresAt <= clock.now()) return problem(400, 'one_time_code_expired');
    match.used = true;
    const who = user(body.email);
    const active = memberships.filter(
      ({ userId, status = 'active' }) => userId === who.id && status === 'active',
    );
    if (active.length < 2) return finish(who, active[0]?.organizationId ?? null);
    return json(
      {
        code: 'organization_selection_required',
        message: 'The user must choose an organization to finish their authentication.',
        pending_authentication_token: pend(who),
        user: wholeUser(who),
        organizations: active.map(({ organizationId }) => ({ id: organizationId, name: 'A' })),
      },
      403,
    );
  };
  const pend = (who: WorkosUser): string => {
    const token = randomUUID();
    pending.set(token, who);
    return token;
  };
  const selectOrganization = (body: Any): Response => {
    const who = pending.get(body.pending_authentication_token);
    if (!who) return problem(400, 'invalid_pending_authentication_token');
    const isMember = memberships.some(
      ({ organizationId, userId, status = 'active' }) =>
        organizationId === body.organization_id && userId === who.id && status === 'active',
    );
    if (!isMember) return problem(403, 'organization_selection_invalid');
    pending.delete(body.pending_authentication_token);
    return finish(who, body.organization_id);
  };
  /** Completes an authentication, unless the organisation requires more. */
  const finish = (who: WorkosUser, organizationId: string | null): Response => {
    const demand = demands.get(organizationId ?? '');
    if (demand === 'sso_required') {
      return json(
        {
          error: demand,
          error_description: 'User must authenticate using one of the matching connections.',
          email: who.email,
          connection_ids: ['conn_1'],
          pending_authentication_token: pend(who),
        },
        403,
      );
    }
    if (demand) {
      const message = 'The user must give a second factor to finish authenticating.';
      const body = { code: demand, message, pending_authentication_token: pend(who) };
      return json({ ...body, user: wholeUser(who) }, 403);
    }
    sessions.push({
      object: 'session',
      id: `session_${sessions.length + 1}`,
      user_id: who.id,
      ip_address: null,
      user_agent: null,
      ...(organizationId === null ? {} : { organization_id: organizationId }),
      auth_method: 'magic_code',
      status: 'active',
      expires_at: new Date(clock.now() + 86_400_000).toISOString(),
      ended_at: null,
      created_at: new Date(clock.now()).toISOString(),
      updated_at: NOW,
    });
    return json({
      user: wholeUser(who),
      organization_id: organizationId,
      access_token: 'at',
      refresh_token: 'rt',
      authentication_method: 'MagicAuth',
    });
  };

  const told = ({ id, email, code, expiresAt }: MagicCode) => ({
    object: 'magic_auth',
    id,
    user_id: user(email).id,
    email,
    code,
    expires_at: new Date(expiresAt).toISOString(),
    created_at: NOW,
    updated_at: NOW,
  });
  const magicAuth = ({ email }: Any): Response => {
    const code = String(randomInt(100_000, 1_000_000));
    for (const old of codes) if (old.email === email) old.expiresAt = Math.min(old.expiresAt, 0);
    const expiresAt = clock.now() + 600_000;
    const id = `magic_auth_${codes.length + 1}`;
    codes.push({ id, email, code, expiresAt, used: false, wrong: 0 });
    return json(told(codes.at(-1)!), 201);
  };
  const getMagicAuth = (id: string): Response => {
    const found = codes.find((code) => code.id === id);
    return found ? json(told(found)) : problem(404, 'entity_not_found');
  };

  const createOrganization = (body: Any): Response => {
    if (organizations.has(body.external_id)) {
      return problem(409, 'external_id_already_used', 'The external ID is taken.');
    }
    const domains = new Set((body.domain_data ?? []).map(({ domain }: Any) => domain));
    const others = [...organizations.values()].flatMap((other) => other.domains);
    if (others.some(({ domain }: Any) => domains.has(domain))) {
      const message = 'This domain is used by another organization.';
      return problem(409, 'organization_domain_already_used', message);
    }
    const organization = {
      object: 'organization',
      id: `org_${randomUUID().slice(0, 8)}`,
      name: body.name,
      external_id: body.external_id,
      allow_profiles_outside_organization: false,
      domains: (body.domain_data ?? []).map(({ domain, state }: Any) => ({
        object: 'organization_domain',
        id: `org_domain_${domain}`,
        organization_id: 'org',
        domain,
        state,
      })),
      metadata: {},
      created_at: NOW,
      updated_at: NOW,
    };
    organizations.set(body.external_id, organization);
    return json(organization, 201);
  };

  const wholeMembership = (membership: Membership, at: number) => ({
    object: 'organization_membership',
    id: `om_${at + 1}`,
    organization_id: membership.organizationId,
    organization_name: 'A',
    user_id: membership.userId,
    status: membership.status ?? 'active',
    role: { slug: 'member' },
    created_at: NOW,
    updated_at: NOW,
  });
  /** "Calling this API with an organization and user that match an inactive membership will activate" it. */
  const createMembership = (body: Any): Response => {
    const { organization_id: organizationId, user_id: userId } = body;
    const there = memberships.find(
      (one) => one.organizationId === organizationId && one.userId === userId,
    );
    if (there?.status === 'pending') {
      const message =
        'Pending organization memberships cannot be reactivated. The invite must be accepted instead.';
      return problem(400, 'cannot_reactivate_pending_organization_membership', message);
    }
    if (there && there.status !== 'inactive') {
      return problem(409, 'organization_membership_already_exists');
    }
    if (there) there.status = 'active';
    else memberships.push({ organizationId, userId, status: 'active' });
    return json(wholeMembership(there ?? memberships.at(-1)!, memberships.length - 1), 201);
  };
  /** Only active ones, unless `statuses` asks for others. */
  const listMemberships = (query: URLSearchParams): Response => {
    const statuses = query.getAll('statuses').flatMap((text) => text.split(','));
    const [organization, person] = [query.get('organization_id'), query.get('user_id')];
    if (!organization && !person) return problem(422, 'user_id_or_organization_id_required');
    return list(
      memberships
        .map(wholeMembership)
        .filter(
          (one) =>
            (statuses.length > 0 ? statuses : ['active']).includes(one.status) &&
            (!organization || one.organization_id === organization) &&
            (!person || one.user_id === person),
        ),
    );
  };

  const createKey = (organizationId: string, body: Any): Response => {
    const unknown = body.permissions?.find((slug: string) => !permissions.includes(slug));
    if (unknown) {
      return json({ message: 'Validation failed', errors: [{ code: 'invalid_permission' }] }, 422);
    }
    const key = {
      object: 'api_key',
      id: `api_key_${randomUUID().slice(0, 8)}`,
      owner: { type: 'organization', id: organizationId },
      name: body.name,
      obfuscated_value: 'sk_...1234',
      value: `sk_live_${randomUUID()}`,
      permissions: body.permissions ?? [],
      last_used_at: null,
      created_at: NOW,
      updated_at: NOW,
    };
    keys.push(key);
    return json(key, 201);
  };

  return {
    codes,
    organizations,
    memberships,
    keys,
    sessions,
    demands,
    user,
    magicAuth,
    getMagicAuth,
    authenticate,
    createOrganization,
    createMembership,
    listMemberships,
    listSessions: (userId: string) => list(sessions.filter(({ user_id: id }) => id === userId)),
    createKey,
    removeKey,
  };
}

const wholeUser = ({ id, email }: WorkosUser) => ({
  object: 'user',
  id,
  email,
  email_verified: true,
  first_name: null,
  last_name: null,
  profile_picture_url: null,
  created_at: NOW,
  updated_at: NOW,
});

const NOW = '2026-01-01T00:00:00.000Z';
