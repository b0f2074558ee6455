/** Counts requests by method, route and status: routes as they are written, never addresses. */
import type { Metrics } from '../metrics.ts';

/** Methods that have a count of their own; any other word that a client sends is one `OTHER`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Notes an answer, and the moment its request came. */
export type CountAnswer = (request: Request, route: string, status: number, began: number) => void;

/** Makes the function that counts. */
export function countAnswers(metrics: Pick<Metrics, 'answered'>): CountAnswer {
  return ({ method }, route, status, began) =>
    metrics.answered(
      METHODS.has(method) ? method : 'OTHER',
      route,
      status,
      (performance.now() - began) / 1000,
    );
}
