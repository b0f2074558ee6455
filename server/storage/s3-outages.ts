/** Failures of S3: which are temporary, when to retry, and time limits. */
import { S3Errors } from '@bradenmacdonald/s3-lite-client';
import type { Waiting } from '../waiting.ts';
import { isOutage, StorageUnavailable } from './outage.ts';

/** The pauses before retries of a request that may be repeated. */
const RETRY_AFTER_MS = [200, 1000];

/** Whether an error is a refusal with this status. */
export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof S3Errors.ServerError && error.statusCode === status;

/**
 * Retries temporary failures, then reports that the store is unavailable.
 * @param onTimeout called with work that is late and goes on
 */
export async function withRetries<T>(
  { pause, deadline }: Waiting,
  timeoutMs: number,
  work: () => Promise<T>,
  onTimeout?: (work: Promise<T>) => void,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const limit = deadline(timeoutMs);
    const trying = work();
    try {
      return await within(limit, trying);
    } catch (error) {
      if (limit.aborted) onTimeout?.(trying);
      const failure = asUnavailable(error);
      const ms = RETRY_AFTER_MS[tries];
      if (!(failure instanceof StorageUnavailable) || ms === undefined) throw failure;
      await pause(ms);
    }
  }
}

/** Limits the time of work, since the client has no time-outs of its own. */
export async function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timeOut = () => late.reject(new StorageUnavailable('S3 does not respond.'));
  limit.addEventListener('abort', timeOut);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    limit.removeEventListener('abort', timeOut);
  }
}

/**
 * Converts a temporary refusal by the bucket's server, or the lack of a response, into an outage. Other errors are
 * unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error;
  const refused = error instanceof S3Errors.ServerError;
  const passing = refused
    ? error.statusCode >= 500 || error.statusCode === 429 || error.statusCode === 403
    : error instanceof TypeError || isOutage(error);
  return passing
    ? new StorageUnavailable('S3 cannot be used at the moment.', { cause: error })
    : error;
}
