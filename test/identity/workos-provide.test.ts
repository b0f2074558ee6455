/** Organisations and memberships at WorkOS, found or created, alone or in a race with another claim. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { WorkOS } from '@workos-inc/node';
import { provideMembership } from '../../server/identity/workos-membership.ts';
import { provideOrganization } from '../../server/identity/workos-organization.ts';

type Answer = object | { fails: object };

/** The answers to the next calls of each method; the last one repeats. */
let answers: Record<string, Answer[]> = {};
let asked: unknown[] = [];
beforeEach(() => {
  [answers, asked] = [{}, []];
});

const method = (name: string) => async (order: unknown) => {
  asked.push([name, order]);
  const list = answers[name] ?? [];
  const next = list.length > 1 ? list.shift() : list[0];
  if (next && 'fails' in next) throw next.fails;
  return next;
};
const client = {
  organizations: {
    createOrganization: method('create'),
    getOrganizationByExternalId: method('find'),
  },
  userManagement: {
    createOrganizationMembership: method('join'),
    listOrganizationMemberships: method('members'),
  },
} as unknown as WorkOS;
const fails = (status: number, code?: string): Answer => ({ fails: { status, code } });
const members = (...statuses: string[]): Answer => ({
  data: statuses.map((status) => ({ status })),
});
const PATH = '/user_management/organization_memberships';

describe('a membership', () => {
  const provide = () => provideMembership(client, 'org_1', 'user_1');

  test('is looked up in every status, and created if there is none', async () => {
    answers = { members: [members()], join: [{}] };
    expect(await provide()).toBe('active');
    const of = { organizationId: 'org_1', userId: 'user_1' };
    expect(asked).toEqual([
      ['members', { ...of, statuses: ['active', 'inactive', 'pending'] }],
      ['join', of],
    ]);
  });

  test.each([
    [['active', 'inactive']],
    [['inactive', 'active']],
    [['pending', 'inactive']],
    [['inactive', 'pending']],
  ])('that was deactivated takes precedence among %p', async (statuses) => {
    answers = { members: [members(...statuses)] };
    await expect(provide()).rejects.toMatchObject({
      status: 502,
      code: 'idp_membership_inactive',
      details: {
        idp: { status: 200, code: 'membership_inactive', request: { method: 'GET', path: PATH } },
      },
    });
  });

  test.each([
    ['active', ['active', 'pending']],
    ['active', ['pending', 'active']],
    ['pending', ['pending']],
  ])('is %s among %p', async (status, statuses) => {
    answers = { members: [members(...statuses)] };
    expect(await provide()).toBe(status as never);
  });

  test.each([
    [409, 'conflict'],
    [400, 'already_exists'],
  ])('that another claim created is found after %d %s', async (status, code) => {
    answers = { members: [members(), members('active')], join: [fails(status, code)] };
    expect(await provide()).toBe('active');
    answers = { members: [members(), members()], join: [fails(status, code)] };
    expect(await provide()).toBe('active');
    answers = { members: [members(), members('inactive')], join: [fails(status, code)] };
    await expect(provide()).rejects.toMatchObject({ code: 'idp_membership_inactive' });
  });

  test('that cannot be looked up or created fails with its request', async () => {
    answers = { members: [fails(403)] };
    await expect(provide()).rejects.toMatchObject({ request: { method: 'GET', path: PATH } });
    answers = { members: [members()], join: [fails(400, 'bad_request')] };
    await expect(provide()).rejects.toMatchObject({
      status: 400,
      request: { method: 'POST', path: PATH },
    });
  });
});

describe('an organisation', () => {
  const team = { kind: 'team', externalId: 'team:team.example' } as const;
  const provide = () => provideOrganization(client, team, 'ann@team.example');

  test('is found by its name, or created with its domain', async () => {
    answers = { find: [{ id: 'org_1' }] };
    expect(await provide()).toBe('org_1');
    answers = { find: [fails(404)], create: [{ id: 'org_2' }] };
    expect(await provide()).toBe('org_2');
    expect(asked.at(-1)).toEqual([
      'create',
      {
        name: 'team.example',
        externalId: 'team:team.example',
        domainData: [{ domain: 'team.example', state: 'verified' }],
      },
    ]);
    const personal = { kind: 'personal', externalId: 'personal:user_1' } as const;
    expect(await provideOrganization(client, personal, 'ann@example.com')).toBe('org_2');
    expect(asked.at(-1)).toEqual([
      'create',
      { name: 'ann@example.com', externalId: 'personal:user_1' },
    ]);
  });

  test.each([400, 409, 422])('that another claim created is found after %d', async (status) => {
    answers = { find: [fails(404), { id: 'org_3' }], create: [fails(status)] };
    expect(await provide()).toBe('org_3');
  });

  test.each([
    ['GET', '/organizations/external_id/team:team.example', { find: [{}] }],
    ['POST', '/organizations', { find: [fails(404)], create: [{}] }],
  ])('without an id in the answer to %s %s is a failure', async (verb, path, given) => {
    answers = given;
    await expect(provide()).rejects.toMatchObject({
      status: 200,
      code: 'bad_response',
      request: { method: verb, path },
    });
  });

  test('is not looked up again after another failure', async () => {
    answers = { find: [fails(404), { id: 'org_3' }], create: [fails(500)] };
    await expect(provide()).rejects.toMatchObject({
      status: 500,
      request: { method: 'POST', path: '/organizations' },
    });
  });

  test.each([
    [409, 'conflict', true],
    [422, 'domain_taken', true],
    [422, 'name_too_long', false],
    [400, 'domain_already_in_use', true],
  ])('whose domain belongs to another has the remedy: %d %s', async (status, code, named) => {
    answers = { find: [fails(404)], create: [fails(status, code)] };
    const remedy = named ? expect.stringContaining('external id team:team.example') : undefined;
    await expect(provide()).rejects.toMatchObject({ status, code, remedy });
  });

  test('that cannot be looked up fails with its request', async () => {
    answers = { find: [fails(403)] };
    await expect(provide()).rejects.toMatchObject({
      request: { method: 'GET', path: '/organizations/external_id/team:team.example' },
    });
  });
});
