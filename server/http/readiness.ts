/** GET /ready: whether this process accepts requests, for load balancers. */
import { Elysia } from 'elysia';
import { closed, Type } from '../contract/schema.ts';
import { answer, detail } from './openapi/detail.ts';
import { response } from './openapi/responses.ts';
import { wireAnswer } from './wire.ts';

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
