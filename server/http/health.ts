/** GET /health and GET /ready: whether the services on which this one depends respond. */
import { Elysia } from 'elysia';
import { Health } from '../contract/discovery.ts';
import type { Log } from '../log.ts';
import { answer, detail } from './openapi/detail.ts';
import { response } from './openapi/responses.ts';
import { wireAnswer } from './wire.ts';
import { closed, Type } from '../contract/schema.ts';

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
 * when a service on which this one depends does not respond, or the process is stopping.
 */
export const readinessRoute = (isWell: () => Promise<boolean>) =>
  new Elysia().get(
    '/ready',
    async () => {
      const ready = await isWell();
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
