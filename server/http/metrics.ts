/** GET /metrics, for Prometheus. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { METRICS_TYPE, type Metrics } from '../metrics.ts';
import { HIDDEN } from './openapi/detail.ts';
import { Problem } from './problems.ts';

export interface MetricsRouteServices {
  metrics: Metrics;
  /** METRICS_TOKEN: the bearer token that is asked for; null: none is. */
  metricsToken: string | null;
}

/**
 * The route. Counts alone, and nothing in them is anybody's; but they tell how busy a service is, so
 * the public port has this route only where METRICS_TOKEN guards it.
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

/** Compared by hash, so that its duration tells nothing of the token. */
function isBearer({ headers }: Request, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}
