/** The error a client gets for each failure of WorkOS. */
import { expect, test } from 'bun:test';
import { IdpFailure, refusalFor } from '../../server/identity/workos-failures.ts';

const PATH = '/user_management/authenticate';

test.each([
  ['nothing answers', new Error('fetch failed'), 503, 'idp_unreachable', 'cannot be reached'],
  ['no answer in time', { status: 408 }, 503, 'idp_timeout', 'did not respond in time'],
  ['a limit', { status: 429 }, 503, 'idp_rate_limit_exceeded', 'is overloaded'],
  ['a failure', { status: 500 }, 503, 'idp_server_error', 'failed'],
  ['an answer without its fields', new TypeError('x'), 503, 'idp_bad_response', 'invalid response'],
  ['an unreadable answer', { rawStatus: 200 }, 503, 'idp_bad_response', 'invalid response'],
  ['an unreadable failure', { rawStatus: 502 }, 503, 'idp_server_error', 'failed'],
  ['a bad request', { status: 400 }, 502, 'idp_bad_request', 'refused a request: bad_request'],
  ['a key it does not know', { status: 401 }, 502, 'idp_unauthorized', 'Tell its operator'],
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
  const refusal = refusalFor(new IdpFailure({ method: 'POST', path: PATH }, thrown));
  expect(refusal).toMatchObject({ status, code });
  expect(refusal.message).toContain(sentence);
  expect(refusal.message).not.toContain('sk_1');
});

test('a permission is lacking only where a key is issued', () => {
  const about = (path: string) =>
    refusalFor(new IdpFailure({ method: 'POST', path }, { status: 422 })).message;
  expect(about('/organizations/org_1/api_keys')).toContain('lacks a permission');
  expect(about(PATH)).toContain('refused a request: unprocessable_entity');
});
