/** Registration: sends an email address, and exchanges the emailed code for a key. Contract 5. */
import type {
  AgentAuthCompleted,
  AgentAuthStarted,
  CaptionerScope,
} from '../../server/contract/registration.ts';
import { askJson } from './request.ts';

/**
 * Has a code emailed to an address.
 * @param scopes what the key will be able to do; everything if absent
 * @throws {ApiProblem} `invalid_email`, `rate_limited`
 */
export const startRegistration = (
  email: string,
  scopes?: readonly CaptionerScope[],
): Promise<AgentAuthStarted> =>
  askJson('/agent/auth', {
    method: 'POST',
    body: {
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
      ...(scopes && { requested_scopes: scopes }),
    },
  });

/**
 * Exchanges a code for a key.
 * @throws {ApiProblem} `invalid_otp`, `too_many_attempts`, `claim_expired`
 */
export const completeRegistration = (
  claimToken: string,
  otp: string,
): Promise<AgentAuthCompleted> =>
  askJson('/agent/auth/claim/complete', {
    method: 'POST',
    body: { claim_token: claimToken, otp },
  });
