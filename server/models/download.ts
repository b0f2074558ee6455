/** Downloads a large file: resumes where it stopped, survives broken connections, and gives up in reasonable time. */
import { open } from 'node:fs/promises';
import { realTime, type Waiting } from '../base/concurrency.ts';
import { discardPart, writePartNotes, readNotes, fileSize } from './partial-file.ts';

/** Thrown with the reason why a file could not be downloaded. */
export class DownloadError extends Error {
  /** Whether the network or host is to blame, so that it may work later. */
  readonly network: boolean;
  /** Whether an immediate retry may help. */
  readonly retryable: boolean;

  constructor(
    message: string,
    kind: { network: boolean; retryable: boolean },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DownloadError';
    this.network = kind.network;
    this.retryable = kind.retryable;
  }
}

/** Thrown if the host of the file cannot be reached, so that nothing else can be downloaded from it either. */
export class UnreachableError extends DownloadError {}

/** The time-outs and retries of a download, in milliseconds. */
interface DownloadLimits {
  /** The time until the response headers must arrive. */
  connect: number;
  /** The longest time without a single byte. */
  stall: number;
  /** The number of attempts in a row without progress. */
  attempts: number;
  /** The pause before the second attempt; it doubles each time. */
  backoff: number;
}

/** The limits unless others are given. */
export const DEFAULT_LIMITS: DownloadLimits = {
  connect: 10_000,
  stall: 30_000,
  attempts: 5,
  backoff: 500,
};

interface DownloadOptions {
  signal?: AbortSignal;
  /** Called with the bytes on disk so far, and with the total (0 if unknown). */
  onProgress?: (received: number, total: number) => void;
  limits?: Partial<DownloadLimits>;
  /** The largest allowed size in bytes. */
  most?: number;
  /** The timer for retries. Default: real time. */
  waiting?: Waiting;
}

/**
 * Downloads `url` into the file `part`, resuming if the host confirms that it is still the same file (If-Range). A
 * broken or stalled connection is retried; an unreachable host is not. Throws DownloadError; rejects with the signal's
 * reason on abort. Received bytes are kept for the next attempt.
 */
export async function download(url: string, part: string, options: DownloadOptions): Promise<void> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let failures = 0;
  const began = await fileSize(part);
  while (true) {
    const before = await fileSize(part);
    try {
      await attempt(url, part, began, limits, options);
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      const after = await fileSize(part);
      failures = after > before ? 1 : failures + 1;
      const retryable = error instanceof DownloadError && error.retryable;
      if (!retryable || failures >= limits.attempts) throw asDownloadError(error);
      const { pause } = options.waiting ?? realTime;
      await pause(limits.backoff * 2 ** (failures - 1), options.signal);
    }
  }
}

async function attempt(
  url: string,
  part: string,
  began: number,
  limits: DownloadLimits,
  options: DownloadOptions,
): Promise<void> {
  const have = await fileSize(part);
  const notes = await readNotes(part, url);
  if (notes?.total != null && have === notes.total) return;
  const validator = have > 0 ? notes?.validator : null;
  const watch = new Watch(options.signal);
  try {
    watch.limit(limits.connect, 'no answer');
    const headers: Record<string, string> = { 'accept-encoding': 'identity' };
    if (validator) {
      headers['range'] = `bytes=${have}-`;
      headers['if-range'] = validator;
    }
    const response = await fetch(url, { headers, signal: watch.signal }).catch((error: unknown) => {
      throw new UnreachableError(
        `${new URL(url).host} cannot be reached (${watch.expired ?? reason(error)})`,
        // Bytes that it has just sent prove that the host works, so a retry is worthwhile.
        { network: true, retryable: have > began },
        { cause: error },
      );
    });
    const start = await startOf(response, part, have, Boolean(validator));
    const total = totalOf(response, start);
    if (start === 0) await writePartNotes(part, { url, validator: validatorOf(response), total });
    await receive(response, part, start, total, watch, limits.stall, options);
  } finally {
    watch.end();
  }
}

/** The offset of the response's first byte; throws for a response that is not the file. */
async function startOf(
  response: Response,
  part: string,
  have: number,
  resumable: boolean,
): Promise<number> {
  if (response.status === 200) return 0;
  const range = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '');
  if (response.status === 206 && resumable && Number(range?.[1]) === have) return have;
  await response.body?.cancel().catch(() => {});
  if (response.status === 206 || response.status === 416) {
    await discardPart(part);
    throw new DownloadError('the host sent a different part than requested', {
      network: true,
      retryable: true,
    });
  }
  const passing = response.status >= 500 || response.status === 429 || response.status === 408;
  throw new DownloadError(`the host responded with ${response.status}`, {
    network: passing,
    retryable: passing,
  });
}

async function receive(
  response: Response,
  part: string,
  start: number,
  total: number | null,
  watch: Watch,
  stall: number,
  { onProgress, most = Number.POSITIVE_INFINITY }: DownloadOptions,
): Promise<void> {
  if ((total ?? 0) > most) throw await tooLarge(response, part, most);
  const file = await open(part, start === 0 ? 'w' : 'a');
  let received = start;
  try {
    watch.limit(stall, 'no data');
    onProgress?.(received, total ?? 0);
    const reader = response.body?.getReader();
    if (!reader)
      throw new DownloadError('the response is empty', { network: true, retryable: true });
    while (true) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new DownloadError(
          `the connection was cut (${watch.expired ?? reason(error)})`,
          { network: true, retryable: true },
          { cause: error },
        );
      });
      if (done) break;
      if (received + value.length > most) throw await tooLarge(response, part, most);
      for (let written = 0; written < value.length;) {
        written += (await file.write(value, written)).bytesWritten;
      }
      received += value.length;
      watch.limit(stall, 'no data');
      onProgress?.(received, total ?? 0);
    }
  } finally {
    await file.close();
  }
  if (total === null || received === total) return;
  if (received > total) await discardPart(part);
  throw new DownloadError(`only ${received} of ${total} bytes arrived`, {
    network: true,
    retryable: true,
  });
}

/** The error for a file larger than allowed: it must be a different one, so its bytes are useless. */
async function tooLarge(response: Response, part: string, most: number): Promise<DownloadError> {
  await response.body?.cancel().catch(() => {});
  await discardPart(part);
  return new DownloadError(`the host sent a file of more than ${most} bytes`, {
    network: false,
    retryable: false,
  });
}

/** A strong ETag or a date; a weak ETag proves nothing about bytes (RFC 9110 §13.1.5). */
function validatorOf(response: Response): string | null {
  const etag = response.headers.get('etag');
  return etag && !etag.startsWith('W/') ? etag : response.headers.get('last-modified');
}

function totalOf(response: Response, start: number): number | null {
  const length = response.headers.get('content-length');
  return length === null ? null : start + Number(length);
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Converts an error; any error not known here comes from the disk, which may be full, read-only or gone. */
const asDownloadError = (error: unknown): DownloadError =>
  error instanceof DownloadError
    ? error
    : new DownloadError(
        `it cannot be written (${reason(error)})`,
        { network: false, retryable: false },
        { cause: error },
      );

/** Aborts a request at its time-out, or when the caller aborts. */
class Watch {
  /** The step that took too long, if any. */
  expired: string | null = null;
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal | undefined;
  private readonly stop = (): void => this.controller.abort(this.outer?.reason);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.outer = outer;
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Sets a new time limit in milliseconds, replacing the previous one. */
  limit(milliseconds: number, what: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.expired = `${what} for ${milliseconds / 1000} s`;
      this.controller.abort(new Error(this.expired));
    }, milliseconds);
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.stop);
  }
}
