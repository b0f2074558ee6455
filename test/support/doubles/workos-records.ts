/**
 * The records of the WorkOS double, and its answers to requests that create or change them: users,
 * one-time codes, sessions, organisations, memberships, keys. Written from its documentation of 22
 * November 2026: workos.com/docs/reference/authkit/magic-auth, …/authentication,
 * …/authentication-errors, …/organization-membership (create, list), …/session, …/api-keys,
 * workos.com/docs/reference/organization.
 */
import { randomInt, randomUUID } from 'node:crypto';
import type { Any } from '../servers/client.ts';
import {
  authenticator,
  json,
  list,
  problem,
  type Demand,
  type MagicCode,
  type Membership,
  type WorkosUser,
} from '../servers/workos-sign-in.ts';

/** The records of WorkOS. */
export interface WorkosRecords {
  codes: MagicCode[];
  /** By external id. */
  organizations: Map<string, Any>;
  memberships: Membership[];
  keys: Any[];
  sessions: Any[];
  /** The requirements of organisations, by id. */
  demands: Map<string, Demand>;
  /** The user of an address. */
  user(email: string): WorkosUser;
  magicAuth(body: Any): Response;
  getMagicAuth(id: string): Response;
  authenticate(body: Any): Response;
  createOrganization(body: Any): Response;
  createMembership(body: Any): Response;
  listMemberships(query: URLSearchParams): Response;
  listSessions(userId: string): Response;
  createKey(organizationId: string, body: Any): Response;
  /** Removes the first key that matches; returns whether there was one. */
  removeKey(matches: (key: Any) => boolean): boolean;
}

/** The records of a WorkOS without users, with these permissions. */
export function workosRecords(clock: { now(): number }, permissions: string[]): WorkosRecords {
  const users = new Map<string, WorkosUser>();
  const codes: MagicCode[] = [];
  const organizations = new Map<string, Any>();
  const memberships: Membership[] = [];
  const keys: Any[] = [];
  const sessions: Any[] = [];
  const demands = new Map<string, Demand>();
  const removeKey = (matches: (key: Any) => boolean): boolean => {
    const at = keys.findIndex(matches);
    if (at >= 0) keys.splice(at, 1);
    return at >= 0;
  };

  const user = (email: string) => {
    const known = users.get(email) ?? { id: `user_${randomUUID().slice(0, 8)}`, email };
    users.set(email, known);
    return known;
  };
  const authenticate = authenticator({ clock, codes, memberships, sessions, demands, user });

  const told = ({ id, email, code, expiresAt }: MagicCode) => ({
    object: 'magic_auth',
    id,
    user_id: user(email).id,
    email,
    code,
    expires_at: new Date(expiresAt).toISOString(),
    created_at: NOW,
    updated_at: NOW,
  });
  const magicAuth = ({ email }: Any): Response => {
    const code = String(randomInt(100_000, 1_000_000));
    for (const old of codes) if (old.email === email) old.expiresAt = Math.min(old.expiresAt, 0);
    const expiresAt = clock.now() + 600_000;
    const id = `magic_auth_${codes.length + 1}`;
    codes.push({ id, email, code, expiresAt, used: false, wrong: 0 });
    return json(told(codes.at(-1)!), 201);
  };
  const getMagicAuth = (id: string): Response => {
    const found = codes.find((code) => code.id === id);
    return found ? json(told(found)) : problem(404, 'entity_not_found');
  };

  const createOrganization = (body: Any): Response => {
    if (organizations.has(body.external_id)) {
      return problem(409, 'external_id_already_used', 'The external ID is taken.');
    }
    const domains = new Set((body.domain_data ?? []).map(({ domain }: Any) => domain));
    const others = [...organizations.values()].flatMap((other) => other.domains);
    if (others.some(({ domain }: Any) => domains.has(domain))) {
      const message = 'This domain is used by another organization.';
      return problem(409, 'organization_domain_already_used', message);
    }
    const organization = {
      object: 'organization',
      id: `org_${randomUUID().slice(0, 8)}`,
      name: body.name,
      external_id: body.external_id,
      allow_profiles_outside_organization: false,
      domains: (body.domain_data ?? []).map(({ domain, state }: Any) => ({
        object: 'organization_domain',
        id: `org_domain_${domain}`,
        organization_id: 'org',
        domain,
        state,
      })),
      metadata: {},
      created_at: NOW,
      updated_at: NOW,
    };
    organizations.set(body.external_id, organization);
    return json(organization, 201);
  };

  const wholeMembership = (membership: Membership, at: number) => ({
    object: 'organization_membership',
    id: `om_${at + 1}`,
    organization_id: membership.organizationId,
    organization_name: 'A',
    user_id: membership.userId,
    status: membership.status ?? 'active',
    role: { slug: 'member' },
    created_at: NOW,
    updated_at: NOW,
  });
  /** "Calling this API with an organization and user that match an inactive membership will activate" it. */
  const createMembership = (body: Any): Response => {
    const { organization_id: organizationId, user_id: userId } = body;
    const there = memberships.find(
      (one) => one.organizationId === organizationId && one.userId === userId,
    );
    if (there?.status === 'pending') {
      const message =
        'Pending organization memberships cannot be reactivated. The invite must be accepted instead.';
      return problem(400, 'cannot_reactivate_pending_organization_membership', message);
    }
    if (there && there.status !== 'inactive') {
      return problem(409, 'organization_membership_already_exists');
    }
    if (there) there.status = 'active';
    else memberships.push({ organizationId, userId, status: 'active' });
    return json(wholeMembership(there ?? memberships.at(-1)!, memberships.length - 1), 201);
  };
  /** Only active ones, unless `statuses` asks for others. */
  const listMemberships = (query: URLSearchParams): Response => {
    const statuses = query.getAll('statuses').flatMap((text) => text.split(','));
    const [organization, person] = [query.get('organization_id'), query.get('user_id')];
    if (!organization && !person) return problem(422, 'user_id_or_organization_id_required');
    return list(
      memberships
        .map(wholeMembership)
        .filter(
          (one) =>
            (statuses.length > 0 ? statuses : ['active']).includes(one.status) &&
            (!organization || one.organization_id === organization) &&
            (!person || one.user_id === person),
        ),
    );
  };

  const createKey = (organizationId: string, body: Any): Response => {
    const unknown = body.permissions?.find((slug: string) => !permissions.includes(slug));
    if (unknown) {
      return json({ message: 'Validation failed', errors: [{ code: 'invalid_permission' }] }, 422);
    }
    const key = {
      object: 'api_key',
      id: `api_key_${randomUUID().slice(0, 8)}`,
      owner: { type: 'organization', id: organizationId },
      name: body.name,
      obfuscated_value: 'sk_...1234',
      value: `sk_live_${randomUUID()}`,
      permissions: body.permissions ?? [],
      last_used_at: null,
      created_at: NOW,
      updated_at: NOW,
    };
    keys.push(key);
    return json(key, 201);
  };

  return {
    codes,
    organizations,
    memberships,
    keys,
    sessions,
    demands,
    user,
    magicAuth,
    getMagicAuth,
    authenticate,
    createOrganization,
    createMembership,
    listMemberships,
    listSessions: (userId) => list(sessions.filter(({ user_id: id }) => id === userId)),
    createKey,
    removeKey,
  };
}

const NOW = '2026-01-01T00:00:00.000Z';
