/** Requests to the service, as JSON. */
import { NoAnswer, readProblem } from './problem.ts';

export interface ApiRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, with a `content-type` among the headers. */
  text?: string;
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Goes out even where the page goes away; the browser allows it for small bodies only. */
  keepalive?: boolean;
}

/**
 * Asks the service.
 * @param path from the root, with its slash
 * @throws {ApiProblem} what the service refused
 * @throws {NoAnswer} the service is out of reach
 */
export async function ask(path: string, options: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', body, key, signal, keepalive = false } = options;
  const headers = {
    accept: 'application/json',
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

/** Asks the service and reads its answer as JSON; see `ask`. */
export async function askJson<T>(path: string, options?: ApiRequest): Promise<T> {
  const response = await ask(path, options);
  try {
    return await response.json();
  } catch (error) {
    options?.signal?.throwIfAborted();
    throw new NoAnswer('', { cause: error });
  }
}
