/** Registration over HTTP, with errors in the order that clients expect. */
import { Elysia } from 'elysia';
import {
  AgentAuthCompleted,
  AgentAuthCompleteRequest,
  AgentAuthRequest,
  AgentAuthStarted,
  CODE_DELIVERY_METHOD,
  isScope,
  SCOPES,
  type CaptionerScope,
} from '../../contract/registration.ts';
import type { Claim, IdentityProvider } from '../../identity/provider.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import { type PublicAddress, headerText } from '../request.ts';
import { asProblem, remainingHeaders } from './guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { failing, headerRef, response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';

import * as examples from '../openapi/examples.ts';
import { closed, Type } from '../../contract/schema.ts';
import { wireAnswer, wireRead } from '../wire.ts';
import { noTokens } from '../documents/metadata.ts';
import { readerLanguage } from '../reader-language.ts';
import { isEmail } from '../../identity/email.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** The total size of registrations and claims being read, which is limited because anyone may send them. */
const MAX_BODIES_BYTES = 16 * 1024 * 1024;

interface RegistrationRouteServices {
  address: PublicAddress;
  identity: IdentityProvider;
  /** The client's address, for rate limits. */
  clientAddress(request: Request): string;
}

/** The registration routes. */
export function registrationRoutes({
  address,
  identity,
  clientAddress,
}: RegistrationRouteServices) {
  const json = {
    maxBytes: MAX_BODY_BYTES,
    budget: createBodyBudget(MAX_BODIES_BYTES),
    invalidCode: 'invalid_request',
  };
  return new Elysia()
    .use(jsonBodies)
    .post(
      '/agent/auth',
      async ({ request, body: { email, scopes }, set }) => {
        const started = await asProblem(() =>
          identity.start({
            email,
            scopes,
            clientAddress: clientAddress(request),
            userAgent: headerText(request.headers, 'user-agent'),
            language: readerLanguage(request),
          }),
        );
        Object.assign(set.headers, remainingHeaders(started.limit));
        const expires = new Date(started.expiresAt).toISOString();
        const baseUrl = address.of(request);
        return {
          registration_id: started.registrationId,
          registration_type: 'email-verification' as const,
          status: 'claim_required' as const,
          flow: 'user-claimed-email-required' as const,
          credential_type: 'api_key' as const,
          claim_token: started.claimToken,
          claim_token_expires: expires,
          claim_token_expires_at: expires,
          claim_url: `${baseUrl}/agent/auth/claim`,
          claim_complete_url: `${baseUrl}/agent/auth/claim/complete`,
          delivery: { method: CODE_DELIVERY_METHOD, email: maskEmail(email) },
          requested_scopes: scopes,
          post_claim_scopes: scopes,
        };
      },
      {
        json,
        body: wireRead(AgentAuthRequest, readRegistration),
        response: { 200: wireAnswer(AgentAuthStarted) },
        detail: detail({
          operationId: 'startRegistration',
          summary: 'Start a registration and email a one-time code',
          tags: ['Registration'],
          requestBody: bodyExample(examples.registration),
          responses: {
            200: {
              ...answer(
                'The code was sent; the claim token is shown only once.',
                examples.registrationStarted,
              ),
              headers: {
                RateLimit: headerRef('RateLimit'),
                'RateLimit-Policy': headerRef('RateLimitPolicy'),
              },
            },
            400: failing(
              '`unsupported_identity_type`, `unsupported_assertion_type`, `unsupported_credential_type`, `unsupported_scope`, `invalid_email`, or `invalid_request` if the body is not a JSON object.',
              'invalid_email',
              'assertion must be an email address.',
            ),
            429: response('TooManyRequests'),
            ...SHARED,
          },
        }),
      },
    )
    .post(
      '/agent/auth/claim',
      () => {
        throw new Problem(
          400,
          'claim_not_supported',
          'The code has already been emailed. Post it with the claim token to /agent/auth/claim/complete.',
        );
      },
      {
        parse: 'none',
        detail: detail({
          operationId: 'claimByUrl',
          summary: 'Not used by this flow: always 400',
          description: 'The registration itself emails the code.',
          tags: ['Registration'],
          responses: {
            400: failing(
              'Always.',
              'claim_not_supported',
              'The code has already been emailed. Post it to /agent/auth/claim/complete.',
            ),
          },
        }),
      },
    )
    .post(
      '/agent/auth/claim/complete',
      async ({ request, body }) => {
        const language = readerLanguage(request);
        const claimed = await asProblem(() => identity.complete({ ...body, language }));
        return {
          registration_id: claimed.registrationId,
          registration_type: 'email-verification' as const,
          status: 'claimed' as const,
          credential_type: 'api_key' as const,
          credential: claimed.key,
          credential_expires: null,
          api_key: claimed.key,
          token_type: 'Bearer' as const,
          scopes: claimed.scopes,
          organization_id: claimed.organizationId,
          workspace: { kind: claimed.workspace.kind, external_id: claimed.workspace.externalId },
          api_key_metadata: claimed.metadata,
        };
      },
      {
        json,
        body: wireRead(AgentAuthCompleteRequest, readClaim),
        response: { 200: wireAnswer(AgentAuthCompleted) },
        detail: detail({
          operationId: 'completeClaim',
          summary: 'Exchange claim token and code for the API key',
          tags: ['Registration'],
          requestBody: bodyExample(examples.claim),
          responses: {
            200: answer('The API key, returned exactly once.', examples.claimed),
            400: failing(
              '`invalid_claim_token` or `invalid_otp`: missing or malformed.',
              'invalid_otp',
              'Send the newest six-digit code as otp.',
            ),
            401: failing(
              '`invalid_claim_token` or `invalid_otp`: incorrect.',
              'invalid_otp',
              'The code is wrong.',
            ),
            403: failing(
              '`user_mismatch`: the verified user is not the one registered; `not_a_member`: the address has no access to the workspace.',
              'user_mismatch',
              'The verified user is not the one registered.',
            ),
            409: failing(
              '`claim_already_used`',
              'claim_already_used',
              'The claim token has already been used.',
            ),
            410: failing(
              '`claim_expired`: restart the registration.',
              'claim_expired',
              'The claim token has expired.',
            ),
            429: response('TooManyRequests'),
            ...SHARED,
          },
        }),
      },
    );
}

/** The possible refusals of any registration or claim. */
const SHARED = {
  502: response('IdentityProviderFailed'),
  503: response('Unavailable'),
};

/** The fields of a body, which must be an object. */
function fieldsOf(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw bad('invalid_request', 'The body must be a JSON object.');
}

/** Checks type, assertion type, credential, scopes and address, in this order. */
function readRegistration(given: unknown): { email: string; scopes: CaptionerScope[] } {
  const body = fieldsOf(given);
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

/** The requested scopes. Without a list, or with an empty one, a key gets every scope. */
function readScopes(value: unknown): CaptionerScope[] {
  if (value === undefined) return [...SCOPES];
  if (!Array.isArray(value)) throw bad('unsupported_scope', 'requested_scopes must be a list.');
  if (value.length === 0) return [...SCOPES];
  if (!value.every(isScope)) {
    throw bad('unsupported_scope', `A requested scope is not one of ${SCOPES.join(', ')}.`);
  }
  return SCOPES.filter((scope) => value.includes(scope));
}

/**
 * The claim in a body: its token, and the code as `otp` or `code`.
 * @throws {Problem} 400 with the code of the first error
 */
function readClaim(given: unknown): Claim {
  const body = fieldsOf(given);
  const claimToken = body['claim_token'];
  if (typeof claimToken !== 'string' || claimToken === '') {
    throw bad('invalid_claim_token', 'claim_token is missing.');
  }
  const code = body['otp'] ?? body['code'];
  if (typeof code !== 'string' || !/^\d{6}$/.test(code.trim())) {
    throw bad('invalid_otp', 'Send the newest six-digit code as otp.');
  }
  const organizationId = body['organization_id'];
  const isNamed = typeof organizationId === 'string' && organizationId !== '';
  return { claimToken, code: code.trim(), ...(isNamed && { organizationId }) };
}

const bad = (code: string, message: string): Problem => new Problem(400, code, message);

/** The error format of RFC 6749, 5.2, and RFC 7591, 3.2.2. */
const OAuthError = closed({
  error: Type.String(),
  error_description: Type.String(),
  error_uri: Type.String(),
});

/** The routes. They read no body, since none would change the response. */
export function oauthRoutes(address: PublicAddress) {
  const refuse = (request: Request, error: string): never => {
    const baseUrl = address.of(request);
    const description = noTokens(baseUrl);
    throw new Problem(400, error, description, {
      body: { error, error_description: description, error_uri: `${baseUrl}/auth.md` },
    });
  };
  return (
    new Elysia()
      // Never redirects to `redirect_uri`: no client is registered, so no address is trusted.
      .get('/oauth/authorize', ({ request }) => refuse(request, 'unsupported_response_type'), {
        response: { 400: wireAnswer(OAuthError) },
        detail: described('refuseAuthorization', 'unsupported_response_type'),
      })
      .post('/oauth/token', ({ request }) => refuse(request, 'unsupported_grant_type'), {
        parse: 'none',
        response: { 400: wireAnswer(OAuthError) },
        detail: described('refuseToken', 'unsupported_grant_type'),
      })
      .post('/oauth/register', ({ request }) => refuse(request, 'invalid_client_metadata'), {
        parse: 'none',
        response: { 400: wireAnswer(OAuthError) },
        detail: described('refuseClient', 'invalid_client_metadata'),
      })
  );
}

const described = (operationId: string, error: string) =>
  detail({
    operationId,
    summary: 'Always 400: the service issues no access tokens',
    description: 'For OAuth clients: the error says what to do instead.',
    tags: ['Registration'],
    responses: {
      400: answer('Always.', {
        error,
        error_description: noTokens('https://captions.example'),
        error_uri: 'https://captions.example/auth.md',
      }),
    },
  });

/** Masks an address: `ann@example.com` becomes `a***@example.com`. */
function maskEmail(email: string): string {
  const [first = ''] = email;
  return `${first}***${email.slice(email.lastIndexOf('@'))}`;
}
