/** OAuth's endpoints, for clients that look for tokens: each says in OAuth's terms that there are none. */
import { Elysia } from 'elysia';
import { closed, Type } from '../../contract/schema.ts';
import { noTokens } from '../documents/metadata.ts';
import { answer, detail } from '../openapi/detail.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../public-address.ts';
import { wireAnswer } from '../wire.ts';

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
