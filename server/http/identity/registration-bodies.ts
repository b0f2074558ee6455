/** Reads the bodies of registrations and claims, reporting errors in the order that clients expect. Contract 7.1. */
import { isScope, SCOPES, type CaptionerScope } from '../../contract/scopes.ts';
import { isEmail } from '../../identity/email.ts';
import { Problem } from '../problems.ts';

/** The fields of a body, which must be an object. */
function fieldsOf(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw bad('invalid_request', 'The body must be a JSON object.');
}

/** Checks type, assertion type, credential, scopes and address, in this order. */
export function readRegistration(given: unknown): { email: string; scopes: CaptionerScope[] } {
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
export function readClaim(given: unknown): { claimToken: string; code: string } {
  const body = fieldsOf(given);
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
