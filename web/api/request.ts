/** Requests to the service and its JSON answers, repeated while the network or the service is unreachable. */
import { signal } from '@preact/signals';
import { language } from '../texts/language.ts';

interface ApiRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is; `headers` must name its `content-type`. */
  text?: string;
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /**
   * Lets the request finish even if the page is closed; browsers allow this for small bodies only.
   */
  keepalive?: boolean;
}

/**
 * Sends a request to the service.
 * @param path from the root, with its slash
 * @throws {ApiProblem} the service refused
 * @throws {NoAnswer} the service is unreachable
 */
export async function ask(path: string, options: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', body, key, signal, keepalive = false } = options;
  const headers = {
    accept: 'application/json',
    // Mails that it causes, and pages and PDFs that are saved, are in the language of the app.
    'accept-language': language(),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...options.headers,
  };
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options.text === undefined ? {} : { body: options.text }),
      ...(signal ? { signal } : {}),
      keepalive,
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new NoAnswer('', { cause: error });
  }
  if (response.ok) return response;
  throw readProblem(response.status, await response.text(), response.headers);
}

/** Sends a request and reads the answer as JSON; see `ask`. */
export async function askJson<T>(path: string, options?: ApiRequest): Promise<T> {
  const response = await ask(path, options);
  try {
    return await response.json();
  } catch (error) {
    options?.signal?.throwIfAborted();
    throw new NoAnswer('', { cause: error });
  }
}

/** An error answer from the service. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  /** The time to wait before trying again, in seconds; null if the service does not say. */
  readonly retryAfter: number | null;

  constructor(status: number, code: string, message: string, retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    // Freeing quota takes a person, or hours: show the problem instead of waiting.
    if (this.code === 'quota_exceeded') return false;
    // 423: another process of the service is finishing the upload.
    return this.status === 423 || this.status === 429 || this.status >= 500;
  }
}

/** Accepts that what was to be deleted is gone already. @throws any other error */
export function unlessGone(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
}

/** There was no answer: the network or the service is unreachable. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Reads an error answer of the service, in either of the contract's two shapes. */
export function readProblem(status: number, body: string, headers: Headers): ApiProblem {
  let code = 'unknown';
  let message = '';
  try {
    const parsed: unknown = JSON.parse(body);
    const { error, error_description: description } = Object(parsed);
    if (typeof error === 'string') [code, message] = [error, String(description ?? '')];
    else [code, message] = [String(Object(error).code), String(Object(error).message ?? '')];
  } catch {
    // Something between the service and the page answered in a format of its own.
  }
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(status, code, message, Number.isFinite(wait) ? wait : null);
}

/** Whether the service is unreachable while something waits for it. */
export const unreachable = signal(false);

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Repeats an attempt until it succeeds or is refused for good. The pauses grow, and are at least as long as the service
 * requests. The attempt must be safe to repeat. A long attempt calls `reached` once it has an answer: if it breaks off
 * after that, it is repeated after the shortest pause.
 */
export async function retrying<T>(
  stop: AbortSignal,
  attempt: (reached: () => void) => Promise<T>,
): Promise<T> {
  let pause = FIRST_PAUSE_MS;
  const reached = () => {
    unreachable.value = false;
    pause = FIRST_PAUSE_MS;
  };
  for (; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    try {
      const done = await attempt(reached);
      reached();
      return done;
    } catch (error) {
      stop.throwIfAborted();
      const passing = error instanceof NoAnswer || (error instanceof ApiProblem && error.isPassing);
      unreachable.value = error instanceof NoAnswer;
      if (!passing) throw error;
      const asked = error instanceof ApiProblem ? (error.retryAfter ?? 0) * 1000 : 0;
      await pauseOrOnline(Math.max(pause, asked), stop);
    }
  }
}

/** Waits for the pause, or until the network comes back. */
async function pauseOrOnline(ms: number, stop: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    stop.addEventListener('abort', end);
  });
  stop.throwIfAborted();
}
