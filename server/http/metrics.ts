/** Counts requests, and shows the counts to Prometheus at GET /metrics. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { METRICS_TYPE, type Metrics } from '../metrics.ts';
import { headerText } from './request.ts';
import { HIDDEN } from './openapi/detail.ts';
import { Problem } from './problems.ts';

interface MetricsRouteServices {
  metrics: Metrics;
  /** METRICS_TOKEN, the required bearer token; null if none is required. */
  metricsToken: string | null;
}

/**
 * The route. It contains only counts and no customer data, but they show how busy a service is, so the public port
 * offers it only if METRICS_TOKEN protects it.
 */
export function metricsRoute({ metrics, metricsToken }: MetricsRouteServices) {
  return new Elysia().get(
    '/metrics',
    async ({ request }) => {
      if (metricsToken !== null && !isBearer(request, metricsToken)) throw unauthorized();
      return new Response(await metrics.expose(), { headers: { 'content-type': METRICS_TYPE } });
    },
    { detail: HIDDEN },
  );
}

const unauthorized = (): Problem =>
  new Problem(401, 'invalid_credential', 'Send the token of METRICS_TOKEN as a bearer token.', {
    headers: { 'www-authenticate': 'Bearer' },
  });

/** Whether a request has the token. They are compared by hash, so that the duration reveals nothing about it. */
function isBearer({ headers }: Request, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(headerText(headers, 'authorization')) ?? [];
  return timingSafeEqual(digest(given), digest(token));
}

/** Methods with a count of their own; any other is counted as `OTHER`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts a response, given the time at which its request arrived. */
type CountAnswer = (request: Request, route: string, status: number, began: number) => void;

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
