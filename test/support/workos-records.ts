/** Users, one-time codes, organisations and keys of WorkOS, as its documentation has them. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Any } from './client.ts';

/** The key and the client of the service at WorkOS. */
export const WORKOS_KEY = 'sk_test_of_the_service';
export const WORKOS_CLIENT = 'client_01TEST';

interface MagicCode {
  email: string;
  code: string;
  expiresAt: number;
  used: boolean;
  wrong: number;
}

/** What WorkOS knows, and how it answers those who ask it to make or change something. */
export interface WorkosRecords {
  codes: MagicCode[];
  /** By external id. */
  organizations: Map<string, Any>;
  memberships: { organizationId: string; userId: string }[];
  keys: Any[];
  /** The user of an address. */
  user(email: string): { id: string; email: string };
  magicAuth(body: Any): Response;
  authenticate(body: Any): Response;
  createOrganization(body: Any): Response;
  createMembership(body: Any): Response;
  createKey(organizationId: string, body: Any): Response;
  /** Removes the first key that matches; whether there was one. */
  removeKey(matches: (key: Any) => boolean): boolean;
}

/** An answer of WorkOS. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

/** A refusal of WorkOS. */
export const problem = (status: number, code: string, message = code): Response =>
  json({ code, message }, status);

/** The records of a WorkOS that knows nobody, and that has these permissions. */
export function workosRecords(clock: { now(): number }, permissions: string[]): WorkosRecords {
  const users = new Map<string, { id: string; email: string }>();
  const codes: MagicCode[] = [];
  const organizations = new Map<string, Any>();
  const memberships: WorkosRecords['memberships'] = [];
  const keys: Any[] = [];

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
  const wholeUser = ({ id, email }: { id: string; email: string }) => ({
    object: 'user',
    id,
    email,
    email_verified: true,
    first_name: null,
    last_name: null,
    profile_picture_url: null,
    created_at: NOW,
    updated_at: NOW,
  });

  const magicAuth = ({ email }: Any): Response => {
    const code = String(randomInt(100_000, 1_000_000));
    for (const old of codes) if (old.email === email) old.expiresAt = Math.min(old.expiresAt, 0);
    const expiresAt = clock.now() + 600_000;
    codes.push({ email, code, expiresAt, used: false, wrong: 0 });
    return json(
      {
        object: 'magic_auth',
        id: `magic_auth_${codes.length}`,
        user_id: user(email).id,
        email,
        code,
        expires_at: new Date(expiresAt).toISOString(),
        created_at: NOW,
        updated_at: NOW,
      },
      201,
    );
  };

  const authenticate = (body: Any): Response => {
    if (body.client_id !== WORKOS_CLIENT || body.client_secret !== WORKOS_KEY) {
      return json({ error: 'invalid_client', error_description: 'Invalid client ID.' }, 400);
    }
    const mailed = codes.filter(({ email }) => email === body.email);
    const newest = mailed.at(-1);
    const match = mailed.find(({ code }) => code === body.code);
    if (!newest || newest.wrong >= 10) return problem(400, 'one_time_code_too_many_attempts');
    if (!match || (match !== newest && !match.used)) {
      newest.wrong += 1;
      return problem(400, 'invalid_one_time_code', `Invalid one-time code: ${body.code}`);
    }
    if (match.used) return problem(400, 'one_time_code_previously_used');
    if (match.expiresAt <= clock.now()) return problem(400, 'one_time_code_expired');
    match.used = true;
    const who = wholeUser(user(body.email));
    if (memberships.filter(({ userId }) => userId === who.id).length > 1) {
      return json(
        {
          code: 'organization_selection_required',
          message: 'The user must choose an organization to finish their authentication.',
          pending_authentication_token: 'pending',
          user: who,
          organizations: [],
        },
        403,
      );
    }
    return json({ user: who, access_token: 'at', refresh_token: 'rt', organization_id: null });
  };

  const createOrganization = (body: Any): Response => {
    if (organizations.has(body.external_id)) {
      return problem(409, 'external_id_already_used', 'The external ID is taken.');
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

  const createMembership = (body: Any): Response => {
    const membership = { organizationId: body.organization_id, userId: body.user_id };
    const there = memberships.some(
      ({ organizationId, userId }) =>
        organizationId === membership.organizationId && userId === membership.userId,
    );
    if (there) return problem(409, 'organization_membership_already_exists');
    memberships.push(membership);
    return json(
      { object: 'organization_membership', id: `om_${memberships.length}`, ...body },
      201,
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
    user,
    magicAuth,
    authenticate,
    createOrganization,
    createMembership,
    createKey,
    removeKey,
  };
}

const NOW = '2026-01-01T00:00:00.000Z';
