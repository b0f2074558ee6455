/** The WorkOS provider: the common suite, its calls and its keys. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { replaceCode } from '../../server/identity/codes.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { createWorkosIdentity } from '../../server/identity/workos.ts';
import { createLog } from '../../server/log.ts';
import { identityProviderSuite, refused } from './identity-provider.suite.ts';
import { workosBench } from './support.ts';

setDefaultTimeout(300_000);

const { workos, made, register } = await workosBench();
const { identity, clock } = made;

identityProviderSuite('workos', () => made);

/** The requests after the first `since`, as `METHOD path`. */
const calls = (since: number) =>
  workos.requests.slice(since).map(({ method, url }) => `${method} ${url.pathname}`);

test('the calls of a registration and its claim, with their bodies', async () => {
  const since = workos.requests.length;
  const claim = await register('wire@example.com');
  const claimed = await identity.complete(claim);
  const user = workos.user('wire@example.com');
  const external = `personal:${user.id}`;
  expect(claimed.workspace.externalId).toBe(external);
  expect(calls(since)).toEqual([
    'POST /user_management/magic_auth',
    `GET /organizations/external_id/${external}`,
    'POST /organizations',
    'GET /user_management/organization_memberships',
    'POST /user_management/organization_memberships',
    'POST /user_management/authenticate',
    `POST /organizations/${claimed.organizationId}/api_keys`,
  ]);
  const body = (at: number) => JSON.parse(workos.requests[since + at]!.body.toString());
  expect(body(0)).toMatchObject({
    email: 'wire@example.com',
    ip_address: '192.0.2.1',
    user_agent: 'test',
  });
  expect(body(2)).toEqual({ name: 'wire@example.com', external_id: external });
  expect(workos.requests[since + 3]!.url.searchParams.getAll('statuses').join()).toBe(
    'active,inactive,pending',
  );
  expect(body(4)).toMatchObject({
    organization_id: claimed.organizationId,
    user_id: user.id,
  });
  expect(body(5)).toMatchObject({ email: 'wire@example.com', code: claim.code });
  expect(body(6)).toEqual({
    name: `Captioner key (${claim.registrationId})`,
    permissions: ['captioner:audio:upload'],
  });
});

test('a second code replaces the first one, with its id at WorkOS', async () => {
  await register('replaced@example.com');
  const row = await made.database
    .selectFrom('registrations')
    .selectAll()
    .where('email', '=', 'replaced@example.com')
    .executeTakeFirstOrThrow();
  const hasher = createHasher('any');
  await replaceCode(made.database, hasher, row, { code: '123456', providerCodeId: 'magic_2' });
  const after = await made.database
    .selectFrom('registrations')
    .select(['provider_code_id', 'code_round', 'lease_until'])
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow();
  expect(after).toEqual({ provider_code_id: 'magic_2', code_round: 2, lease_until: null });
});

test('a second registration finds the organisation and the membership', async () => {
  const first = await identity.complete(await register('again@example.com'));
  const second = await identity.complete(await register('again@example.com'));
  expect(second.organizationId).toBe(first.organizationId);
  expect(second.metadata.id).not.toBe(first.metadata.id);
});

test("the team's organisation has its verified domain", async () => {
  await identity.complete(await register('domain@team.example'));
  expect(workos.organizations.get('team:team.example').domains).toMatchObject([
    { domain: 'team.example', state: 'verified' },
  ]);
});

test('a user other than the registered one: user_mismatch, and no key later', async () => {
  const claim = await register('ann.b@example.com');
  const other = { object: 'user', id: 'user_other', email: 'someone@example.com' };
  workos.answerInPlace(/authenticate/, () => Response.json({ user: other, access_token: 'a' }));
  expect(await refused(identity.complete(claim))).toBe('403 user_mismatch');
  expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
});

test.each(['sso_required', 'mfa_challenge', 'email_verification_required'])(
  'a user who needs more than a code (%s) gets no key by retrying',
  async (code) => {
    const claim = await register(`${code}@strict.example`);
    workos.answerInPlace(/authenticate/, () => Response.json({ code }, { status: 403 }));
    expect(await refused(identity.complete(claim))).toBe(`502 idp_${code}`);
    expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
  },
);

describe('keys', () => {
  const key = async (email: string) => (await identity.complete(await register(email))).key;
  const validations = () =>
    workos.requests.filter(({ url }) => url.pathname === '/api_keys/validations').length;

  test('are validated by every request that changes something; reads may use a result of the last 30 seconds', async () => {
    const value = await key('asked@example.com');
    const before = validations();
    await identity.validate(value, { fresh: true });
    await identity.validate(value, { fresh: true });
    expect(validations()).toBe(before + 2);
    await identity.validate(value);
    expect(validations()).toBe(before + 2);
    clock.now += 30_000;
    await identity.validate(value);
    expect(validations()).toBe(before + 3);
  });

  test('a deleted key is refused immediately by requests that change something, and then by all', async () => {
    const value = await key('deleted@example.com');
    await identity.validate(value);
    workos.deleteKey(value);
    expect(await identity.validate(value, { fresh: true })).toBeNull();
    expect(await identity.validate(value)).toBeNull();
  });

  test('an invalid key is validated each time', async () => {
    const before = validations();
    expect(await identity.validate('sk_bad')).toBeNull();
    expect(await identity.validate('sk_bad')).toBeNull();
    expect(validations()).toBe(before + 2);
  });

  test('have the scopes they were issued with, whatever permissions WorkOS has', async () => {
    const value = await key('scoped@example.com');
    const there = workos.keys.find((one) => one.value === value);
    there!.permissions = ['captioner:caption:run'];
    expect(await identity.validate(value, { fresh: true })).toMatchObject({
      scopes: ['captioner:audio:upload'],
    });
  });

  test("created in WorkOS's dashboard have their permissions as scopes", async () => {
    workos.keys.push({
      object: 'api_key',
      id: 'api_key_theirs',
      owner: { type: 'user', id: 'user_1', organization_id: 'org_theirs' },
      name: 'by hand',
      obfuscated_value: 'sk_…',
      value: 'sk_by_hand',
      permissions: ['captioner:caption:run', 'billing:read'],
    });
    expect(await identity.validate('sk_by_hand')).toEqual({
      keyId: 'api_key_theirs',
      ownerType: 'user',
      organizationId: 'org_theirs',
      userId: 'user_1',
      scopes: ['captioner:caption:run'],
    });
  });
});

test.each([
  ['https://api.workos.example', 'https://api.workos.example/organizations/org_1/api_keys'],
  ['http://127.0.0.1:9', 'http://127.0.0.1:9/organizations/org_1/api_keys'],
])('WorkOS at %s is called there, and redirects are not followed', async (apiUrl, address) => {
  const asked: [string, string | undefined][] = [];
  const fetched = spyOn(globalThis, 'fetch').mockImplementation((async (
    input: string | URL | Request,
    init?: RequestInit,
  ) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    asked.push([`${origin}${pathname}`, init?.redirect]);
    return Response.json({ object: 'list', data: [], list_metadata: {} });
  }) as typeof fetch);
  try {
    const other = createWorkosIdentity({
      workos: { apiKey: 'sk_test', clientId: 'client_1', apiUrl },
      database: made.database,
      hasher: made.hasher,
      teamEmailDomain: null,
      teamEmailAllow: null,
      registrationsPerIp: 9,
      registrationsPerHour: 9,
      log: createLog('silent'),
    });
    expect(await other.isLive({ keyId: 'k_1', organizationId: 'org_1' })).toBe(false);
  } finally {
    fetched.mockRestore();
  }
  // The SDK reads the first page twice.
  expect(asked[0]).toEqual([address, 'manual']);
});

test.each(['', 'sk with spaces', 'sk_\n', 'schlüssel', 'k'.repeat(1025)])(
  'WorkOS is not called for %j, which cannot be a key',
  async (text) => {
    const before = workos.requests.length;
    expect(await identity.validate(text)).toBeNull();
    expect(workos.requests).toHaveLength(before);
  },
);
