/** The WorkOS provider when WorkOS refuses, fails or does not respond: a claim still leads to exactly one key. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { workosIdentity } from '../support/servers/identity.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { startWorkosDouble } from '../support/doubles/workos-double.ts';
import { refused, wrong } from './identity-provider.suite.ts';
import { type Claim, workosBench } from './support.ts';

setDefaultTimeout(300_000);

const { workos, made, register } = await workosBench();
const { identity, start, clock } = made;

const serverError = () => new Response('{"message":"oops"}', { status: 500 });

describe('refusals by WorkOS', () => {
  const codeError = (code: string) => () =>
    Response.json({ code, message: `It is ${code}` }, { status: 400 });

  test.each([
    ['invalid_one_time_code', '401 invalid_otp'],
    ['one_time_code_expired', '410 claim_expired'],
    ['one_time_code_previously_used', '401 invalid_otp'],
    ['one_time_code_too_many_attempts', '429 too_many_attempts'],
    ['sso_required', '502 idp_sso_required'],
    ['email_verification_required', '502 idp_email_verification_required'],
    ['radar_email_challenge', '502 idp_radar_email_challenge'],
  ])('a code with %s: %s', async (upstream, expected) => {
    const claim = await register(`${upstream}@example.com`);
    workos.fail(/authenticate/, codeError(upstream));
    expect(await refused(identity.complete(claim))).toBe(expected);
  });

  test('a code that WorkOS locked after guesses is not tried there again', async () => {
    const claim = await register('guessed@example.com');
    workos.fail(/authenticate/, codeError('one_time_code_too_many_attempts'));
    expect(await refused(identity.complete(claim))).toBe('429 too_many_attempts');
    expect(await refused(identity.complete(claim))).toBe('429 too_many_attempts');
  });

  test('a permission that WorkOS does not know is reported as such', async () => {
    const strict = await startWorkosDouble([]);
    const there = await workosIdentity(strict);
    const { claimToken } = await there.start('slug@example.com');
    const claim = { claimToken, code: there.code('slug@example.com') };
    const error = await there.identity.complete(claim).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 502,
      code: 'idp_invalid_permission',
      message: expect.stringContaining('permission'),
      details: {
        idp: {
          status: 422,
          code: 'invalid_permission',
          request: { method: 'POST', path: expect.stringMatching(/^\/organizations\/.*api_keys$/) },
        },
      },
    });
    await there.close();
    await strict.close();
  });

  test('an address that WorkOS rejects is invalid_email', async () => {
    const answers = [
      { message: 'x', errors: [{ code: 'email_invalid' }] },
      { message: 'Validation failed', errors: [{ field: 'email', code: 'invalid' }] },
      { message: 'The address cannot be used.' },
    ];
    for (const answer of answers) {
      workos.fail(/magic_auth/, () => Response.json(answer, { status: 422 }));
      expect(await refused(start('odd@example.com'))).toBe('400 invalid_email');
    }
  });

  test('a rate limit of WorkOS is reported like our own, with its retry time', async () => {
    workos.fail(/magic_auth/, () =>
      Response.json({ message: 'slow' }, { status: 429, headers: { 'retry-after': '17' } }),
    );
    const error = await start('slow@example.com').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 429,
      code: 'rate_limited',
      details: { retryAfter: 17, idp: { status: 429 } },
    });
  });

  test('a code without a time of expiry is valid for ten minutes', async () => {
    workos.fail(/magic_auth/, () =>
      Response.json({ id: 'm_1', user_id: 'u_1', email: 'timeless@example.com', code: '123456' }),
    );
    const { expiresAt } = await start('timeless@example.com');
    expect(expiresAt).toBe(made.clock.now + 600_000);
  });

  test('a wrong WorkOS key is not blamed on the client', async () => {
    workos.fail(/validations/, () => Response.json({ message: 'no' }, { status: 401 }));
    expect(await refused(identity.validate('sk_some_key', { fresh: true }))).toBe(
      '502 idp_unauthorized',
    );
  });
});

describe.each([
  ['an error of theirs', serverError, '503 idp_server_error'],
  [
    'an error page',
    () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    '503 idp_server_error',
  ],
  ['a closed connection', () => ({ fault: 'drop' }) as const, '503 idp_unreachable'],
  [
    'an answer that is no JSON',
    () => new Response('{', { headers: { 'content-type': 'application/json' } }),
    '503 idp_bad_response',
  ],
  ['an answer of another shape', () => Response.json({}), '503 idp_bad_response'],
])('%s', (name, answer, expected) => {
  const steps = [
    ['authenticate', /authenticate/],
    ['organizations', /^\/organizations$/],
    ['keys', /api_keys$/],
  ] as const;

  test('at registration: nothing is counted', async () => {
    for (let count = 0; count < 7; count += 1) {
      workos.fail(/magic_auth/, answer);
      expect(await refused(start(`${slug(name)}@start.example`))).toBe(expected);
    }
  });

  test.each(steps)('at %s: the same claim works afterwards, with one key', async (step, path) => {
    const claim = await register(`${slug(name)}.${step}@example.com`);
    workos.fail(path, answer);
    expect(await refused(identity.complete(claim))).toBe(expected);
    await expectOneKey(claim);
  });

  test('while a key is validated: the key is not reported as invalid', async () => {
    workos.fail(/validations/, answer);
    expect(await refused(identity.validate('sk_any', { fresh: true }))).toBe(expected);
  });
});

const slug = (name: string) => name.replaceAll(' ', '-');

/** Completes a claim, and expects exactly one working key. */
async function expectOneKey(claim: Claim): Promise<void> {
  const { organizationId, key } = await identity.complete(claim);
  expect(workos.keys.filter(({ owner }) => owner.id === organizationId)).toHaveLength(1);
  expect(await identity.validate(key)).not.toBeNull();
}

describe('a lost response', () => {
  test.each([
    ['of the code', /authenticate/],
    ['of the organisation', /^\/organizations$/],
    ['of the membership', /^POST .*organization_memberships/],
    ['of the key', /api_keys$/],
  ])('%s: the claim still yields one key', async (name, path) => {
    const claim = await register(`${slug(name)}@lost.example`);
    workos.loseAnswer(path);
    expect(await refused(identity.complete(claim))).toBe('503 idp_unreachable');
    await expectOneKey(claim);
  });

  test('the verified claim does not accept another code', async () => {
    const claim = await register('other-code@lost.example');
    workos.fail(/api_keys$/, serverError);
    await refused(identity.complete(claim));
    const guess = { ...claim, code: wrong(claim.code) };
    expect(await refused(identity.complete(guess))).toBe('401 invalid_otp');
    await identity.complete(claim);
  });

  test('a code used by another claim is not accepted again', async () => {
    const first = await register('shared-code@lost.example');
    const second = await register('shared-code@lost.example');
    expect(await refused(identity.complete(first))).toBe('401 invalid_otp');
    await identity.complete({ claimToken: first.claimToken, code: second.code });
    expect(await refused(identity.complete(second))).toBe('409 claim_already_used');
  });

  test('failures of WorkOS do not count as wrong codes', async () => {
    const claim = await register('patient@lost.example');
    workos.fail(/authenticate/, serverError, 7);
    for (let tries = 0; tries < 7; tries += 1) {
      expect(await refused(identity.complete(claim))).toBe('503 idp_server_error');
    }
    await identity.complete(claim);
  });
});

test('a registration that fails at WorkOS logs its request', async () => {
  workos.fail(/magic_auth/, serverError);
  await expect(start('failed@example.com')).rejects.toMatchObject({
    details: {
      idp: { status: 500, request: { method: 'POST', path: '/user_management/magic_auth' } },
    },
  });
});

test.each([
  ['an owner', { id: 'k_1' }],
  ['the id of its owner', { id: 'k_1', owner: { type: 'organization' } }],
  ['the organisation of its owner', { id: 'k_1', owner: { type: 'user', id: 'user_1' } }],
  ['its own id', { owner: { type: 'organization', id: 'org_1' } }],
])('a validated key without %s is a failure of WorkOS, not a bad key', async (_, api_key) => {
  workos.answerInPlace(/validations/, () => Response.json({ api_key }));
  await expect(identity.validate('sk_odd')).rejects.toMatchObject({
    status: 503,
    code: 'idp_bad_response',
    details: { idp: { request: { method: 'POST', path: '/api_keys/validations' } } },
  });
});

test('failures are logged without a code, a key or an address', async () => {
  const claim = await register('quiet@example.com');
  workos.fail(/authenticate/, serverError);
  await refused(identity.complete(claim));
  await identity.complete(claim);
  expect(made.log()).toContain('identity_provider_failed');
  expectNoSecrets(made.log(), [claim.code, claim.claimToken, 'quiet@example.com', 'sk_']);
});

test('an owner gets in after several newer codes requested by strangers', async () => {
  const own = await register('popular@example.com');
  for (const clientAddress of ['198.51.100.9', '198.18.0.9']) {
    clock.now += 1000;
    await made.start('popular@example.com', { clientAddress });
  }
  const { key } = await identity.complete(own);
  expect(await identity.validate(key)).not.toBeNull();
});
