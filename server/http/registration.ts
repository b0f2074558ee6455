/** Registration over HTTP: the errors in the order a client expects, the answers as the contract shapes them. */
import { Elysia } from 'elysia';
import {
  CODE_DELIVERY_METHOD,
  type AgentAuthCompleted,
  type AgentAuthStarted,
} from '../contract/registration.ts';
import { isScope, SCOPES, type CaptionerScope } from '../contract/scopes.ts';
import { isEmail, maskEmail } from '../identity/email.ts';
import type { IdentityProvider } from '../identity/provider.ts';
import { createBodyBudget } from './body-budget.ts';
import { asProblem } from './identity-problem.ts';
import { readJson } from './json-body.ts';
import { Problem } from './problems.ts';
import type { PublicAddress } from './public-address.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** Registrations and claims that are being read, all together: anyone may send them. */
const MAX_BODIES_BYTES = 16 * 1024 * 1024;

export interface RegistrationRouteServices {
  address: PublicAddress;
  identity: IdentityProvider;
  /** The client's address, for limits. */
  clientAddress(request: Request): string;
}

/** The routes of registration. */
export function registrationRoutes({
  address,
  identity,
  clientAddress,
}: RegistrationRouteServices) {
  const bodies = createBodyBudget(MAX_BODIES_BYTES);
  const readObject = async (request: Request): Promise<Record<string, unknown>> => {
    const share = bodies.open();
    const options = { maxBytes: MAX_BODY_BYTES, faultCode: 'invalid_request', share };
    const body = await readJson(request, options).finally(share.release);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
    throw new Problem(400, 'invalid_request', 'The body must be a JSON object.');
  };
  return new Elysia()
    .post(
      '/agent/auth',
      async ({ request }) => {
        const { email, scopes } = readRegistration(await readObject(request));
        const started = await asProblem(() =>
          identity.start({
            email,
            scopes,
            clientAddress: clientAddress(request),
            userAgent: request.headers.get('user-agent') ?? '',
          }),
        );
        const expires = new Date(started.expiresAt).toISOString();
        const baseUrl = address.of(request);
        const answer: AgentAuthStarted = {
          registration_id: started.registrationId,
          registration_type: 'email-verification',
          status: 'claim_required',
          flow: 'user-claimed-email-required',
          credential_type: 'api_key',
          claim_token: started.claimToken,
          claim_token_expires: expires,
          claim_token_expires_at: expires,
          claim_url: `${baseUrl}/agent/auth/claim`,
          claim_complete_url: `${baseUrl}/agent/auth/claim/complete`,
          delivery: { method: CODE_DELIVERY_METHOD, email: maskEmail(email) },
          requested_scopes: scopes,
          post_claim_scopes: scopes,
        };
        return Response.json(answer);
      },
      { parse: 'none' },
    )
    .post(
      '/agent/auth/claim',
      () => {
        throw new Problem(
          400,
          'claim_not_supported',
          'The code has been mailed already. Post it with the claim token to /agent/auth/claim/complete.',
        );
      },
      { parse: 'none' },
    )
    .post(
      '/agent/auth/claim/complete',
      async ({ request }) => {
        const claim = readClaim(await readObject(request));
        const claimed = await asProblem(() => identity.complete(claim));
        const answer: AgentAuthCompleted = {
          registration_id: claimed.registrationId,
          registration_type: 'email-verification',
          status: 'claimed',
          credential_type: 'api_key',
          credential: claimed.key,
          credential_expires: null,
          api_key: claimed.key,
          token_type: 'Bearer',
          scopes: claimed.scopes,
          organization_id: claimed.organizationId,
          workspace: { kind: claimed.workspace.kind, external_id: claimed.workspace.externalId },
          api_key_metadata: claimed.metadata,
        };
        return Response.json(answer);
      },
      { parse: 'none' },
    );
}

/** Type, assertion type, credential, scopes, address: in this order, each with its own code. */
function readRegistration(body: Record<string, unknown>): {
  email: string;
  scopes: CaptionerScope[];
} {
  if (body['type'] !== 'identity_assertion') {
    throw bad('unsupported_identity_type', 'type must be "identity_assertion".');
  }
  if (body['assertion_type'] !== 'verified_email') {
    throw bad('unsupported_assertion_type', 'assertion_type must be "verified_email".');
  }
  if (body['requested_credential_type'] !== 'api_key') {
    throw bad('unsupported_credential_type', 'requested_credential_type must be "api_key".');
  }
  const scopes = readScopes(body['requested_scopes']);
  const email = body['assertion'];
  if (typeof email !== 'string' || !isEmail(email)) {
    throw bad('invalid_email', 'assertion must be an email address.');
  }
  return { email, scopes };
}

/** Without a list, or with an empty one, a key gets every scope. */
function readScopes(value: unknown): CaptionerScope[] {
  if (value === undefined || value === null) return [...SCOPES];
  if (!Array.isArray(value)) throw bad('unsupported_scope', 'requested_scopes must be a list.');
  if (value.length === 0) return [...SCOPES];
  if (!value.every(isScope)) {
    throw bad('unsupported_scope', `A requested scope is not one of ${SCOPES.join(', ')}.`);
  }
  return SCOPES.filter((scope) => value.includes(scope));
}

function readClaim(body: Record<string, unknown>): { claimToken: string; code: string } {
  const claimToken = body['claim_token'];
  if (typeof claimToken !== 'string' || claimToken === '') {
    throw bad('invalid_claim_token', 'claim_token is missing.');
  }
  const code = body['otp'] ?? body['code'];
  if (typeof code !== 'string' || !/^\d{6}$/.test(code.trim())) {
    throw bad('invalid_otp', 'Send the newest six-digit code as otp.');
  }
  return { claimToken, code: code.trim() };
}

const bad = (code: string, message: string): Problem => new Problem(400, code, message);
