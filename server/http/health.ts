/**
 * GET /health: whether the services on which this one depends respond; GET /ready: whether this process takes requests;
 * and GET /metrics, the counts of requests for Prometheus.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { Health } from '../contract/discovery.ts';
import type { Log } from '../base/log.ts';
import { answer, detail, HIDDEN } from './openapi/detail.ts';
import { response } from './openapi/responses.ts';
import { closed, Type } from '../contract/schema.ts';
import { type Metrics } from '../base/metrics.ts';
import { Problem } from './problems.ts';
import { wireAnswer } from './wire.ts';
import { Registry } from 'prom-client';
import { headerText } from './request.ts';

/** Checks by their names in the log. Each throws or rejects if its service does not respond. */
export type HealthChecks = Record<string, () => Promise<void>>;

/** The time after which a check counts as failed, because the client is waiting. */
const TIMEOUT_MS = 5000;

/**
 * Creates the check of all dependencies. Clients learn only the overall result; the log shows operators which check
 * failed.
 */
export function healthOf(health: HealthChecks, log: Log): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null;
  // Simultaneous requests share one check, so that a flood of requests does not become a flood of disk writes.
  return () => {
    underWay ??= allHold(health, log).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** The route. The status is always 200: the contract puts the result in the body. */
export const healthRoute = (isWell: () => Promise<boolean>) =>
  new Elysia().get('/health', async () => ({ ok: await isWell() }), {
    response: { 200: wireAnswer(Health) },
    detail: detail({
      operationId: 'getHealth',
      summary: 'The health of the service',
      tags: ['Discovery'],
      responses: {
        200: answer('The health of the service', { ok: true }),
        400: response('NotSupported'),
      },
    }),
  });

async function allHold(health: HealthChecks, log: Log): Promise<boolean> {
  const answers = await Promise.all(
    Object.entries(health).map(async ([part, check]) => {
      const failure = await failureOf(check);
      if (failure) log.warn('health_check_failed', { part, ...failure });
      return !failure;
    }),
  );
  return answers.every(Boolean);
}

async function failureOf(check: () => Promise<void>): Promise<{ error: unknown } | null> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error('it does not respond')), TIMEOUT_MS);
  try {
    await Promise.race([check(), late.promise]);
    return null;
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
  }
}

const Readiness = closed({ ready: Type.Boolean() });

/**
 * The route. Unlike /health, whose status the contract fixes at 200, it returns 503 when requests should go elsewhere:
 * when this process is stopping, or can do nothing, without database or worker threads. A store that is away is no
 * reason, because it is away for every process: what needs it is refused by itself, and everything else goes on.
 */
export const readinessRoute = (isReady: () => Promise<boolean>) =>
  new Elysia().get(
    '/ready',
    async () => {
      const ready = await isReady();
      return Response.json(
        { ready },
        ready ? {} : { status: 503, headers: { 'retry-after': '5' } },
      );
    },
    {
      response: { 200: wireAnswer(Readiness), 503: wireAnswer(Readiness) },
      detail: detail({
        operationId: 'getReadiness',
        summary: 'Whether this process accepts requests',
        tags: ['Discovery'],
        responses: {
          200: answer('The process accepts requests.', { ready: true }),
          503: answer('Send requests elsewhere for a while.', { ready: false }),
          400: response('NotSupported'),
        },
      }),
    },
  );

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

/** The content type of the text. */
const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
