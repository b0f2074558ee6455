/** The errors of calls to external services, derived from their responses. */
import { type CallErrorCode } from '../contract/failure.ts';

interface CallErrorDetails extends ErrorOptions {
  status?: number;
  /** The service's own error code, a single word. */
  detail?: string | undefined;
  /** The wait that the service requests. */
  retryAfterMs?: number | undefined;
  /** The service's whole response. */
  answer?: string;
}

/** Interprets refusals that a provider expresses in its own way, if status and code are not enough. */
export type ReadRefusal = (status: number, answer: string) => CallErrorCode | undefined;

/** The error of one attempt. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: CallErrorCode;
  readonly status: number | undefined;
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly answer: string | undefined;

  constructor(code: CallErrorCode, details: CallErrorDetails = {}) {
    super(code, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.detail = details.detail;
    this.retryAfterMs = details.retryAfterMs;
    this.answer = details.answer;
  }

  /** Whether the account has no credit left, which only its owner can change. */
  get isOutOfCredit(): boolean {
    return (
      this.code === 'provider_unauthorized' &&
      ([402, 429, 456].includes(this.status ?? 0) || NO_CREDIT.has(this.detail))
    );
  }

  /** Whether the service read the request and refused it, so that retrying does not help. */
  get isRefusal(): boolean {
    return this.code === 'provider_bad_response' && this.status !== undefined;
  }
}

/** The error for a response with a status other than 2xx. */
export function callErrorOf(
  status: number,
  answer: string,
  {
    waitMs,
    readRefusal,
  }: { waitMs?: number | undefined; readRefusal?: ReadRefusal | undefined } = {},
): CallError {
  const detail = serviceCode(answer);
  return new CallError(readRefusal?.(status, answer) ?? codeOf(status, detail), {
    status,
    answer,
    detail,
    retryAfterMs: waitMs,
  });
}

/** The error codes of services for accounts without credit; OpenAI sends them with 429. */
const NO_CREDIT: ReadonlySet<string | undefined> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);

function codeOf(status: number, detail = ''): CallErrorCode {
  if (NO_CREDIT.has(detail)) return 'provider_unauthorized';
  if (status === 401 || status === 402 || status === 403) return 'provider_unauthorized';
  if (status === 429) return 'provider_rate_limited';
  if (status === 408 || status === 504) return 'provider_timeout';
  if (status >= 500) return 'provider_unavailable';
  if (/model_?(?:not_?found|decommissioned|unavailable)/i.test(detail)) return 'model_unavailable';
  // Ollama, whose other addresses are all known to be there.
  if (status === 404 && detail === 'not_found_error') return 'model_unavailable';
  return 'provider_bad_response';
}

/**
 * The `error.code` or `error.type` of a response. Only a single word is accepted, because messages may repeat keys and
 * request data.
 */
function serviceCode(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = field(value, 'error');
  return [field(error, 'code'), field(error, 'type'), field(value, 'code')].find(
    (word): word is string => typeof word === 'string' && /^[A-Za-z_]{1,64}$/.test(word),
  );
}

/** A field of an answer; undefined if the answer is no object. */
export const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/**
 * The pause that a service requests, from Retry-After (RFC 9110, seconds or a date) or the finer `retry-after-ms` of
 * some services.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const fine = headers.get('retry-after-ms')?.match(/^\d+(?:\.\d+)?$/);
  if (fine) return Number(fine[0]);
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  // Date.parse accepts almost anything as a date, but in this header a date begins with the day's name.
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
