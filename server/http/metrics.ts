/** GET /metrics, for Prometheus. */
import { Elysia } from 'elysia';
import { METRICS_TYPE, type Metrics } from '../metrics.ts';

/** The route. Counts alone: nothing in it is anybody's. */
export function metricsRoute({ metrics }: { metrics: Metrics }) {
  return new Elysia().get(
    '/metrics',
    async () => new Response(await metrics.expose(), { headers: { 'content-type': METRICS_TYPE } }),
  );
}
