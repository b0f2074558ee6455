/** WorkOS as its documentation has it, over HTTP: users, one-time codes, organisations, keys. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Any } from './client.ts';
import { startHttpDouble, type HttpDouble, type Seen } from './http-double.ts';

export const WORKOS_KEY = 'sk_test_of_the_service';
export const WORKOS_CLIENT = 'client_01TEST';

interface MagicCode {
  email: string;
  code: string;
  expiresAt: number;
  used: boolean;
  wrong: number;
}

export interface WorkosDouble extends HttpDouble {
  /** What WORKOS_… have to be for a service that uses it. */
  env: Record<string, string>;
  /** Its time, in epoch milliseconds, for those who turn theirs. */
  clock: { now(): number };
  codes: MagicCode[];
  /** By external id. */
  organizations: Map<string, Any>;
  memberships: { organizationId: string; userId: string }[];
  keys: Any[];
  /** Deletes a key, as in their key management. */
  deleteKey(value: string): void;
  /** The newest code mailed to an address. */
  code(email: string): string;
  /** The user of an address. */
  user(email: string): { id: string; email: string };
  /** Answers the next request to a path in this way, so many times. */
  fail(
    path: RegExp,
    answer: () => Response | { fault: 'hang' | 'drop' | 'reset' },
    times?: number,
  ): void;
  /** Has the next request to a path done, but its answer replaced by another. */
  answerInPlace(path: RegExp, answer: () => Response): void;
  /** Has it done, but its answer lost. */
  loseAnswer(path: RegExp): void;
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

const problem = (status: number, code: string, message = code): Response =>
  json({ code, message }, status);

/** Starts a WorkOS that knows nobody. */
export async function startWorkosDouble(
  permissions = ['captioner:audio:upload', 'captioner:caption:run', 'captioner:terminology:read'],
): Promise<WorkosDouble> {
  const clock = { now: () => Date.now() };
  const users = new Map<string, { id: string; email: string }>();
  const codes: MagicCode[] = [];
  const organizations = new Map<string, Any>();
  const memberships: WorkosDouble['memberships'] = [];
  const keys: Any[] = [];
  const replies = new Map<string, unknown>();
  const failures: { path: RegExp; answer: () => Any; left: number; after: boolean }[] = [];

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
  const wholeUser = ({ id, email }: { id: string; email: string }) => ({
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

  const magicAuth = ({ email }: Any): Response => {
    const code = String(randomInt(100_000, 1_000_000));
    for (const old of codes) if (old.email === email) old.expiresAt = Math.min(old.expiresAt, 0);
    const expiresAt = clock.now() + 600_000;
    codes.push({ email, code, expiresAt, used: false, wrong: 0 });
    return json(
      {
        object: 'magic_auth',
        id: `magic_auth_${codes.length}`,
        user_id: user(email).id,
        email,
        code,
        expires_at: new Date(expiresAt).toISOString(),
        created_at: NOW,
        updated_at: NOW,
      },
      201,
    );
  };

  const authenticate = (body: Any): Response => {
    if (body.client_id !== WORKOS_CLIENT || body.client_secret !== WORKOS_KEY) {
      return json({ error: 'invalid_client', error_description: 'Invalid client ID.' }, 400);
    }
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
    const who = wholeUser(user(body.email));
    if (memberships.filter(({ userId }) => userId === who.id).length > 1) {
      return json(
        {
          code: 'organization_selection_required',
          message: 'The user must choose an organization to finish their authentication.',
          pending_authentication_token: 'pending',
          user: who,
          organizations: [],
        },
        403,
      );
    }
    return json({ user: who, access_token: 'at', refresh_token: 'rt', organization_id: null });
  };

  const createOrganization = (body: Any): Response => {
    if (organizations.has(body.external_id)) {
      return problem(409, 'external_id_already_used', 'The external ID is taken.');
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

  const createMembership = (body: Any): Response => {
    const membership = { organizationId: body.organization_id, userId: body.user_id };
    const there = memberships.some(
      ({ organizationId, userId }) =>
        organizationId === membership.organizationId && userId === membership.userId,
    );
    if (there) return problem(409, 'organization_membership_already_exists');
    memberships.push(membership);
    return json(
      { object: 'organization_membership', id: `om_${memberships.length}`, ...body },
      201,
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

  const route = (seen: Seen): Response => {
    const { method, url } = seen;
    if (seen.header('authorization') !== `Bearer ${WORKOS_KEY}`) {
      return json({ message: 'Unauthorized' }, 401);
    }
    const body = seen.body.byteLength > 0 ? JSON.parse(seen.body.toString()) : {};
    const [first, second, third] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    switch (`${method} /${[first, ...(first === 'organizations' ? [] : [second])].join('/')}`) {
      case 'POST /user_management/magic_auth':
        return magicAuth(body);
      case 'POST /user_management/authenticate':
        return authenticate(body);
      case 'POST /user_management/organization_memberships':
        return createMembership(body);
      case 'POST /api_keys/validations': {
        const key = keys.find(({ value }) => value === body.value);
        if (!key) return json({ api_key: null });
        const { value: _, ...told } = key;
        return json({ api_key: told });
      }
      case 'GET /organizations': {
        if (third === 'api_keys') {
          const data = keys.filter(({ owner }) => owner.id === second);
          return json({ object: 'list', data, list_metadata: { before: null, after: null } });
        }
        const organization = organizations.get(third ?? '');
        return organization ? json(organization) : problem(404, 'entity_not_found');
      }
      case 'POST /organizations':
        return third === 'api_keys' ? createKey(second ?? '', body) : createOrganization(body);
      case `DELETE /api_keys/${second}`:
        return removeKey(({ id }) => id === second)
          ? new Response(null, { status: 204 })
          : problem(404, 'entity_not_found');
      default:
        return problem(404, 'not_found');
    }
  };

  /** The same idempotency key at the same path gets the same answer. */
  const replayed = async (seen: Seen): Promise<Response> => {
    const key = seen.header('idempotency-key');
    const name = `${seen.url.pathname} ${key}`;
    if (key !== null && replies.has(name)) return json(replies.get(name), 201);
    const answer = route(seen);
    if (key !== null && answer.ok) replies.set(name, await answer.clone().json());
    return answer;
  };

  const double = await startHttpDouble(async (seen) => {
    const failure = failures.find(({ path, left }) => left > 0 && path.test(seen.url.pathname));
    if (!failure) return replayed(seen);
    failure.left -= 1;
    if (failure.after) await replayed(seen);
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

const NOW = '2026-01-01T00:00:00.000Z';
