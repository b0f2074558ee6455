/** Shared parts of run requests over HTTP and MCP: validates payloads, and finds the caller's runs. */
import { payloadIssues, type CaptionerPayload } from '../../contract/payload.ts';
import { AcceptedPayload } from '../../pipeline/providers.ts';
import type { RunSummary } from '../../runs/stored-run.ts';
import { IdempotencyConflict, type RunRequest, type Runs } from '../../runs/service.ts';
import { jsonOfBody } from '../json-body.ts';
import { invalidPayload, Problem } from '../problems.ts';

/**
 * A run of an organisation.
 * @throws {Problem} 404 if the organisation has no run with that id
 */
export async function findSummary(
  runs: Runs,
  organizationId: string,
  id: string,
): Promise<RunSummary> {
  const run = await runs.summary(organizationId, id);
  if (!run) throw unknownRun();
  return run;
}

/** 404: the workspace has no such run. */
export const unknownRun = (): Problem =>
  new Problem(404, 'run_not_found', 'There is no run with this id.');

/**
 * Validates a payload.
 * @throws {Problem} 422 with every error
 */
export function checkPayload(value: unknown): CaptionerPayload {
  const issues = payloadIssues(value, AcceptedPayload);
  if (issues.length === 0) return value as CaptionerPayload;
  throw invalidPayload('The payload is invalid.', issues);
}

/** Reads the body of a start. @throws {Problem} 400 for anything but JSON, 422 with every error */
export const readPayload = (body: Uint8Array): CaptionerPayload => checkPayload(jsonOfBody(body));

/**
 * Queues a run.
 * @throws {Problem} 409 if its idempotency key was used for a different request
 */
export const submitRun = (runs: Runs, request: RunRequest): Promise<string> =>
  withConflicts(() => runs.submit(request));

/**
 * Submits something that may have an idempotency key.
 * @throws {Problem} 409 if the key was used for a different request
 */
export async function withConflicts<T>(submit: () => Promise<T>): Promise<T> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof IdempotencyConflict)) throw error;
    throw new Problem(
      409,
      'idempotency_conflict',
      'This Idempotency-Key was already used with another payload. Send a new key, or the same payload.',
    );
  }
}

/** Requests a cancel; returns whether it was in time, and the run's current state. */
export async function cancelRun(
  runs: Runs,
  run: RunSummary,
): Promise<{ asked: boolean; run: RunSummary }> {
  const asked = await runs.cancel(run);
  return { asked, run: (await runs.summary(run.organizationId, run.id)) ?? run };
}
