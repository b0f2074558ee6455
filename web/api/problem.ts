/** Errors between the page and the service. */

/** The service answered, and said no. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  /** How long to wait before it is tried again, in seconds, where the service says so. */
  readonly retryAfter: number | null;

  constructor(status: number, code: string, message: string, retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** Whether the same may succeed a little later. */
  get isPassing(): boolean {
    // Room under a quota takes somebody's doing, or hours: that is to be told, not waited for.
    if (this.code === 'quota_exceeded') return false;
    // 423: another process of the service is finishing the upload.
    return this.status === 423 || this.status === 429 || this.status >= 500;
  }
}

/** There was no answer: the network or the service is away. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Reads the answer of the service that is an error, whichever of the contract's two shapes it has. */
export function readProblem(status: number, body: string, headers: Headers): ApiProblem {
  let code = 'unknown';
  let message = '';
  try {
    const parsed: unknown = JSON.parse(body);
    const { error, error_description: description } = Object(parsed);
    if (typeof error === 'string') [code, message] = [error, String(description ?? '')];
    else [code, message] = [String(Object(error).code), String(Object(error).message ?? '')];
  } catch {
    // Something between the service and the page answered in its own words.
  }
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(status, code, message, Number.isFinite(wait) ? wait : null);
}
