/** Errors → the wire. Nothing of a stack, a path or a secret leaves. */
import type { Fault } from '../contract/schema.ts';
import type { CaptionerScope } from '../contract/scopes.ts';
import type { Log } from '../log.ts';
import { ResultQuotaExceeded } from '../runs/result-quota.ts';
import { AudioQuotaExceeded } from '../storage/audio-usage.ts';
import { DiskReserveReached } from '../storage/disk-reserve.ts';
import { isOutage } from '../storage/outage.ts';

export interface ProblemOptions {
  headers?: Record<string, string>;
  /** The faults of a request. */
  details?: Fault[];
  /** Further members of `error`. */
  more?: Record<string, unknown>;
  /** A body of another shape, in place of ErrorResponse. */
  body?: object;
}

/** An answer that is an error of the contract. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly options: ProblemOptions;

  constructor(status: number, code: string, message: string, options: ProblemOptions = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.options = options;
  }

  /** What a response says of it. */
  body(): Record<string, unknown> {
    const { details, more = {}, body } = this.options;
    if (body) return { ...body };
    const { code, message } = this;
    return { error: { code, message, ...more, ...(details ? { details } : {}) } };
  }

  /** The response that says it. */
  response(): Response {
    return Response.json(this.body(), {
      status: this.status,
      headers: this.options.headers ?? {},
    });
  }
}

/**
 * What was thrown, as a problem; what was not foreseen is logged, and told as `internal`.
 * @param route what was asked for, as the log names it
 */
export function toProblem(error: unknown, route: string, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof AudioQuotaExceeded || error instanceof ResultQuotaExceeded) {
    return quotaExceeded(error);
  }
  if (error instanceof DiskReserveReached) {
    log.error('disk_reserve_reached', { route });
    return unavailable(error.message, DISK_WAIT_SECONDS);
  }
  if (isOutage(error)) {
    log.error('storage_unavailable', { route, error });
    return unavailable('The service cannot read or store anything at the moment. Try again soon.');
  }
  log.error('request_failed', { route, error });
  return internal();
}

/** A fault of the service itself. */
export const internal = (): Problem =>
  new Problem(500, 'internal', 'Something went wrong on the server.');

/** A request whose payload, query or header does not fit; `details` say where. */
export const invalidPayload = (message: string, details: Fault[]): Problem =>
  new Problem(422, 'invalid_payload', message, { details });

/** A good key that lacks a scope. */
export const insufficientScope = (
  scope: CaptionerScope,
  headers: Record<string, string> = {},
): Problem =>
  new Problem(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`, {
    headers,
    more: { scope },
  });

/** Nothing is at this address. */
export const notFound = (): Problem =>
  new Problem(404, 'not_found', 'There is nothing at this address.');

/** A client that hung up before its request was whole. */
export const incompleteRequest = (): Problem =>
  new Problem(400, 'incomplete_request', 'The request broke off.');

/** Something is at this address, but not for this method (RFC 9110, 15.5.6). */
export const methodNotAllowed = (allowed: readonly string[]): Problem =>
  new Problem(405, 'method_not_allowed', `This address answers ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });

/** The service cannot take this now. */
export const unavailable = (message: string, retryAfterSeconds = 5): Problem =>
  new Problem(503, 'unavailable', message, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });

/** Room on a disk comes with runs that end, or with an operator. */
const DISK_WAIT_SECONDS = 60;
/** Recordings go as they are transcribed. */
const AUDIO_WAIT_SECONDS = 60;
/** Results go when their time is over, and are looked at once an hour. */
const RESULT_WAIT_SECONDS = 3600;

/**
 * A workspace keeps as much as it may. 429, as the contract's one answer that means "wait, then send the
 * same again": 413 says that this upload is too large, 403 that the key may never, and clients take
 * 507 for a failure of the service.
 */
function quotaExceeded(error: AudioQuotaExceeded | ResultQuotaExceeded): Problem {
  const isAudio = error instanceof AudioQuotaExceeded;
  const [kept, advice, seconds] = isAudio
    ? [
        'recordings',
        'Run those that wait, which deletes them, or wait until they expire.',
        AUDIO_WAIT_SECONDS,
      ]
    : ['results', 'Wait until older ones expire.', RESULT_WAIT_SECONDS];
  const { quota, used } = error;
  return new Problem(
    429,
    'quota_exceeded',
    `This workspace keeps as many bytes of ${kept} as it may. ${advice}`,
    { headers: { 'retry-after': String(seconds) }, more: { quota, used } },
  );
}
