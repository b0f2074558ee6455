/** GET /health: whether what the service stands on answers. */
import { Elysia } from 'elysia';
import { Health } from '../contract/discovery.ts';
import type { Log } from '../log.ts';
import { answer, detail } from './openapi/detail.ts';
import { response } from './openapi/responses.ts';
import { wireAnswer } from './wire.ts';

/** Each throws, or rejects, when its part does not answer. By the name it has in the log. */
export type HealthChecks = Record<string, () => Promise<void>>;

/** A check that takes longer than this counts as failed: whoever asks is waiting. */
const TIMEOUT_MS = 5000;

/** The route. Everybody learns whether; what it is that fails is for operators, in the log. */
export function healthRoute({ health, log }: { health: HealthChecks; log: Log }) {
  let underWay: Promise<boolean> | null = null;
  // Those who ask at once share one look: whoever floods this address does not flood the disk.
  const look = (): Promise<boolean> => {
    underWay ??= allHold(health, log).finally(() => {
      underWay = null;
    });
    return underWay;
  };
  // Always 200: the body is the answer, as the contract has it.
  return new Elysia().get('/health', async () => ({ ok: await look() }), {
    response: { 200: wireAnswer(Health) },
    detail: detail({
      operationId: 'getHealth',
      summary: 'The health of the service',
      tags: ['Discovery'],
      responses: {
        200: answer('The health of the service', { ok: true }),
        '4XX': response('NotAsked'),
      },
    }),
  });
}

async function allHold(health: HealthChecks, log: Log): Promise<boolean> {
  const answers = await Promise.all(
    Object.entries(health).map(async ([part, check]) => {
      const error = await failure(check);
      if (error) log.warn('health_check_failed', { part, error });
      return !error;
    }),
  );
  return answers.every(Boolean);
}

async function failure(check: () => Promise<void>): Promise<unknown> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error('it does not answer')), TIMEOUT_MS);
  try {
    await Promise.race([check(), late.promise]);
    return null;
  } catch (error) {
    return error ?? new Error('it failed');
  } finally {
    clearTimeout(timer);
  }
}
