/** HTTP errors in the contract's format, without stack traces, paths or secrets. */
import { STATUS_CODES } from 'node:http';
import type { ValidationIssue } from '../contract/schema.ts';
import type { Role } from '../contract/members.ts';
import type { CaptionerScope } from '../contract/registration.ts';
import type { Log } from '../base/log.ts';
import { DiskReserveReached } from '../storage/disk-reserve.ts';
import { isOutage } from '../storage/outage.ts';
import { QuotaExceeded } from '../storage/audio-usage.ts';
import { WroteTooMuch } from '../storage/write-limit.ts';
import { prefers } from './negotiate.ts';

interface ProblemOptions {
  headers?: Record<string, string>;
  /** The errors in a request. */
  details?: ValidationIssue[];
  /** Further fields of `error`. */
  more?: Record<string, unknown>;
  /** A body in another format, instead of ErrorResponse. */
  body?: object;
}

/** An error of the contract, thrown to become the response. */
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

  /** An error of the service itself. */
  static internal(): Problem {
    return new Problem(500, 'internal', 'Something went wrong on the server.');
  }

  /** The problem of an invalid payload, query or header; `details` lists the errors. */
  static invalidPayload(message: string, details: ValidationIssue[]): Problem {
    return new Problem(422, 'invalid_payload', message, { details });
  }

  /** The problem of a valid key that lacks a scope. */
  static insufficientScope(scope: CaptionerScope, headers: Record<string, string> = {}): Problem {
    return new Problem(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`, {
      headers,
      more: { scope },
    });
  }

  /** The problem of a person whose role does not allow a request. */
  static insufficientRole(least: Role, role: Role): Problem {
    return new Problem(
      403,
      'insufficient_role',
      `This needs the role ${least} in the workspace; you are ${role}. An owner can change that.`,
    );
  }

  /** The problem of an unknown address. */
  static notFound(): Problem {
    return new Problem(404, 'not_found', 'There is nothing at this address.');
  }

  /** The problem of a request whose client disconnected before it was complete. */
  static incompleteRequest(): Problem {
    return new Problem(
      400,
      'incomplete_request',
      'The request is incomplete: the connection broke.',
    );
  }

  /** The problem of a known address with an unsupported method (RFC 9110, 15.5.6). */
  static methodNotAllowed(allowed: readonly string[]): Problem {
    return new Problem(405, 'method_not_allowed', `This address supports ${allowed.join(', ')}.`, {
      headers: { allow: allowed.join(', ') },
    });
  }

  /** The problem of a service that cannot accept a request at the moment. */
  static unavailable(message: string, retryAfterSeconds = 5): Problem {
    return new Problem(503, 'unavailable', message, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    });
  }

  /** The body of the response. */
  body(): Record<string, unknown> {
    const { details, more = {}, body } = this.options;
    if (body) return { ...body };
    const { code, message } = this;
    return { error: { code, message, ...more, ...(details ? { details } : {}) } };
  }

  /**
   * The response.
   * @param accept the Accept header; problem details (RFC 9457) are sent if it names them
   */
  response(accept: string | null = null): Response {
    const { status } = this;
    const { headers = {} } = this.options;
    if (!prefers.problemDetails(accept)) return Response.json(this.body(), { status, headers });
    return new Response(JSON.stringify(this.details()), {
      status,
      headers: { ...headers, 'content-type': 'application/problem+json' },
    });
  }

  /** The body as problem details: the title is the status in words, and `code` identifies the problem. */
  private details(): Record<string, unknown> {
    const { error } = this.body();
    const { code: _code, message: _message, ...more }: Record<string, unknown> = Object(error);
    const { code, message } = this;
    const title = STATUS_CODES[this.status];
    return { type: 'about:blank', title, status: this.status, detail: message, code, ...more };
  }
}

/**
 * Converts a thrown value to a problem. Unexpected ones are logged, and become `internal`.
 * @param route the requested route as the log names it
 */
export function toProblem(error: unknown, route: string, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof QuotaExceeded) return quotaExceeded(error);
  if (error instanceof DiskReserveReached) {
    log.error('disk_reserve_reached', { route });
    return Problem.unavailable(error.message, DISK_WAIT_SECONDS);
  }
  if (error instanceof WroteTooMuch) {
    return new Problem(429, 'rate_limited', `${error.message} Wait, then send it again.`, {
      headers: { 'retry-after': String(error.seconds) },
    });
  }
  if (isOutage(error)) {
    log.error('storage_unavailable', { route, error });
    return Problem.unavailable(
      'The service cannot read or store anything at the moment. Try again soon.',
    );
  }
  log.error('request_failed', { route, error });
  return Problem.internal();
}

/** The wait suggested when the disk is full; space is freed when runs end, or by an operator. */
const DISK_WAIT_SECONDS = 60;
/** The wait suggested for recordings, which are deleted when they are transcribed. */
const AUDIO_WAIT_SECONDS = 60;
/** The wait suggested for results, which are deleted when they expire, checked once an hour. */
const RESULT_WAIT_SECONDS = 3600;

/**
 * The problem of a workspace that has reached its quota. 429 is the contract's only response that means "wait, then
 * send the same again": 413 says that this upload is too large, 403 that the key is never allowed to, and clients treat
 * 507 as a failure of the service.
 * @param instead what helps, if the usual advice does not
 */
export function quotaExceeded({ kept, quota, used }: QuotaExceeded, instead?: string): Problem {
  const [advice, seconds] =
    kept === 'recordings'
      ? [
          'Start runs for the waiting ones, which deletes them, or wait until they expire.',
          AUDIO_WAIT_SECONDS,
        ]
      : [
          'Erase runs that are no longer needed, or wait until older ones expire.',
          RESULT_WAIT_SECONDS,
        ];
  return new Problem(
    429,
    'quota_exceeded',
    `This workspace has reached its quota of ${kept}. ${instead ?? advice}`,
    { headers: { 'retry-after': String(seconds) }, more: { quota, used } },
  );
}
