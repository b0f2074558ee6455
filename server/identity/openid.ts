/**
 * The exchange with an OpenID Connect provider, by the certified openid-client: discovery, the code flow with PKCE, state
 * and nonce, and what the provider says when somebody signs out or is disabled there.
 */
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { SingleSignOnSettings } from '../remote/single-sign-on-settings.ts';
import { isEmail, normalizeEmail } from './email.ts';
import { IdentityError } from './provider.ts';

/** What has to come back with somebody whom the provider has signed in. */
export interface Expected {
  state: string;
  nonce: string;
  verifier: string;
}

/** A person as the provider knows it. */
export interface ProviderPerson {
  /** The provider's own name of the person, which never changes. */
  subject: string;
  /** Verified and normalised. */
  email: string;
  groups: string[];
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 2 ** 20;
/** For how long a provider's description is used, and its failure remembered. */
const KNOWN_MS = 3_600_000;
const FAILED_MS = 15_000;
/** The largest difference between the provider's clock and this one, in seconds. */
const CLOCK_SECONDS = 30;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Creates the client. @param now the clock, in epoch milliseconds */
export function createOpenIdClient(
  settings: SingleSignOnSettings,
  redirectUri: string,
  now: () => number = Date.now,
) {
  let known: { at: number; config: Promise<client.Configuration> } | null = null;
  let failedAt = -Infinity;

  const discover = async (): Promise<client.Configuration> => {
    const { issuer, clientId, clientSecret } = settings;
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      clientSecret ?? undefined,
      clientSecret === null ? client.None() : undefined,
      {
        timeout: TIMEOUT_MS / 1000,
        [client.customFetch]: boundedFetch,
        // The settings allow plain HTTP for this machine alone.
        ...(issuer.startsWith('http:') && { execute: [client.allowInsecureRequests] }),
      },
    );
    // The signature counts, not only the connection that the token came by.
    client.enableNonRepudiationChecks(config);
    return config;
  };

  /** @throws {IdentityError} the provider does not answer, or not as one */
  const configured = async (): Promise<client.Configuration> => {
    if (now() - failedAt < FAILED_MS) throw noAnswer();
    if (!known || now() - known.at >= KNOWN_MS) known = { at: now(), config: discover() };
    const { config } = known;
    try {
      return await config;
    } catch (error) {
      if (known?.config === config) known = null;
      failedAt = now();
      throw noAnswer(error);
    }
  };

  return {
    /** Where to send somebody who wants to sign in, and what has to come back. */
    async begin(): Promise<{ url: string; expected: Expected }> {
      const config = await configured();
      const verifier = client.randomPKCECodeVerifier();
      const expected = { state: client.randomState(), nonce: client.randomNonce(), verifier };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state: expected.state,
        nonce: expected.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, expected };
    },
    /**
     * Who came back.
     * @param query the parameters with which the provider sent the person back
     * @throws {IdentityError} `sign_in_failed`, `email_not_verified`, `idp_unavailable`
     */
    async finish(query: string, expected: Expected): Promise<ProviderPerson> {
      const config = await configured();
      const back = new URL(redirectUri);
      back.search = query;
      const tokens = await client
        .authorizationCodeGrant(config, back, {
          expectedState: expected.state,
          expectedNonce: expected.nonce,
          pkceCodeVerifier: expected.verifier,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw signInFailed(error);
        });
      const claims = tokens.claims();
      if (!claims) throw signInFailed();
      const asked = settings.emailClaim ?? 'email';
      const isComplete = claims[asked] !== undefined && hasGroups(claims, settings);
      // Some providers say only there what they were asked for.
      const more = isComplete
        ? {}
        : await client
            .fetchUserInfo(config, tokens.access_token, claims.sub)
            .catch((): Record<string, unknown> => ({}));
      return personOf({ ...more, ...claims }, settings);
    },
    /** Where to send somebody who signs out; null if the provider has no such place. */
    async end(email: string | null, returnTo: string): Promise<string | null> {
      const config = await configured();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const url = client.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnTo,
        ...(email !== null && { logout_hint: email }),
      });
      return url.href;
    },
    /**
     * Whom a logout token is about (OpenID Connect Back-Channel Logout 1.0).
     * @throws {IdentityError} `invalid_logout_token`, `idp_unavailable`
     */
    async loggedOut(token: string): Promise<string> {
      const config = await configured();
      const { issuer, jwks_uri: address = '' } = config.serverMetadata();
      const answer = await boundedFetch(address, { method: 'GET' }).catch((error: unknown) => {
        throw noAnswer(error);
      });
      const keys = (await answer.json().catch(() => ({ keys: [] }))) as { keys: [] };
      const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
        issuer,
        audience: settings.clientId,
        algorithms: ASYMMETRIC,
        requiredClaims: ['iat', 'jti', 'events', 'sub'],
        maxTokenAge: '10m',
        clockTolerance: CLOCK_SECONDS,
        currentDate: new Date(now()),
      }).catch((): never => {
        throw invalidLogout();
      });
      const events = payload['events'];
      const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
      if (!isLogout || payload['nonce'] !== undefined || payload.sub === undefined) {
        throw invalidLogout();
      }
      return payload.sub;
    },
  };
}

const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const hasGroups = (claims: object, { groupsClaim, groups }: SingleSignOnSettings): boolean =>
  groupsClaim in claims || Object.values(groups).every((each) => each.length === 0);

/** The person in claims. @throws {IdentityError} `email_not_verified` */
function personOf(claims: Record<string, unknown>, settings: SingleSignOnSettings): ProviderPerson {
  const { emailClaim, groupsClaim } = settings;
  const email = claims[emailClaim ?? 'email'];
  // A claim that the operator names counts as it is.
  const isVerified =
    emailClaim !== null || [true, 'true'].includes(claims['email_verified'] as string);
  if (typeof email !== 'string' || !isEmail(email) || !isVerified) {
    throw new IdentityError(
      403,
      'email_not_verified',
      'The provider names no verified email address of this account.',
    );
  }
  const given = claims[groupsClaim];
  const groups = Array.isArray(given) ? given : typeof given === 'string' ? [given] : [];
  return {
    subject: String(claims['sub']),
    email: normalizeEmail(email),
    // A person may be in thousands of groups; only those that give a role matter.
    groups: Object.values(settings.groups)
      .flat()
      .filter((group) => groups.includes(group)),
  };
}

/** Fetches what cannot be endless, and nothing from where a redirect leads. */
async function boundedFetch(
  url: string,
  init: Omit<RequestInit, 'body' | 'signal'> & { body?: unknown; signal?: AbortSignal | undefined },
): Promise<Response> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
  const response = await fetch(url, { ...init, signal, redirect: 'manual' } as RequestInit);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer of the identity provider is too long');
    parts.push(part);
  }
  const hasBody = ![101, 204, 205, 304].includes(response.status);
  const { status, headers } = response;
  return new Response(hasBody ? Buffer.concat(parts) : null, { status, headers });
}

const noAnswer = (cause?: unknown): IdentityError =>
  Object.assign(
    new IdentityError(503, 'idp_unavailable', 'The identity provider does not answer. Try again.', {
      retryAfter: FAILED_MS / 1000,
    }),
    { cause },
  );

const signInFailed = (cause?: unknown): IdentityError =>
  Object.assign(
    new IdentityError(401, 'sign_in_failed', 'The sign-in at the provider failed. Try again.'),
    { cause },
  );

const invalidLogout = (): IdentityError =>
  new IdentityError(400, 'invalid_logout_token', 'This is not a logout token of the provider.');
