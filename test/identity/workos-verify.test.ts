/** The person behind a code at WorkOS: which calls decide, and which codes are tried. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import type { WorkOS } from '@workos-inc/node';
import type { Registration } from '../../server/identity/claims.ts';
import { type UserRegistration, verifiedUser } from '../../server/identity/workos-verify.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { refusing } from '../support/servers/sqlite-database.ts';
import { refused } from './attacker.ts';

const made = await testIdentity();
const { database } = made;
afterAll(() => made.close());

let asked: unknown[][] = [];
let answers: Record<string, (() => object)[]> = {};
beforeEach(() => {
  [asked, answers] = [[], {}];
});
const method = (name: string) => async (order: unknown) => {
  asked.push([name, order]);
  const next = answers[name]?.shift();
  if (!next) throw new Error(`${name} was not expected`);
  return next();
};
const client = {
  userManagement: {
    authenticateWithMagicAuth: method('authenticate'),
    authenticateWithOrganizationSelection: method('select'),
    getMagicAuth: method('code'),
    listSessions: method('sessions'),
  },
} as unknown as WorkOS;
const services = { client, workos: { clientId: 'client_1' }, database };
const target = { organizationId: 'org_1', membership: 'active' } as const;
const fails =
  (code: string, more: object = {}) =>
  () => {
    throw Object.assign(new Error(code), { status: 400, code, rawData: { code, ...more } });
  };

/** A registration of an address, with a code at WorkOS. */
async function registered(
  email: string,
  values: Partial<Registration> = {},
): Promise<UserRegistration> {
  const { registrationId } = await made.start(email, {
    clientAddress: `192.0.2.${(count += 1)}`,
  });
  const row = await database
    .updateTable('registrations')
    .set({ provider_user_id: 'user_1', provider_code_id: `magic_${count}`, ...values })
    .where('id', '=', registrationId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as UserRegistration;
}
let count = 0;
const stateOf = async ({ id }: Registration) =>
  (
    await database
      .selectFrom('registrations')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).state;
const verify = (registration: UserRegistration, code = '123456') =>
  verifiedUser(services, registration, code, target);
const user = (email: string, id = 'user_1') => ({ user: { id, email } });

test('a verified or issuing registration is not verified again', async () => {
  await verify(await registered('verified@example.com', { state: 'verified' }));
  await verify(await registered('issuing@example.com', { state: 'issuing' }));
  expect(asked).toEqual([]);
});

test.each([
  ['the same person', 'ann@example.com', 'user_1', 'accepted', 'verified'],
  ['another spelling', 'ANN@Example.com', 'user_1', 'accepted', 'verified'],
  ['another address', 'ben@example.com', 'user_1', '403 user_mismatch', 'open'],
  ['another user', 'ann@example.com', 'user_2', '403 user_mismatch', 'open'],
])('%s', async (_, email, id, outcome, state) => {
  const registration = await registered('ann@example.com');
  answers = { authenticate: [() => user(email, id)] };
  expect(await refused(verify(registration))).toBe(outcome);
  expect<string>(await stateOf(registration)).toBe(state);
  expect(asked).toEqual([
    ['authenticate', { clientId: 'client_1', email: 'ann@example.com', code: '123456' }],
  ]);
});

test('a person of several organisations is authenticated for that of the key', async () => {
  const registration = await registered('many@example.com');
  answers = {
    authenticate: [
      fails('organization_selection_required', { pending_authentication_token: 'pending_1' }),
    ],
    select: [() => user('many@example.com')],
  };
  await verify(registration);
  expect(asked[1]).toEqual([
    'select',
    { clientId: 'client_1', pendingAuthenticationToken: 'pending_1', organizationId: 'org_1' },
  ]);
  answers = { authenticate: [fails('organization_selection_required')] };
  expect(await refused(verify(registration))).toBe('400 organization_selection_required');
});

test.each(['invalid_one_time_code', 'one_time_code_expired'])(
  'after %s the newest other code of the same address is tried',
  async (code) => {
    const email = `${code}@example.com`;
    const own = await registered(email);
    await registered(email);
    const newest = await registered(email);
    await registered(email, { provider_code_id: null });
    await registered(`other-${email}`);
    answers = {
      authenticate: [fails(code), () => user(email)],
      code: [() => ({ code: '654321' })],
    };
    await verify(own);
    expect(asked.slice(1)).toEqual([
      ['code', newest.provider_code_id],
      ['authenticate', { clientId: 'client_1', email, code: '654321' }],
    ]);
  },
);

test('a wrong own code is wrong, and other failures lead to no other code', async () => {
  const alone = await registered('alone@example.com');
  answers = { authenticate: [fails('invalid_one_time_code')] };
  expect(await refused(verify(alone))).toBe('401 invalid_otp');
  expect(asked).toHaveLength(1);
  const refusedThere = await registered('refused@example.com');
  await registered('refused@example.com');
  answers = { authenticate: [fails('sso_required')] };
  await expect(verify(refusedThere)).rejects.toMatchObject({
    code: 'sso_required',
    request: { method: 'POST', path: '/user_management/authenticate' },
  });
  expect(asked).toHaveLength(2);
});

test('a failure of ours during the call is no refusal of the code', async () => {
  const registration = await registered('ours@example.com');
  answers = {
    authenticate: [fails('invalid_one_time_code')],
    code: [fails('not_found')],
  };
  await registered('ours@example.com');
  await expect(verify(registration)).rejects.toMatchObject({
    request: {
      method: 'GET',
      path: expect.stringMatching(/^\/user_management\/magic_auth\/magic_/),
    },
  });
});

test('an older code of the address is tried too, but the own one only once', async () => {
  const email = 'older@example.com';
  const older = await registered(email);
  const own = await registered(email);
  answers = {
    authenticate: [fails('invalid_one_time_code'), () => user(email)],
    code: [() => ({ code: '654321' })],
  };
  await verify(own);
  expect(asked[1]).toEqual(['code', older.provider_code_id]);
  // WorkOS may have given both registrations one code.
  const shared = await registered(email, { provider_code_id: own.provider_code_id });
  answers = { authenticate: [fails('invalid_one_time_code')] };
  expect(await refused(verify(shared))).toBe('401 invalid_otp');
});

describe('a code used by a call whose response was lost', () => {
  const spent = { authenticate: () => [fails('one_time_code_previously_used')] };
  const SINCE = 1_700_000_000_000;
  const session = (more: object = {}) => ({
    authMethod: 'magic_code',
    createdAt: new Date(SINCE).toISOString(),
    organizationId: 'org_1',
    ...more,
  });
  const outcomeOf = async (session: object | null, membership: 'active' | 'pending' = 'active') => {
    const registration = await registered(`spent-${(count += 1)}@example.com`, {
      state: 'verifying',
      created_at: SINCE,
    });
    const sessions = session ? [session] : [];
    answers = {
      authenticate: spent.authenticate(),
      sessions: [() => ({ autoPagination: async () => sessions })],
    };
    const outcome = await refused(
      verifiedUser(services, registration, '123456', { ...target, membership }),
    );
    const { expires_at: expiresAt } = await database
      .selectFrom('registrations')
      .select('expires_at')
      .where('id', '=', registration.id)
      .executeTakeFirstOrThrow();
    expect(expiresAt === SINCE).toBe(outcome === '410 claim_expired');
    return outcome;
  };

  const EARLIER = new Date(SINCE - 1).toISOString();
  test.each<[string, object | null, string]>([
    ['the session of that call', session(), 'accepted'],
    ['no session', null, '410 claim_expired'],
    ['a session by password', session({ authMethod: 'password' }), '410 claim_expired'],
    ['a session from before', session({ createdAt: EARLIER }), '410 claim_expired'],
    ['a session elsewhere', session({ organizationId: 'org_2' }), '410 claim_expired'],
    ['a session nowhere', session({ organizationId: undefined }), '410 claim_expired'],
  ])('with %s', async (_, found, outcome) => {
    expect(await outcomeOf(found)).toBe(outcome);
  });

  test.each<[string, object, string]>([
    ['no organisation', session({ organizationId: undefined }), 'accepted'],
    ['an empty organisation', session({ organizationId: null }), 'accepted'],
    ['that organisation', session(), '410 claim_expired'],
  ])('by an invited member, with a session of %s', async (_, found, outcome) => {
    expect(await outcomeOf(found, 'pending')).toBe(outcome);
  });

  test('is wrong if there was no earlier call', async () => {
    const registration = await registered('unspent@example.com');
    answers = { authenticate: spent.authenticate() };
    expect(await refused(verify(registration))).toBe('401 invalid_otp');
  });

  test('is undecided while the sessions cannot be read, or the result recorded', async () => {
    const registration = await registered('unread@example.com', { state: 'verifying' });
    answers = { authenticate: spent.authenticate(), sessions: [fails('server_error')] };
    await expect(verify(registration)).rejects.toMatchObject({
      request: { method: 'GET', path: '/user_management/users/user_1/sessions' },
    });
    answers = {
      authenticate: spent.authenticate(),
      sessions: [() => ({ autoPagination: async () => [] })],
    };
    await refusing(database, 'update of expires_at on registrations', () => verify(registration));
  });
});
