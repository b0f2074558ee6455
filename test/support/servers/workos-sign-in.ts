/**
 * Sign-in at the WorkOS double: with a code, for one of several organisations, with their
 * requirements. Written from workos.com/docs/reference/authkit/authentication (magic-auth,
 * organization-selection) and …/authentication-errors, as of 22 November 2026.
 */
import { randomUUID } from 'node:crypto';
import type { Any } from './client.ts';

/** The service's key and client id at WorkOS. */
export const WORKOS_KEY = 'sk_test_of_the_service';
export const WORKOS_CLIENT = 'client_01TEST';

/** A mailed code. */
export interface MagicCode {
  id: string;
  email: string;
  code: string;
  expiresAt: number;
  used: boolean;
  wrong: number;
}

/** A user's membership of an organisation. */
export interface Membership {
  organizationId: string;
  userId: string;
  /** Default: active. */
  status?: 'active' | 'inactive' | 'pending';
}

/** A requirement of an organisation in addition to the code. */
export type Demand = 'sso_required' | 'mfa_enrollment' | 'mfa_challenge';

/** A user at WorkOS. */
export interface WorkosUser {
  id: string;
  email: string;
}

/** A response from WorkOS. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

/** An error response from WorkOS. */
export const problem = (status: number, code: string, message = code): Response =>
  json({ code, message }, status);

/** A list response from WorkOS, always a single page. */
export const list = (data: unknown[]): Response =>
  json({ object: 'list', data, list_metadata: { before: null, after: null } });

/** The records that sign-in needs. */
interface SignInRecords {
  clock: { now(): number };
  codes: MagicCode[];
  memberships: Membership[];
  sessions: Any[];
  demands: Map<string, Demand>;
  user(email: string): WorkosUser;
}

/** Creates the handler of `POST /user_management/authenticate`. */
export function authenticator({
  clock,
  codes,
  memberships,
  sessions,
  demands,
  user,
}: SignInRecords): (body: Any) => Response {
  /** The users of unfinished authentications, by token. */
  const pending = new Map<string, WorkosUser>();

  const authenticate = (body: Any): Response => {
    if (body.client_id !== WORKOS_CLIENT || body.client_secret !== WORKOS_KEY) {
      return json({ error: 'invalid_client', error_description: 'Invalid client ID.' }, 400);
    }
    switch (body.grant_type) {
      case 'urn:workos:oauth:grant-type:magic-auth:code':
        return authenticateByCode(body);
      case 'urn:workos:oauth:grant-type:organization-selection':
        return selectOrganization(body);
      default:
        return json({ error: 'unsupported_grant_type', error_description: 'Unknown.' }, 400);
    }
  };
  const authenticateByCode = (body: Any): Response => {
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
    const who = user(body.email);
    const active = memberships.filter(
      ({ userId, status = 'active' }) => userId === who.id && status === 'active',
    );
    if (active.length < 2) return finish(who, active[0]?.organizationId ?? null);
    return json(
      {
        code: 'organization_selection_required',
        message: 'The user must choose an organization to finish their authentication.',
        pending_authentication_token: pend(who),
        user: wholeUser(who),
        organizations: active.map(({ organizationId }) => ({ id: organizationId, name: 'A' })),
      },
      403,
    );
  };
  const pend = (who: WorkosUser): string => {
    const token = randomUUID();
    pending.set(token, who);
    return token;
  };
  const selectOrganization = (body: Any): Response => {
    const who = pending.get(body.pending_authentication_token);
    if (!who) return problem(400, 'invalid_pending_authentication_token');
    const isMember = memberships.some(
      ({ organizationId, userId, status = 'active' }) =>
        organizationId === body.organization_id && userId === who.id && status === 'active',
    );
    if (!isMember) return problem(403, 'organization_selection_invalid');
    pending.delete(body.pending_authentication_token);
    return finish(who, body.organization_id);
  };
  /** Completes an authentication, unless the organisation requires more. */
  const finish = (who: WorkosUser, organizationId: string | null): Response => {
    const demand = demands.get(organizationId ?? '');
    if (demand === 'sso_required') {
      return json(
        {
          error: demand,
          error_description: 'User must authenticate using one of the matching connections.',
          email: who.email,
          connection_ids: ['conn_1'],
          pending_authentication_token: pend(who),
        },
        403,
      );
    }
    if (demand) {
      const message = 'The user must give a second factor to finish authenticating.';
      const body = { code: demand, message, pending_authentication_token: pend(who) };
      return json({ ...body, user: wholeUser(who) }, 403);
    }
    sessions.push({
      object: 'session',
      id: `session_${sessions.length + 1}`,
      user_id: who.id,
      ip_address: null,
      user_agent: null,
      ...(organizationId === null ? {} : { organization_id: organizationId }),
      auth_method: 'magic_code',
      status: 'active',
      expires_at: new Date(clock.now() + 86_400_000).toISOString(),
      ended_at: null,
      created_at: new Date(clock.now()).toISOString(),
      updated_at: NOW,
    });
    return json({
      user: wholeUser(who),
      organization_id: organizationId,
      access_token: 'at',
      refresh_token: 'rt',
      authentication_method: 'MagicAuth',
    });
  };

  return authenticate;
}

const wholeUser = ({ id, email }: WorkosUser) => ({
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

const NOW = '2026-01-01T00:00:00.000Z';
