/** Members at WorkOS: every status, several organisations, and organisations with requirements. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { refused } from './attacker.ts';
import { workosBench } from './support.ts';

setDefaultTimeout(300000);

const { workos, made, register } = await workosBench();
const { identity } = made;

/** The team's organisation, created for its first member. */
const team = async (): Promise<string> => {
  await identity.complete(await register('first@team.example'));
  return workos.organizations.get('team:team.example').id;
};
const organizationId = await team();
const member = (email: string, status: 'active' | 'inactive' | 'pending', of = organizationId) => {
  const userId = workos.user(email).id;
  workos.memberships.push({ organizationId: of, userId, status });
  return userId;
};
const keysOf = (id: string) => workos.keys.filter(({ owner }) => owner.id === id).length;
const statusesOf = (userId: string) =>
  workos.memberships.filter((one) => one.userId === userId).map(({ status }) => status);

describe('a member', () => {
  test('a deactivated member stays deactivated and gets no key', async () => {
    const userId = member('gone@team.example', 'inactive');
    const before = keysOf(organizationId);
    const claim = await register('gone@team.example');
    const error = await identity.complete(claim).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 502,
      code: 'idp_membership_inactive',
      message: expect.stringContaining('reactivate'),
    });
    expect(statusesOf(userId)).toEqual(['inactive']);
    expect(keysOf(organizationId)).toBe(before);
    workos.memberships.find((one) => one.userId === userId)!.status = 'active';
    await identity.complete(claim);
  });

  test('an invited member gets a key, and the invitation stays', async () => {
    const userId = member('invited@team.example', 'pending');
    const { workspace } = await identity.complete(await register('invited@team.example'));
    expect(workspace.externalId).toBe('team:team.example');
    expect(statusesOf(userId)).toEqual(['pending']);
  });

  test('a member invited between the check and the creation gets a key too', async () => {
    const userId = member('raced@team.example', 'pending');
    workos.answerInPlace(/^GET .*organization_memberships/, () =>
      Response.json({ object: 'list', data: [], list_metadata: {} }),
    );
    await identity.complete(await register('raced@team.example'));
    expect(statusesOf(userId)).toEqual(['pending']);
  });

  test('a person without a status does not count as a member', async () => {
    const claim = await register('odd@team.example');
    workos.answerInPlace(/^GET .*organization_memberships/, () =>
      Response.json({ object: 'list', data: [{ id: 'om_1' }], list_metadata: {} }),
    );
    expect(await refused(identity.complete(claim))).toBe('503 idp_bad_response');
    await identity.complete(claim);
  });

  test('a person who is not a member becomes one', async () => {
    await identity.complete(await register('new@team.example'));
    expect(statusesOf(workos.user('new@team.example').id)).toEqual(['active']);
  });
});

describe('a person of several organisations', () => {
  test('is authenticated for the organisation of the key', async () => {
    const userId = member('both@team.example', 'active', 'org_other');
    const since = workos.requests.length;
    const { organizationId: issuedIn } = await identity.complete(
      await register('both@team.example'),
    );
    const grants = workos.requests
      .slice(since)
      .filter(({ url }) => url.pathname.endsWith('/authenticate'))
      .map(({ body }) => JSON.parse(body.toString()));
    expect(grants.at(-1)).toMatchObject({
      grant_type: 'urn:workos:oauth:grant-type:organization-selection',
      organization_id: issuedIn,
      pending_authentication_token: expect.any(String),
    });
    expect(workos.sessions.findLast(({ user_id: id }) => id === userId)).toMatchObject({
      organization_id: issuedIn,
    });
  });

  test.each(['sso_required', 'mfa_enrollment', 'mfa_challenge'] as const)(
    'gets no key if that organisation requires %s, nor by trying again',
    async (demand) => {
      const email = `${demand}@team.example`;
      member(email, 'active', 'org_other');
      workos.demands.set(organizationId, demand);
      const before = keysOf(organizationId);
      const claim = await register(email);
      const error = await identity.complete(claim).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        status: 502,
        code: `idp_${demand}`,
        message: expect.stringMatching(/single sign-on|second factor/),
      });
      expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
      workos.demands.clear();
      expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
      expect(keysOf(organizationId)).toBe(before);
    },
  );

  test('gets no key if the response with the requirement was lost', async () => {
    const email = 'lost@team.example';
    member(email, 'active', 'org_other');
    const before = keysOf(organizationId);
    const claim = await register(email);
    workos.loseAnswer(/authenticate/);
    expect(await refused(identity.complete(claim))).toBe('503 idp_unreachable');
    expect(await refused(identity.complete(claim))).toBe('410 claim_expired');
    expect(await refused(identity.complete(claim))).toBe('410 claim_expired');
    expect(keysOf(organizationId)).toBe(before);
  });

  test('gets no key without the token that completes it', async () => {
    const claim = await register('tokenless@team.example');
    workos.answerInPlace(/authenticate/, () =>
      Response.json({ code: 'organization_selection_required', message: 'm' }, { status: 403 }),
    );
    expect(await refused(identity.complete(claim))).toBe('502 idp_organization_selection_required');
    expect(await refused(identity.complete(claim))).toBe('401 invalid_otp');
  });
});

test('a second factor cannot be avoided by choosing an organisation', async () => {
  workos.demands.set(organizationId, 'mfa_challenge');
  const claim = await register('factor@team.example');
  const since = workos.requests.length;
  expect(await refused(identity.complete(claim))).toBe('502 idp_mfa_challenge');
  workos.demands.clear();
  const asked = workos.requests.slice(since).map(({ url }) => url.pathname);
  expect(asked.filter((path) => path.endsWith('/authenticate'))).toHaveLength(1);
});

test('if the team domain belongs to a manually created organisation, the error names the remedy', async () => {
  const { workos: other, made: there } = await workosBench();
  other.organizations.set('by-hand', { id: 'org_by_hand', domains: [{ domain: 'team.example' }] });
  const { claimToken } = await there.start('ann@team.example');
  const claim = { claimToken, code: there.code('ann@team.example') };
  const error = await there.identity.complete(claim).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    status: 502,
    code: 'idp_organization_domain_already_used',
    message: expect.stringContaining('external id team:team.example'),
    details: { idp: { status: 409 } },
  });
  expect(there.log()).toContain('external id team:team.example');
  // The operator follows the message, and the same claim continues.
  other.organizations.set('team:team.example', other.organizations.get('by-hand'));
  expect((await there.identity.complete(claim)).organizationId).toBe('org_by_hand');
});

test.each([
  ['ann@team.example', 409, 'conflict', true],
  ['ann@team.example', 422, 'domain_not_verified', true],
  ['ann@team.example', 422, 'name_too_long', false],
  ['ann@example.com', 409, 'domain_conflict', false],
])('%s, without an organisation (%d %s): the error names the remedy: %p', async (...given) => {
  const [email, status, code, isNamed] = given;
  const { workos: other, made: there } = await workosBench();
  other.fail(/^POST .*organizations$/, () => Response.json({ code, message: 'no' }, { status }));
  const { claimToken } = await there.start(email);
  const error = await there.identity
    .complete({ claimToken, code: there.code(email) })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: `idp_${code}`, details: { idp: { status } } });
  expect((error as Error).message.includes('external id')).toBe(isNamed);
});
