/**
 * A double of WorkOS over HTTP, written from its documentation of 22 November 2026 (see
 * workos-records.ts). It ignores `Idempotency-Key`, which the documents define only for audit-log
 * events.
 */
import type { Any } from '../servers/client.ts';
import { type HttpDouble, type Seen, startHttpDouble } from './http-double.ts';
import { type WorkosRecords, workosRecords } from './workos-records.ts';
import { json, list, problem, WORKOS_CLIENT, WORKOS_KEY } from '../servers/workos-sign-in.ts';

/** A WorkOS double that can be inspected, and made to fail. */
export interface WorkosDouble
  extends
    HttpDouble,
    Pick<
      WorkosRecords,
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
