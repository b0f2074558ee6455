/** An OpenID Connect provider that signs in whom a test names, and misbehaves as a test asks. */
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import type { Any } from '../servers/client.ts';

/** How a provider misbehaves. */
export interface Misbehaviour {
  /** Claims of the ID token that replace the right ones. */
  claims?: Record<string, unknown>;
  /** An ID token without a signature, or signed with a key that the provider does not publish. */
  signature?: 'none' | 'foreign' | 'confused';
  /** Another answer of an endpoint. */
  discovery?: () => Response;
  token?: () => Response;
}

const REALM = '/realms/a';

/** Starts the double. */
export async function openIdDouble() {
  const keyNamed = async (kid: string) => {
    const pair = await generateKeyPair('RS256');
    return {
      ...pair,
      jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' },
    };
  };
  let own = await keyNamed('k1');
  const foreign = await keyNamed('foreign');
  const codes = new Map<string, Any>();
  let wrong: Misbehaviour = {};
  const asked: string[] = [];
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  const issuer = `http://127.0.0.1:${server.port}${REALM}`;

  const signed = (claims: Record<string, unknown>, key = own.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: own.jwk.kid }).sign(key);

  async function idToken(claims: Record<string, unknown>): Promise<string> {
    if (wrong.signature === 'confused') {
      const secret = new TextEncoder().encode(await exportSPKI(own.publicKey));
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: own.jwk.kid })
        .sign(secret);
    }
    if (wrong.signature !== 'none') {
      return signed(claims, wrong.signature === 'foreign' ? foreign.privateKey : own.privateKey);
    }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'none' })}.${part(claims)}.`;
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname === `${REALM}/.well-known/openid-configuration`) {
      return (
        wrong.discovery?.() ??
        Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          end_session_endpoint: `${issuer}/end`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
        })
      );
    }
    if (pathname === `${REALM}/keys`) return Response.json({ keys: [own.jwk] });
    const form = new URLSearchParams(await request.text());
    const given = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (pathname !== `${REALM}/token` || !given || given.challenge !== challenge) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    }
    if (wrong.token) return wrong.token();
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: 'captioner', iat: now, exp: now + 300, nonce: given.nonce };
    return Response.json({
      access_token: 'at',
      token_type: 'Bearer',
      id_token: await idToken({ ...claims, ...given.person, ...wrong.claims }),
    });
  }

  return {
    issuer,
    /** The paths that were asked for. */
    asked,
    stop: () => server.stop(true),
    /** Signs with another key from now on. */
    async rotate(kid: string): Promise<void> {
      own = await keyNamed(kid);
    },
    misbehave: (how: Misbehaviour) => void (wrong = how),
    /** Signs a person in at an address of `authorize`; the query with which the person comes back. */
    authorize(address: string, person: Record<string, unknown>): URLSearchParams {
      const query = new URL(address).searchParams;
      const code = randomUUID();
      const [nonce, challenge] = [query.get('nonce'), query.get('code_challenge')];
      codes.set(code, { nonce, challenge, person });
      return new URLSearchParams({ code, state: query.get('state') ?? '', iss: issuer });
    },
    /** A logout token about a person. */
    logoutToken(claims: Record<string, unknown>): Promise<string> {
      const iat = Math.floor(Date.now() / 1000);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      return signed({ iss: issuer, aud: 'captioner', iat, jti: randomUUID(), events, ...claims });
    },
  };
}
