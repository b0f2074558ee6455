/** The error a client gets for each failure of WorkOS. */
import { expect, test } from 'bun:test';
import {
  call,
  IdpFailure,
  refusalFor,
  registrationRefusalFor,
} from '../../server/identity/workos-failures.ts';

const PATH = '/user_management/authenticate';
const failure = (thrown: unknown) => new IdpFailure({ method: 'POST', path: PATH }, thrown);

test.each([
  ['nothing answers', new Error('fetch failed'), 503, 'idp_unreachable', 'cannot be reached'],
  ['no response in time', { status: 408 }, 503, 'idp_timeout', 'did not respond in time'],
  ['a limit', { status: 429 }, 503, 'idp_rate_limit_exceeded', 'is overloaded'],
  ['a failure', { status: 500 }, 503, 'idp_server_error', 'failed'],
  ['an answer without its fields', new TypeError('x'), 503, 'idp_bad_response', 'invalid response'],
  ['an unreadable answer', { rawStatus: 200 }, 503, 'idp_bad_response', 'invalid response'],
  ['an unreadable failure', { rawStatus: 502 }, 503, 'idp_server_error', 'failed'],
  ['a bad request', { status: 400 }, 502, 'idp_bad_request', 'refused a request: bad_request'],
  [
    'a key it does not know',
    { status: 401 },
    502,
    'idp_unauthorized',
    'Tell the operator of this service',
  ],
  ['a key that may not', { status: 403 }, 502, 'idp_forbidden', 'refused a request: forbidden'],
  ['nothing there', { status: 404 }, 502, 'idp_not_found', 'refused a request: not_found'],
  ['a conflict', { status: 409 }, 502, 'idp_conflict', 'refused a request: conflict'],
  [
    'its own code',
    { status: 403, code: 'Sso_Required' },
    502,
    'idp_sso_required',
    'single sign-on',
  ],
  ['a second factor', { status: 403, code: 'mfa_challenge' }, 502, 'idp_mfa_challenge', 'factor'],
  [
    'a code with a secret',
    { status: 403, code: 'key sk_1 is bad' },
    502,
    'idp_forbidden',
    'refused',
  ],
])('%s', (_name, thrown, status, code, sentence) => {
  const refusal = refusalFor(failure(thrown));
  expect(refusal).toMatchObject({ status, code });
  expect(refusal.message).toContain(sentence);
  expect(refusal.message).not.toContain('sk_1');
});

test('a missing permission is reported only when a key is issued', () => {
  const about = (path: string) =>
    refusalFor(new IdpFailure({ method: 'POST', path }, { status: 422 })).message;
  expect(about('/organizations/org_1/api_keys')).toContain('lacks a permission');
  expect(about(PATH)).toContain('refused a request: unprocessable_entity');
  const path = '/organizations/org_1/api_keys';
  const missing = refusalFor(new IdpFailure({ method: 'POST', path }, { status: 404 }));
  expect(missing.message).toContain('refused a request: not_found');
});

test('a refusal has the details of the failure, and the wait if WorkOS gives one', () => {
  const idp = { code: 'rate_limit_exceeded', request: { method: 'POST', path: PATH }, status: 429 };
  expect(refusalFor(failure({ status: 429, retryAfter: 1.2 })).details).toEqual({
    idp,
    retryAfter: 2,
  } as never);
  expect(refusalFor(failure({ status: 429 })).details).toEqual({ idp } as never);
  expect(Object.keys(refusalFor(failure({ status: 429 })).details)).toEqual(['idp']);
  expect(failure(new TypeError('x'))).toMatchObject({ status: 200, code: 'bad_response' });
});

test.each([
  ['a status that is a text', { status: '403' }, 503, 'unreachable'],
  ['a status with a fraction', { status: 403.5 }, 503, 'unreachable'],
  ['no status at all', {}, 503, 'unreachable'],
  ['nothing thrown', undefined, 503, 'unreachable'],
  ['an unreadable failure inside another', { cause: { rawStatus: 404 } }, 404, 'not_found'],
  ['an unreadable refusal', { rawStatus: 400 }, 400, 'bad_request'],
  ['a raw status that is none', { rawStatus: '200', status: 409 }, 409, 'conflict'],
  [
    'an error of fetch',
    new TypeError('fetch failed', { cause: new Error('x') }),
    503,
    'unreachable',
  ],
  ['a status of its own', { status: 418 }, 418, 'unexpected_answer'],
  ['a code in the data', { status: 400, rawData: { code: 'In_The_Data' } }, 400, 'in_the_data'],
  ['an error instead of a code', { status: 400, error: 'invalid_grant' }, 400, 'invalid_grant'],
  ['an error in the data', { status: 400, rawData: { error: 'from_data' } }, 400, 'from_data'],
  ['a code before an error', { status: 400, code: 'a_code', error: 'an_error' }, 400, 'a_code'],
  ['a code that begins with a digit', { status: 400, code: '1st' }, 400, 'bad_request'],
  ['a code that is too long', { status: 400, code: 'a'.repeat(65) }, 400, 'bad_request'],
  ['a long code', { status: 400, code: 'a'.repeat(64) }, 400, 'a'.repeat(64)],
  ['a code that is a number', { status: 400, code: 7 }, 400, 'bad_request'],
  [
    'a requirement',
    { status: 422, message: 'The following requirement must be met:\n\tinvalid_permission\n' },
    422,
    'invalid_permission',
  ],
  [
    'a requirement that is none',
    { status: 422, message: 'The following requirement must be met:\n\tundefined\n' },
    422,
    'unprocessable_entity',
  ],
  ['a timeout with a code', { status: 408, code: 'a_code' }, 408, 'timeout'],
])('%s is read', (_name, thrown, status, code) => {
  expect(failure(thrown)).toMatchObject({ status, code });
});

test.each([
  [1.2, 2],
  [0, 0],
  [-1, undefined],
  ['5', undefined],
  [Number.NaN, undefined],
])('a wait of %p is %p seconds', (retryAfter, seconds) => {
  expect(failure({ status: 429, retryAfter }).retryAfter).toBe(seconds);
});

test.each([
  ['tok_1', 'tok_1'],
  ['', undefined],
  [7, undefined],
  [undefined, undefined],
])('the token %p to go on with is %p', (pending_authentication_token, token) => {
  const rawData = { pending_authentication_token };
  expect(failure({ status: 403, rawData }).pendingToken).toBe(token);
});

test.each([
  [
    { id: 'user_1', email: 'a@a.example', name: 'Ann' },
    { id: 'user_1', email: 'a@a.example' },
  ],
  [{ id: 'user_1' }, undefined],
  [{ id: 7, email: 'a@a.example' }, undefined],
  ['user_1', undefined],
  [null, undefined],
])('the user %p', (user, read) => {
  expect(failure({ status: 403, rawData: { user } }).user).toEqual(read);
});

test('a call that failed there or got no response may have succeeded', () => {
  for (const status of [408, 500, 503]) expect(failure({ status }).isOpen).toBe(true);
  for (const status of [429, 499, 401]) expect(failure({ status }).isOpen).toBe(false);
  expect(failure(new TypeError('x')).isOpen).toBe(true);
});

test('a limit at WorkOS is reported like our own during registration, and is at least a second long', () => {
  const limit = (retryAfter?: number) =>
    registrationRefusalFor(failure({ status: 429, retryAfter }));
  expect(limit()).toMatchObject({ status: 429, code: 'rate_limited', details: { retryAfter: 60 } });
  expect(limit(0).details).toMatchObject({ retryAfter: 1, idp: { status: 429 } });
  expect(limit(7).details).toMatchObject({ retryAfter: 7 });
  expect(registrationRefusalFor(failure({ status: 500 }))).toMatchObject({ status: 503 });
});

test.each([
  [{ id: 'a', name: 'b' }, 'answered'],
  [{ id: 'a' }, 'bad_response'],
  [{ id: 'a', name: 7 }, 'bad_response'],
])('a response has the required texts: %p', async (answer, outcome) => {
  const request = { method: 'GET' as const, path: PATH };
  const asked = call(request, async () => answer as { id: string; name: string }, ['id', 'name']);
  expect(
    await asked.then(
      () => 'answered',
      ({ code }: IdpFailure) => code,
    ),
  ).toBe(outcome);
});
