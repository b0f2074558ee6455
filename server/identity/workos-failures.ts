/** Converts failures of WorkOS into errors for the client, without stack traces or texts from WorkOS. */
import { IdentityError } from './provider.ts';

/** A call as errors and logs name it; its path contains no secrets. */
export interface IdpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
}

/** A failed call to WorkOS. */
export class IdpFailure extends Error {
  override readonly name = 'IdpFailure';
  /** The HTTP status; 408 if the call timed out, 503 if there was no response. */
  readonly status: number;
  /** WorkOS's error code, or one of ours if it gave none. */
  readonly code: string;
  readonly request: IdpRequest;
  /** The whole seconds to wait, as requested by WorkOS. */
  readonly retryAfter: number | undefined;
  /** The user that it verified despite the failure, as with `organization_selection_required`. */
  readonly user: { id: string; email: string } | undefined;
  /** The token to complete an authentication that requires more. */
  readonly pendingToken: string | undefined;
  /** The action that the operator can take. */
  readonly remedy: string | undefined;

  constructor(request: IdpRequest, error: unknown, remedy?: string) {
    const details = readError(error);
    super(`${request.method} ${request.path}: ${details.status} ${details.code}`);
    this.status = details.status;
    this.code = details.code;
    this.retryAfter = details.retryAfter;
    this.user = details.user;
    this.pendingToken = details.pendingToken;
    this.request = request;
    this.remedy = remedy;
  }

  /** The details of the failure for errors and the log. */
  get details() {
    return { status: this.status, code: this.code, request: this.request };
  }

  /** Whether the outcome of the call is unknown: it may have succeeded at WorkOS. */
  get isOpen(): boolean {
    return this.status === 408 || this.status >= 500 || this.code === BAD_RESPONSE;
  }
}

/** The fields of the SDK's various errors. */
interface SdkError {
  status?: unknown;
  code?: unknown;
  error?: unknown;
  message?: unknown;
  retryAfter?: unknown;
  rawStatus?: unknown;
  rawData?: {
    code?: unknown;
    error?: unknown;
    user?: unknown;
    pending_authentication_token?: unknown;
  };
  cause?: unknown;
}

type ErrorDetails = Pick<IdpFailure, 'status' | 'code'> &
  Partial<Pick<IdpFailure, 'retryAfter' | 'user' | 'pendingToken'>>;

function readError(thrown: unknown): ErrorDetails {
  const error: SdkError = Object(thrown);
  const cause: SdkError = Object(error.cause);
  // For an unreadable response, the status says more than the parsing error.
  const unread = statusOf(error.rawStatus) ?? statusOf(cause.rawStatus);
  if (unread !== undefined) {
    return { status: unread, code: unread < 400 ? BAD_RESPONSE : nameOf(unread) };
  }
  const status = statusOf(error.status);
  if (status === undefined) {
    // The SDK wraps errors of fetch, so its own exceptions mean a faulty response.
    return thrown instanceof TypeError && error.cause === undefined
      ? { status: 200, code: BAD_RESPONSE }
      : { status: 503, code: UNREACHABLE };
  }
  const { rawData = {}, retryAfter } = error;
  const codes = [error.code, rawData.code, error.error, rawData.error, requirement(error.message)];
  return {
    status,
    code: status === 408 ? 'timeout' : (codes.map(plainCode).find(Boolean) ?? nameOf(status)),
    retryAfter:
      typeof retryAfter === 'number' && retryAfter >= 0 ? Math.ceil(retryAfter) : undefined,
    user: readUser(rawData.user),
    pendingToken: textOf(rawData.pending_authentication_token),
  };
}

const BAD_RESPONSE = 'bad_response';
const UNREACHABLE = 'unreachable';

const statusOf = (value: unknown): number | undefined =>
  Number.isInteger(value) ? (value as number) : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** An error code in our format; other text is not passed on. */
const plainCode = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(value)
    ? value.toLowerCase()
    : undefined;

/** The codes of a 422, which the SDK puts into its message, one per line. */
const requirement = (message: unknown): string | undefined =>
  /must be met:\n\t(?!undefined\n)([^\n]+)\n/.exec(String(message))?.[1];

const NAMES: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'unprocessable_entity',
  429: 'rate_limit_exceeded',
};

const nameOf = (status: number): string =>
  NAMES[status] ?? (status >= 500 ? 'server_error' : 'unexpected_answer');

function readUser(user: unknown): { id: string; email: string } | undefined {
  if (typeof user !== 'object' || user === null) return undefined;
  const { id, email } = user as { id?: unknown; email?: unknown };
  return typeof id === 'string' && typeof email === 'string' ? { id, email } : undefined;
}

/** Whether the same call may succeed later: after time-outs, rate limits, server errors and bad responses. */
const isTransient = ({ status, code }: IdpFailure): boolean =>
  status === 408 || status === 429 || status >= 500 || code === BAD_RESPONSE;

/** The error that a client gets for a failed call. */
export function refusalFor(failure: IdpFailure): IdentityError {
  const { details, code, retryAfter } = failure;
  return new IdentityError(isTransient(failure) ? 503 : 502, `idp_${code}`, messageFor(failure), {
    idp: details,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** The error for a failed call during a registration, where a rate limit of WorkOS is reported like one of our own. */
export function registrationRefusalFor(failure: IdpFailure): IdentityError {
  if (failure.status !== 429) return refusalFor(failure);
  const { details, retryAfter = 60 } = failure;
  return new IdentityError(
    429,
    'rate_limited',
    'Too many requests to the identity provider. Wait, then try again.',
    { idp: details, retryAfter: Math.max(1, retryAfter) },
  );
}

function messageFor({ status, code, request, remedy }: IdpFailure): string {
  if (remedy !== undefined) return remedy;
  if (code === BAD_RESPONSE) return 'The identity provider sent an invalid response. Try again.';
  if (code === UNREACHABLE) return 'The identity provider cannot be reached. Try again.';
  if (status === 408) return 'The identity provider did not respond in time. Try again.';
  if (status === 429) return 'The identity provider is overloaded. Try again later.';
  if (status >= 500) return 'The identity provider failed. Try again.';
  if (status === 401)
    return 'The identity provider refuses this service. Tell the operator of this service.';
  if (status === 422 && request.path.endsWith('/api_keys')) {
    return 'The identity provider lacks a permission for one of the scopes. Tell the operator of this service.';
  }
  return (
    ASKS_FOR_MORE.find(([pattern]) => pattern.test(code))?.[1] ??
    `The identity provider refused a request: ${code}.`
  );
}

/** Requirements of an authentication that an emailed code cannot satisfy. */
const ASKS_FOR_MORE: readonly [RegExp, string][] = [
  [
    /^sso_required$/,
    'The organisation of this address requires single sign-on, so an emailed code cannot get a key. Ask its administrator for one.',
  ],
  [
    /^mfa_/,
    'This person needs a second factor, so an emailed code cannot get a key. Ask the administrator of the organisation for one.',
  ],
];

/**
 * Calls WorkOS.
 * @param texts the text fields that the response must have
 * @throws {IdpFailure} for any error
 */
export async function call<T>(
  request: IdpRequest,
  work: () => Promise<T>,
  texts: readonly (keyof T)[] = [],
): Promise<T> {
  try {
    const answer = await work();
    const lacking = texts.find((name) => typeof answer[name] !== 'string');
    if (lacking !== undefined) throw new TypeError(`${String(lacking)} is missing`);
    return answer;
  } catch (error) {
    throw new IdpFailure(request, error);
  }
}
