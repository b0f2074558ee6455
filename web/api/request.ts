/** Requests to the service and its JSON answers. */
import { NoAnswer, readProblem } from './problem.ts';

export interface ApiRequest {
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
