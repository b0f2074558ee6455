/** What went wrong at WorkOS, and what a client is told of it: never a stack, never its words. */
import type { Log } from '../log.ts';
import { IdentityError } from './provider.ts';

/** A call, as errors and logs name it: nothing secret is in its path. */
export interface IdpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
}

/** A call to WorkOS that did not succeed. */
export class IdpFailure extends Error {
  override readonly name = 'IdpFailure';
  /** Its HTTP status; 408 where it took too long, 503 where there was no answer. */
  readonly status: number;
  /** Its own code, or ours where it gave none. */
  readonly code: string;
  readonly request: IdpRequest;
  /** Whole seconds it asks to wait. */
  readonly retryAfter: number | undefined;
  /** The user it had verified all the same, as with `organization_selection_required`. */
  readonly user: { id: string; email: string } | undefined;
  /** What finishes an authentication that asks for more. */
  readonly pendingToken: string | undefined;
  /** What the operator can do about it. */
  readonly remedy: string | undefined;

  constructor(request: IdpRequest, error: unknown, remedy?: string) {
    const told = readError(error);
    super(`${request.method} ${request.path}: ${told.status} ${told.code}`);
    this.status = told.status;
    this.code = told.code;
    this.retryAfter = told.retryAfter;
    this.user = told.user;
    this.pendingToken = told.pendingToken;
    this.request = request;
    this.remedy = remedy;
  }

  /** What errors and the log tell of it. */
  get told() {
    return { status: this.status, code: this.code, request: this.request };
  }

  /** Whether it is unknown what the call did: it may have succeeded there. */
  get isOpen(): boolean {
    return this.status === 408 || this.status >= 500 || this.code === BAD_RESPONSE;
  }
}

/** The members that the errors of the SDK have between them. */
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

type Told = Pick<IdpFailure, 'status' | 'code' | 'retryAfter' | 'user' | 'pendingToken'>;

function readError(thrown: unknown): Told {
  const error = (thrown ?? {}) as SdkError;
  const cause = (error.cause ?? {}) as SdkError;
  const bare = { retryAfter: undefined, user: undefined, pendingToken: undefined };
  // An answer that could not be read: its status says more than how it could not be read.
  const unread = statusOf(error.rawStatus) ?? statusOf(cause.rawStatus);
  if (unread !== undefined) {
    return { ...bare, status: unread, code: unread < 400 ? BAD_RESPONSE : nameOf(unread) };
  }
  const status = statusOf(error.status);
  if (status === undefined) {
    // The SDK wraps what fetch throws; what it stumbles over itself is a fault of the answer.
    return thrown instanceof TypeError && error.cause === undefined
      ? { ...bare, status: 200, code: BAD_RESPONSE }
      : { ...bare, status: 503, code: UNREACHABLE };
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
  typeof value === 'number' && Number.isInteger(value) ? value : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A code as we would write one; anything else is text that we do not pass on. */
const plainCode = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(value)
    ? value.toLowerCase()
    : undefined;

/** The SDK puts the codes of a 422 into its message, one a line. */
const requirement = (message: unknown): string | undefined =>
  typeof message === 'string'
    ? /must be met:\n\t(?!undefined\n)([^\n]+)\n/.exec(message)?.[1]
    : undefined;

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

/** Whether the same call may succeed later: too late, too often, a fault or a bad answer on their side. */
const isTransient = ({ status, code }: IdpFailure): boolean =>
  status === 408 || status === 429 || status >= 500 || code === BAD_RESPONSE;

/** The refusal that a client gets for a call that failed. */
export function refusalFor(failure: IdpFailure): IdentityError {
  const { told, code, retryAfter } = failure;
  return new IdentityError(isTransient(failure) ? 503 : 502, `idp_${code}`, messageFor(failure), {
    idp: told,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** The same within a registration, where a limit of theirs is one like our own. */
export function registrationRefusalFor(failure: IdpFailure): IdentityError {
  if (failure.status !== 429) return refusalFor(failure);
  const { told, retryAfter = 60 } = failure;
  return new IdentityError(
    429,
    'rate_limited',
    'Too many requests to the identity provider. Wait, then try again.',
    { idp: told, retryAfter: Math.max(1, retryAfter) },
  );
}

function messageFor({ status, code, request, remedy }: IdpFailure): string {
  if (remedy !== undefined) return remedy;
  if (code === BAD_RESPONSE) return 'The identity provider gave a bad answer. Try again.';
  if (code === UNREACHABLE) return 'The identity provider cannot be reached. Try again.';
  if (status === 408) return 'The identity provider did not answer in time. Try again.';
  if (status === 429) return 'The identity provider has too many requests. Try again later.';
  if (status >= 500) return 'The identity provider failed. Try again.';
  if (status === 401) return 'The identity provider refuses this service. Tell its operator.';
  if (status === 422 && request.path.endsWith('/api_keys')) {
    return 'The identity provider does not know a scope as a permission of its environment. Tell the operator of this service.';
  }
  return (
    ASKS_FOR_MORE.find(([pattern]) => pattern.test(code))?.[1] ??
    `The identity provider refused a request: ${code}.`
  );
}

/** What an authentication may ask for that a mailed code cannot give. */
const ASKS_FOR_MORE: readonly [RegExp, string][] = [
  [
    /^sso_required$/,
    'The organisation of this address asks for single sign-on: a mailed code gives no key there. Ask its administrator for one.',
  ],
  [
    /^mfa_/,
    'This person has to give a second factor, which a mailed code cannot: ask the administrator of the organisation for a key.',
  ],
];

/**
 * Calls WorkOS.
 * @param texts the members of its answer that have to be there, as text
 * @throws {IdpFailure} whatever goes wrong
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

/** Lets refusals through and makes refusals of failures, which an operator finds in the log. */
export async function answering<T>(
  log: Log,
  refusal: (failure: IdpFailure) => IdentityError,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof IdpFailure)) throw error;
    const { request, ...told } = error.told;
    const { remedy } = error;
    log.error('identity_provider_failed', { ...told, ...request, ...(remedy ? { remedy } : {}) });
    throw refusal(error);
  }
}
