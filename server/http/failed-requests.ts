/** Converts failed requests into problems. */
import { ParseError } from 'elysia';
import type { Log } from '../log.ts';
import { incompleteRequest, internal, toProblem, type Problem } from './problems.ts';
import { routeName } from './route-table.ts';
import { InvalidResponse } from './wire.ts';

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
    return internal();
  }
  const cause = error instanceof ParseError ? error.cause : error;
  if (!hasHungUp(request, cause)) return toProblem(cause, name, log);
  // The client has disconnected, so nothing is wrong here.
  log.debug('client_gone', { route: name });
  return incompleteRequest();
}

/** Whether a client disconnected while its body was read. */
const hasHungUp = ({ signal }: Request, error: unknown): boolean =>
  signal.aborted && error instanceof Error && error.name === 'AbortError';
