/** Errors in the form that clients of OpenAI's API expect: `{"error": {message, type, param, code}}`. */
import { Problem } from '../problems.ts';

/** Whether the errors of a path have this form. */
export const isOpenAiPath = (path: string): boolean =>
  path.startsWith('/v1/') || path === '/asr' || path === '/detect-language';

/** The field that an error is about, as OpenAI names it; null if it is about none. */
type Param = string | null;

/** OpenAI's type for an error, by its status. */
const typeOf = (status: number, code: string): string => {
  if (code === 'quota_exceeded') return 'insufficient_quota';
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** OpenAI's codes for errors that this service names otherwise. */
const CODES: Record<string, string | null> = {
  invalid_credential: 'invalid_api_key',
  missing_credential: null,
  quota_exceeded: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  not_found: null,
  method_not_allowed: 'method_not_supported',
};

/**
 * An error of OpenAI's API.
 * @param param the field that it is about
 * @example
 * refusal(400, 'invalid_value', "Invalid value: 'xml'.", 'response_format').body();
 * // => { error: { message: "Invalid value: 'xml'.", type: 'invalid_request_error', param: 'response_format', code: 'invalid_value' } }
 */
export function refusal(
  status: number,
  code: string | null,
  message: string,
  param: Param = null,
  headers: Record<string, string> = {},
): Problem {
  const error = { message, type: typeOf(status, code ?? ''), param, code };
  return new Problem(status, code ?? 'invalid_request', message, { headers, body: { error } });
}

/** The same problem in OpenAI's form. */
export function asOpenAiProblem(problem: Problem): Problem {
  const { status, code, message, options } = problem;
  const { error } = problem.body() as { error?: { type?: unknown } };
  if (error && 'type' in error) return problem;
  const type = typeOf(status, code);
  const body = { error: { message, type, param: null, code: code in CODES ? CODES[code] : code } };
  return new Problem(status, code, message, { ...options, body });
}
