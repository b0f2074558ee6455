/** Claims at WorkOS: which calls decide, which codes are tried, their leases, and failures of WorkOS. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Registration } from '../../server/identity/claims.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { until } from '../support/servers/client.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { refused, wrong } from './attacker.ts';
import { type Claim, workosBench } from './support.ts';

setDefaultTimeout(300000);

describe('the person that a code belongs to', async () => {
  const { workos, made, register } = await workosBench();
  const { identity, database } = made;
  const change = ({ registrationId }: Claim, values: Partial<Registration>) =>
    database.updateTable('registrations').set(values).where('id', '=', registrationId).execute();
  const rowOf = ({ registrationId: id }: Claim) =>
    database.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const complete = (claim: Claim) => refused(identity.complete(claim));

  test.each([
    ['the same person', (email: string) => email, true, 'accepted', 'claimed'],
    ['another spelling', (email: string) => email.toUpperCase(), true, 'accepted', 'claimed'],
    ['another address', () => 'ben@example.com', true, '403 user_mismatch', 'open'],
    ['another user', (email: string) => email, false, '403 user_mismatch', 'open'],
  ] as const)('%s', async (name, spelled, isSame, outcome, state) => {
    const email = `${name.replaceAll(' ', '.')}@example.com`;
    const claim = await register(email);
    const user = { object: 'user', id: isSame ? workos.user(email).id : 'user_2' };
    workos.answerInPlace(/authenticate/, () =>
      Response.json({ user: { ...user, email: spelled(email) }, access_token: 'a' }),
    );
    expect(await complete(claim)).toBe(outcome);
    expect((await rowOf(claim)).state).toBe(state);
    // The code is used, so that it lets nobody in later.
    if (outcome !== 'accepted') expect(await complete(claim)).toBe('401 invalid_otp');
  });

  test('is asked for once: a verified or issuing registration is not verified again', async () => {
    for (const state of ['verified', 'issuing'] as const) {
      const claim = await register(`${state}@example.com`);
      await change(claim, { state });
      workos.fail(/authenticate/, () => new Response(null, { status: 500 }));
      expect(await complete(claim)).toBe('accepted');
      const next = await register(`after-${state}@example.com`);
      expect(await complete(next)).toBe('503 idp_server_error');
    }
  });

  test('the own code is tried only once if WorkOS has given two registrations one', async () => {
    const email = 'shared@example.com';
    const { registrationId: older } = await made.start(email, { clientAddress: '198.51.100.7' });
    const own = await register(email);
    const { provider_code_id } = await rowOf(own);
    await change({ ...own, registrationId: older }, { provider_code_id });
    const since = workos.requests.length;
    const refusal = { code: 'invalid_one_time_code', message: 'no' };
    workos.fail(/authenticate/, () => Response.json(refusal, { status: 400 }));
    expect(await complete(own)).toBe('401 invalid_otp');
    const asked = workos.requests.slice(since).map(({ url }) => url.pathname);
    expect(asked.filter((path) => path.includes('magic_auth'))).toEqual([]);
  });

  test.each(['verifying', 'verified', 'issuing'])(
    'that cannot be recorded as %s gets no key',
    async (state) => {
      const claim = await register(`${state}@full.example`);
      const write = `update of state on registrations when new.state = '${state}'`;
      await refusing(database, write, () => identity.complete(claim));
      expect(workos.keys.filter(({ name }) => name.includes(claim.registrationId))).toEqual([]);
    },
  );

  describe('after a call whose response was lost', () => {
    /** The outcome of the next call, with a session that differs from the one of the lost call. */
    async function outcomeOf(more: object | null, isInvited = false) {
      const email = `spent-${(count += 1)}@team.example`;
      const { id: userId } = workos.user(email);
      if (isInvited) workos.memberships.push({ organizationId: team, userId, status: 'pending' });
      const claim = await register(email);
      workos.loseAnswer(/authenticate/);
      expect(await complete(claim)).toBe('503 idp_unreachable');
      const session = workos.sessions.pop();
      if (more) workos.sessions.push({ ...session, ...more });
      const outcome = await complete(claim);
      // Without a key, the claim has ended for good.
      if (outcome !== 'accepted') expect(await complete(claim)).toBe(outcome);
      return outcome;
    }
    let count = 0;
    let team = '';
    beforeAll(async () => {
      team = (await identity.complete(await register('first@team.example'))).organizationId;
    });

    const EARLIER = new Date(0).toISOString();
    test.each<[string, object | null, boolean, boolean]>([
      ['the session of that call', {}, true, false],
      ['no session', null, false, false],
      ['a session by password', { auth_method: 'password' }, false, false],
      ['a session from before', { created_at: EARLIER }, false, false],
      ['a session elsewhere', { organization_id: 'org_2' }, false, false],
      ['a session nowhere', { organization_id: undefined }, false, false],
      ['an invited member in no organisation', { organization_id: undefined }, true, true],
      ['an invited member in an empty organisation', { organization_id: null }, true, true],
      ['an invited member elsewhere', { organization_id: 'org_2' }, false, true],
    ])('with %s', async (_, more, isLetIn, isInvited) => {
      expect(await outcomeOf(more, isInvited)).toBe(isLetIn ? 'accepted' : '410 claim_expired');
    });
  });
});

describe('the lease of a claim', async () => {
  const { workos, made, register } = await workosBench({
    // No call is given up here unless a test says so, however long a busy machine holds up its process.
    timeoutMs: 300_000,
    leaseTimes: { leaseMs: 60, renewEveryMs: 10 },
  });
  /** One whose calls are soon given up. */
  const silent = await workosBench({ timeoutMs: 100 });
  const { identity, database, clock } = made;
  const registration = (id: string) =>
    database.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  /** Holds back the response to the next request to a path until it is given. */
  const holdBack = (path: RegExp): ((answer: Response) => void) => {
    const held = Promise.withResolvers<Response>();
    workos.fail(path, () => held.promise);
    return held.resolve;
  };
  const serverError = () => new Response('{"message":"oops"}', { status: 500 });
  const named = (id: string) => workos.keys.filter(({ name }) => name.includes(id));

  describe('the lease of a claim', () => {
    test('of a killed process blocks the next try until it ends', async () => {
      const claim = await register('killed@example.com');
      const leaseUntil = clock.now + 30_000;
      await database
        .updateTable('registrations')
        .set({ lease_until: leaseUntil, state: 'verifying' })
        .where('id', '=', claim.registrationId)
        .execute();
      let isDone = false;
      const next = identity.complete(claim).finally(() => (isDone = true));
      await Bun.sleep(120);
      expect(isDone).toBe(false);
      clock.now = leaseUntil;
      await next;
    });

    test('that does not end is waited for at most a quarter of a minute', async () => {
      const waiting = noWaiting();
      const patient = await workosBench({ waiting });
      const claim = await patient.register('kept@example.com');
      await patient.made.database
        .updateTable('registrations')
        .set({ lease_until: patient.made.clock.now + 60_000, state: 'verifying' })
        .where('id', '=', claim.registrationId)
        .execute();
      await expect(patient.made.identity.complete(claim)).rejects.toMatchObject({
        status: 503,
        code: 'idp_claim_in_progress',
        details: { idp: { status: 503, code: 'claim_in_progress' }, retryAfter: 15 },
      });
      expect(waiting.pauses).toEqual(Array(300).fill(50));
    });

    test('is renewed while the claim continues, and released when it fails', async () => {
      const claim = await register('slow@example.com');
      const answer = holdBack(/authenticate/);
      const first = refused(identity.complete(claim));
      const { lease_until: before } = await untilLeased(claim.registrationId, 0);
      clock.now += 50;
      const { lease_until: after } = await untilLeased(claim.registrationId, before ?? 0);
      expect(after).toBe(clock.now + 60);
      answer(serverError());
      expect(await first).toBe('503 idp_server_error');
      expect((await registration(claim.registrationId)).lease_until).toBeNull();
    });

    const untilLeased = (id: string, more: number) =>
      until(async () => {
        const row = await registration(id);
        return (row.lease_until ?? 0) > more && row;
      });

    test('blocks its code for every other registration', async () => {
      const other = await made.start('shared@example.com', { clientAddress: '198.51.100.9' });
      const own = await register('shared@example.com');
      const answer = holdBack(/organizations/);
      const first = refused(identity.complete(own));
      await untilLeased(own.registrationId, 0);
      const second = { claimToken: other.claimToken, code: own.code };
      expect(await refused(identity.complete(second))).toBe('401 invalid_otp');
      answer(serverError());
      expect(await first).toBe('503 idp_server_error');
      const { key } = await identity.complete(own);
      expect(await refused(identity.complete(second))).toBe('401 invalid_otp');
      expect(named(own.registrationId).map(({ value }) => value)).toEqual([key]);
      expect(named(other.registrationId)).toEqual([]);
    });

    test('that was lost while its process was suspended creates no second key', async () => {
      const claim = await register('stalled@example.com');
      const answer = holdBack(/api_keys$/);
      const stalled = refused(identity.complete(claim));
      await until(async () => (await registration(claim.registrationId)).state === 'issuing');
      await database
        .updateTable('registrations')
        .set({ lease_until: null })
        .where('id', '=', claim.registrationId)
        .execute();
      const { key } = await identity.complete(claim);
      answer(serverError());
      expect(await stalled).not.toBe('accepted');
      expect(named(claim.registrationId).map(({ value }) => value)).toEqual([key]);
      expect((await registration(claim.registrationId)).state).toBe('claimed');
    });
  });

  test('a key created for a claim that had lost its lease is deleted', async () => {
    const claim = await register('overtaken@example.com');
    const theirs = clock.now + 60_000;
    workos.answerInPlace(/^POST .*api_keys$/, () => {
      void database
        .updateTable('registrations')
        .set({ lease_until: theirs })
        .where('id', '=', claim.registrationId)
        .execute();
      return Response.json(named(claim.registrationId)[0], { status: 201 });
    });
    expect(await refused(identity.complete(claim))).toBe('409 claim_already_used');
    expect(named(claim.registrationId)).toEqual([]);
    expect(await registration(claim.registrationId)).toMatchObject({
      state: 'issuing',
      lease_until: theirs,
    });
  });

  describe('failures of WorkOS', () => {
    test('do not count as tries: after seven, a wrong code is still the first', async () => {
      const claim = await register('patient@example.com');
      workos.fail(/authenticate/, serverError, 7);
      for (let tries = 0; tries < 7; tries += 1) {
        expect(await refused(identity.complete(claim))).toBe('503 idp_server_error');
      }
      const guess = { ...claim, code: wrong(claim.code) };
      expect(await refused(identity.complete(guess))).toBe('401 invalid_otp');
      await identity.complete(claim);
    });

    test('a call that takes too long times out', async () => {
      silent.workos.fail(/validations/, () => ({ fault: 'hang' }));
      await expect(silent.made.identity.validate('sk_any')).rejects.toMatchObject({
        status: 503,
        code: 'idp_timeout',
        details: {
          idp: { status: 408, request: { method: 'POST', path: '/api_keys/validations' } },
        },
      });
    });
  });

  describe('a key created by a call with a lost response', () => {
    test('is deleted by the claim that follows', async () => {
      const claim = await register('orphan@example.com');
      workos.loseAnswer(/^POST .*api_keys$/);
      expect(await refused(identity.complete(claim))).toBe('503 idp_unreachable');
      expect(named(claim.registrationId)).toHaveLength(1);
      const { key } = await identity.complete(claim);
      expect(named(claim.registrationId).map(({ value }) => value)).toEqual([key]);
      expect((await registration(claim.registrationId)).cleanup_due).toBe(0);
    });

    test('is deleted later if nobody comes back, or if that failed', async () => {
      const left = await register('left@example.com');
      workos.loseAnswer(/^POST .*api_keys$/);
      await refused(identity.complete(left));
      const failed = await register('failed@example.com');
      workos.loseAnswer(/^POST .*api_keys$/);
      await refused(identity.complete(failed));
      workos.fail(/^DELETE/, serverError);
      const { key } = await identity.complete(failed);
      expect(named(failed.registrationId)).toHaveLength(2);
      expect(made.log()).toContain('orphaned_keys_not_deleted');
      clock.now += 3_600_000;
      await made.start('later@example.com');
      await until(async () => named(left.registrationId).length === 0);
      await until(async () => named(failed.registrationId).length === 1);
      expect(named(failed.registrationId).map(({ value }) => value)).toEqual([key]);
      expect(await identity.validate(key, { fresh: true })).not.toBeNull();
    });
  });

  test("if WorkOS invalidates a code by a stranger's newer one, the owner still gets in", async () => {
    const own = await register('owner@example.com');
    const { claimToken } = await made.start('owner@example.com', { clientAddress: '198.51.100.9' });
    const { key } = await identity.complete(own);
    expect(await identity.validate(key)).not.toBeNull();
    expect(await refused(identity.complete({ claimToken, code: own.code }))).toBe(
      '401 invalid_otp',
    );
  });

  test('a deleted key is invalid, whoever owns it', async () => {
    const claimed = await identity.complete(await register('alive@example.com'));
    const owner = { keyId: claimed.metadata.id, organizationId: claimed.organizationId };
    expect(await identity.isLive(owner)).toBe(true);
    workos.deleteKey(claimed.key);
    expect(await identity.isLive(owner)).toBe(false);
    workos.keys.push({ id: 'k_u', value: 'sk_u', owner: { type: 'user', id: 'user_1' } });
    const byUser = { keyId: 'k_u', organizationId: 'org_1', userId: 'user_1' };
    expect(await identity.isLive(byUser)).toBe(true);
    workos.deleteKey('sk_u');
    expect(await identity.isLive(byUser)).toBe(false);
    workos.fail(/api_keys$/, serverError);
    expect(await refused(identity.isLive(owner))).toBe('503 idp_server_error');
  });
});

describe('the WorkOS provider when WorkOS refuses, fails or does not respond', async () => {
  const { workos, made, register } = await workosBench();
  const { identity, start } = made;

  const serverError = () => new Response('{"message":"oops"}', { status: 500 });

  describe('refusals by WorkOS', () => {
    const codeError = (code: string) => () =>
      Response.json({ code, message: 'It is sk_1' }, { status: 400 });

    test.each([
      ['invalid_one_time_code', '401 invalid_otp', ''],
      ['one_time_code_expired', '410 claim_expired', ''],
      ['one_time_code_previously_used', '401 invalid_otp', ''],
      ['one_time_code_too_many_attempts', '429 too_many_attempts', ''],
      ['sso_required', '502 idp_sso_required', ''],
      ['email_verification_required', '502 idp_email_verification_required', ''],
      ['radar_email_challenge', '502 idp_radar_email_challenge', ''],
      ['Sso_Required', '502 idp_sso_required', 'single sign-on'],
      ['mfa_challenge', '502 idp_mfa_challenge', 'factor'],
      ['key sk_1 is bad', '502 idp_bad_request', 'refused a request: bad_request'],
    ])('a code with %s: %s', async (upstream, expected, sentence) => {
      const claim = await register(`${expected.split(' ')[1]}.${upstream.length}@example.com`);
      workos.fail(/authenticate/, codeError(upstream));
      const { status, code, message } = await identity.complete(claim).catch((error) => error);
      expect([`${status} ${code}`, message]).toEqual([expected, expect.stringContaining(sentence)]);
      expect(message).not.toContain('sk_1');
    });

    test('a code that WorkOS locked after guesses is not tried there again', async () => {
      const claim = await register('guessed@example.com');
      workos.fail(/authenticate/, codeError('one_time_code_too_many_attempts'));
      expect(await refused(identity.complete(claim))).toBe('429 too_many_attempts');
      expect(await refused(identity.complete(claim))).toBe('429 too_many_attempts');
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
});
