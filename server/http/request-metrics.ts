/** Counts requests by method, route and status. Routes are named as written in the app, never by address. */
import type { Metrics } from '../metrics.ts';

/** Methods with a count of their own; any other is counted as `OTHER`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts a response, given the time at which its request arrived. */
export type CountAnswer = (request: Request, route: string, status: number, began: number) => void;

/** Creates the function that counts. */
export function countAnswers(metrics: Pick<Metrics, 'answered'>): CountAnswer {
  return ({ method }, route, status, began) =>
    metrics.answered(
      METHODS.has(method) ? method : 'OTHER',
      route,
      status,
      (performance.now() - began) / 1000,
    );
}
