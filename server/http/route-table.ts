/**
 * The routes by method and path: which one a request means, what it failed with, and its span in the caller's trace.
 */
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { ParseError } from 'elysia';
import type { Log } from '../base/log.ts';
import { toProblem, Problem } from './problems.ts';
import { InvalidResponse } from './wire.ts';

interface Route {
  method: string;
  /** As in the app: `/runs/:id`, `/audio/*`. */
  path: string;
}

/** Names routes as the contract does, for the log and the OpenAPI document, without keys, run ids and links. */
export function routeTable(routes: readonly Route[]) {
  const isFixed = ({ path }: Route) => !/[:*]/.test(path);
  const fixed = new Set(routes.filter(isFixed).map(({ path }) => path));
  const patterns = routes.map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
  const matching = (path: string) => patterns.filter(({ pattern }) => pattern.test(path));
  return {
    /** The methods of an address, including OPTIONS; empty for an unknown address. */
    methodsOf(path: string): string[] {
      const found = matching(path).map(({ method }) => method);
      if (found.length === 0) return [];
      const more = found.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
      return [...new Set([...found, ...more])];
    },
    /** The route of an address in the contract's notation; null for an unknown address. */
    routeOf(path: string): string | null {
      if (fixed.has(path)) return path;
      const found = patterns.find(({ pattern }) => pattern.test(path));
      return found ? contractPath(found.path) : null;
    },
  };
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => {
      if (part === '*') return '.+';
      // A parameter may follow fixed text: `captions.:format`.
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+$/, '[^/]+');
    })
    .join('/');
  return new RegExp(`^${source}$`);
}

/** `/audio/{key}` for the app's own `/audio/*`, `/runs/{id}` for `/runs/:id`. */
export const contractPath = (route: string): string =>
  route.replace('/audio/*', '/audio/{key}').replaceAll(/:(\w+)/g, '{$1}');

/**
 * `PUT /audio/{key}` for PUT and the app's own `/audio/*`.
 * @param route absent if no route matches
 */
export const routeName = (method: string, route = '(none)'): string =>
  `${method} ${contractPath(route)}`;

/** The router's description of a failed request. */
interface Failed {
  error: unknown;
  code: unknown;
  request: Request;
  route: string;
}

/**
 * The problem for a failed request.
 * @param missing the problem for a request that matches no route
 */
export function problemOf(
  { error, code, request, route }: Failed,
  missing: (request: Request) => Problem,
  log: Log,
): Problem {
  if (code === 'NOT_FOUND') return missing(request);
  const name = routeName(request.method, route);
  if (error instanceof InvalidResponse) {
    log.error('answer_does_not_fit', { route: name, issues: error.issues });
    return Problem.internal();
  }
  const cause = error instanceof ParseError ? error.cause : error;
  if (!hasHungUp(request, cause)) return toProblem(cause, name, log);
  // The client has disconnected, so nothing is wrong here.
  log.debug('client_gone', { route: name });
  return Problem.incompleteRequest();
}

/** Whether a client disconnected while its body was read. */
const hasHungUp = ({ signal }: Request, error: unknown): boolean =>
  signal.aborted && error instanceof Error && error.name === 'AbortError';

/** Handles a request within a span that lasts until its response begins. */
export function traceRequests(
  answer: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const tracer = trace.getTracer('captioner');
  return async (request) => {
    const caller = propagation.extract(context.active(), Object.fromEntries(request.headers));
    const options = {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': request.method },
    };
    return tracer.startActiveSpan(request.method, options, caller, async (span) => {
      try {
        const response = await answer(request);
        span.setAttribute('http.response.status_code', response.status);
        return response;
      } finally {
        span.end();
      }
    });
  };
}

/** Names the span of the current request by its route, because its path may contain keys of recordings. */
export const nameRequest = (name: string): void => void trace.getActiveSpan()?.updateName(name);
