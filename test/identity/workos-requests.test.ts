/** Requests to WorkOS, and the meaning of its answers to a registration. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { countGuess, guessLimits } from '../../server/identity/guesses.ts';
import { until } from '../support/servers/client.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { refused, wrong } from './identity-provider.suite.ts';
import { workosBench } from './support.ts';

setDefaultTimeout(300_000);

const { workos, made, register } = await workosBench();
const { database, identity, clock } = made;
const rowOf = (id: string) =>
  database.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a mailed code', () => {
  const asked = () => {
    const request = workos.requests.findLast(({ url }) => url.pathname.endsWith('/magic_auth'));
    return JSON.parse(request?.body.toString() ?? '');
  };

  test('is asked for with the address and the program of the client, if they are known', async () => {
    await made.start('known@example.com', { userAgent: 'a'.repeat(501) });
    expect(asked()).toEqual({
      email: 'known@example.com',
      ip_address: '192.0.2.1',
      user_agent: 'a'.repeat(500),
    });
    await made.start('unknown@example.com', { clientAddress: 'unknown', userAgent: '' });
    expect(asked()).toEqual({ email: 'unknown@example.com' });
  });

  test('is valid for as long as WorkOS says', async () => {
    workos.answerInPlace(/magic_auth/, () => {
      const { id, code } = workos.codes.at(-1)!;
      const expires_at = new Date(clock.now + 123_000).toISOString();
      const answer = { object: 'magic_auth', id, code, user_id: 'user_1', expires_at };
      return Response.json({ ...answer, email: 'brief@example.com' }, { status: 201 });
    });
    const { registrationId, expiresAt } = await made.start('brief@example.com');
    expect(expiresAt).toBe(clock.now + 123_000);
    expect(await rowOf(registrationId)).toMatchObject({ expires_at: expiresAt });
  });

  test.each([
    [422, 'unprocessable', '400 invalid_email'],
    [400, 'invalid_email', '400 invalid_email'],
    [400, 'bad_request', '502 idp_bad_request'],
    [404, 'email_not_found', '502 idp_email_not_found'],
    [401, 'email_unauthorized', '502 idp_unauthorized'],
  ])('that WorkOS refuses with %d %s is %s', async (status, code, outcome) => {
    workos.fail(/magic_auth/, () => Response.json({ code, message: 'no' }, { status }));
    expect(await refused(made.start('refused@example.com'))).toBe(outcome);
  });
});

describe('a claim', () => {
  test('with an invented token opens no transaction', async () => {
    const opened = spyOn(database, 'transaction');
    const invented = { claimToken: 'clm_invented', code: '123456' };
    expect(await refused(identity.complete(invented))).toStartWith('4');
    expect(opened).not.toHaveBeenCalled();
    opened.mockRestore();
  });

  test('is not counted as tried if the guess cannot be counted', async () => {
    const claim = await register('counted@example.com');
    const guess = { ...claim, code: wrong(claim.code) };
    await refusing(database, 'insert on rate_events', () => identity.complete(guess));
    expect(await rowOf(claim.registrationId)).toMatchObject({ attempts: 0, lease_until: null });
  });

  test('whose second code cannot be recorded fails with that', async () => {
    const claim = await register('second@example.com');
    const row = await rowOf(claim.registrationId);
    const options = { hasher: made.hasher, teamEmailDomain: null, registrationsPerIp: 1000 };
    await countGuess(database, guessLimits(options, row), 10, clock.now);
    await refusing(database, 'update of code_round on registrations', () =>
      identity.complete(claim),
    );
    expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
    const second = { ...claim, code: made.code('second@example.com') };
    expect(await rowOf(claim.registrationId)).toMatchObject({
      code_round: 2,
      provider_code_id: workos.codes.at(-1)?.id,
    });
    expect(await identity.complete(second)).toMatchObject({
      registrationId: claim.registrationId,
    });
  });

  test('is claimed with its key and its workspace, or not at all', async () => {
    const claim = await register('whole@example.com');
    for (const table of ['organizations', 'api_keys']) {
      await refusing(database, `insert on ${table}`, () => identity.complete(claim));
      expect(await rowOf(claim.registrationId)).toMatchObject({
        state: 'issuing',
        lease_until: null,
        attempts: 0,
      });
    }
    const { key } = await identity.complete(claim);
    expect(await identity.validate(key)).not.toBeNull();
    const row = await rowOf(claim.registrationId);
    expect(row).toMatchObject({ state: 'claimed', lease_until: null });
  });

  test('that made one key has nothing to clean up', async () => {
    const claim = await register('clean@example.com');
    const before = workos.requests.length;
    await refusing(
      database,
      'update of cleanup_due on registrations when new.cleanup_due = 0',
      () => identity.complete(claim),
    );
    const other = await register('cleaner@example.com');
    await identity.complete(other);
    expect(await rowOf(other.registrationId)).toMatchObject({ cleanup_due: 0 });
    const deleted = workos.requests.slice(before).filter(({ method }) => method === 'DELETE');
    expect(deleted).toEqual([]);
  });

  test.each([
    ['sso_required', 'requires single sign-on'],
    ['no_sso_required', 'refused a request: no_sso_required'],
    ['sso_required_here', 'refused a request: sso_required_here'],
    ['mfa_enrollment', 'needs a second factor'],
    ['no_mfa_here', 'refused a request: no_mfa_here'],
  ])('that fails with %s says why', async (code, message) => {
    const claim = await register(`${code}@example.com`);
    workos.fail(/authenticate/, () => Response.json({ code, message: 'm' }, { status: 403 }));
    await expect(identity.complete(claim)).rejects.toThrow(message);
  });

  test.each([
    [403, 'domain_not_allowed', 'refused a request: domain_not_allowed'],
    [422, 'domain_not_allowed', 'belongs to another organisation'],
    [422, 'name_not_allowed', 'refused a request: name_not_allowed'],
  ])(
    'of a team whose organisation is refused with %d %s says so',
    async (status, code, message) => {
      const claim = await register(`${status}.${code}@team.example`);
      workos.fail(/^POST .*organizations$/, () =>
        Response.json({ code, message: 'm' }, { status }),
      );
      await expect(identity.complete(claim)).rejects.toThrow(message);
    },
  );
});

test('of the codes mailed to an address, only the newest other one is looked up', async () => {
  const own = await register('newest@example.com');
  for (const clientAddress of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
    await made.start('newest@example.com', { clientAddress });
  }
  // At the same moment, the registration with the greatest id is the newest.
  const rows = database.selectFrom('registrations').where('email', '=', 'newest@example.com');
  const others = await rows
    .select(['id', 'provider_code_id'])
    .where('id', '!=', own.registrationId)
    .orderBy('id', 'desc')
    .execute();
  await database
    .updateTable('registrations')
    .set({ created_at: clock.now })
    .where(
      'id',
      'in',
      others.map(({ id }) => id),
    )
    .execute();
  const newest = others[0]?.provider_code_id;
  const before = workos.requests.length;
  await refused(identity.complete(own));
  const looked = workos.requests
    .slice(before)
    .filter(({ method, url }) => method === 'GET' && url.pathname.includes('magic_auth'));
  expect(looked.map(({ url }) => url.pathname.split('/').at(-1))).toEqual([newest ?? 'none']);
});

test.each([
  ['a user without an id', /authenticate/, { user: { email: 'short-1@example.com' } }],
  ['a user without an address', /authenticate/, { user: { id: 'user_1' } }],
  ['a key without an id', /^POST .*api_keys$/, { value: 'sk_1' }],
  ['an organisation without an id', /^POST .*organizations$/, { object: 'organization' }],
])('%s is a bad response', async (_what, path, answer) => {
  const claim = await register(`short-${workos.requests.length}@example.com`);
  workos.answerInPlace(path, () => Response.json(answer));
  expect(await refused(identity.complete(claim))).toBe('503 idp_bad_response');
});

test('objects that another claim has created meanwhile are looked up by the same names', async () => {
  const claim = await register('both@example.com');
  const before = workos.requests.length;
  const taken = () => Response.json({ code: 'taken', message: 'm' }, { status: 409 });
  workos.answerInPlace(/^POST .*organizations$/, taken);
  workos.answerInPlace(/^POST .*organization_memberships$/, taken);
  await identity.complete(claim);
  const looks = workos.requests
    .slice(before)
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => `${url.pathname}${url.search}`);
  expect(looks).toHaveLength(4);
  expect(new Set(looks).size).toBe(2);
});

test('orphaned keys that cannot be deleted by the sweep are logged', async () => {
  const left = await register('left@example.com');
  workos.loseAnswer(/^POST .*api_keys$/);
  await refused(identity.complete(left));
  workos.fail(/^DELETE/, () => new Response('{"message":"oops"}', { status: 500 }));
  clock.now += 3_600_000;
  await made.start('later@example.com');
  await until(async () => made.log().includes('orphaned_keys_not_deleted'));
});
