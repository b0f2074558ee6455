/** The registration operations. Contract 4, 5 and 7.1. */
import * as examples from './examples.ts';
import { json, response } from './responses.ts';

const refused = (description: string, code: string, message: string) => ({
  description,
  content: json('ErrorResponse', { error: { code, message } }),
});

const shared = {
  413: response('BodyTooLarge'),
  415: response('NotJson'),
  502: response('IdentityProviderFailed'),
  503: response('Unavailable'),
  default: response('Problem'),
};

/** The registration operations, none of which needs a key. */
export const registrationPaths = {
  '/agent/auth': {
    post: {
      operationId: 'startRegistration',
      summary: 'Start a registration and mail a one-time code',
      tags: ['Registration'],
      security: [],
      requestBody: { required: true, content: json('AgentAuthRequest', examples.registration) },
      responses: {
        200: {
          description: 'The code was sent; the claim token is shown only once.',
          content: json('AgentAuthStarted', examples.registrationStarted),
        },
        400: refused(
          '`unsupported_identity_type`, `unsupported_assertion_type`, `unsupported_credential_type`, `unsupported_scope`, `invalid_email`, or `invalid_request` if the body is not a JSON object.',
          'invalid_email',
          'assertion must be an email address.',
        ),
        429: response('TooManyRequests'),
        ...shared,
      },
    },
  },
  '/agent/auth/claim': {
    post: {
      operationId: 'claimByUrl',
      summary: 'Not used by this flow: always 400',
      description: 'The registration itself mails the code.',
      tags: ['Registration'],
      security: [],
      responses: {
        400: refused(
          'Always.',
          'claim_not_supported',
          'The code has been mailed already. Post it to /agent/auth/claim/complete.',
        ),
        default: response('Problem'),
      },
    },
  },
  '/agent/auth/claim/complete': {
    post: {
      operationId: 'completeClaim',
      summary: 'Exchange claim token and code for the API key',
      tags: ['Registration'],
      security: [],
      requestBody: { required: true, content: json('AgentAuthCompleteRequest', examples.claim) },
      responses: {
        200: {
          description: 'The API key, returned exactly once.',
          content: json('AgentAuthCompleted', examples.claimed),
        },
        400: refused(
          '`invalid_claim_token` or `invalid_otp`: missing or malformed.',
          'invalid_otp',
          'Send the newest six-digit code as otp.',
        ),
        401: refused(
          '`invalid_claim_token` or `invalid_otp`: incorrect.',
          'invalid_otp',
          'The code is not right.',
        ),
        403: refused(
          '`user_mismatch`: the verified user is not the one registered.',
          'user_mismatch',
          'The verified user differs from the address registered.',
        ),
        409: refused(
          '`claim_already_used`',
          'claim_already_used',
          'This claim token was used already.',
        ),
        410: refused(
          '`claim_expired`: restart the registration.',
          'claim_expired',
          'The claim token has expired.',
        ),
        429: response('TooManyRequests'),
        ...shared,
      },
    },
  },
};
