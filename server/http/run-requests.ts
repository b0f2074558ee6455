/** What requests about runs share, over HTTP and MCP: a payload that fits, a run that is the caller's. */
import { payloadFaults, type CaptionerPayload } from '../contract/payload.ts';
import type { RunSummary, StoredRun } from '../runs/stored-run.ts';
import { IdempotencyConflict, type RunRequest, type Runs } from '../runs/service.ts';
import { invalidPayload, Problem } from './problems.ts';

/**
 * A run of an organisation.
 * @throws {Problem} 404 where it has none of that id
 */
export async function findRun(runs: Runs, organizationId: string, id: string): Promise<StoredRun> {
  const run = await runs.get(organizationId, id);
  if (!run) throw unknownRun();
  return run;
}

/**
 * A run of an organisation without its result.
 * @throws {Problem} 404 where it has none of that id
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

const unknownRun = (): Problem => new Problem(404, 'run_not_found', 'There is no run of this id.');

/**
 * A payload that fits the contract.
 * @throws {Problem} 422 with every fault
 */
export function checkPayload(value: unknown): CaptionerPayload {
  const faults = payloadFaults(value);
  if (faults.length === 0) return value as CaptionerPayload;
  throw invalidPayload('The payload does not fit the contract.', faults);
}

/**
 * Queues a run.
 * @throws {Problem} 409 where its idempotency key was given to another request
 */
export async function submitRun(runs: Runs, request: RunRequest): Promise<string> {
  try {
    return await runs.submit(request);
  } catch (error) {
    if (!(error instanceof IdempotencyConflict)) throw error;
    throw new Problem(
      409,
      'idempotency_conflict',
      'This Idempotency-Key was used with another payload. Send a new key, or the same payload.',
    );
  }
}

/** Asks for a cancel: whether that was in time, and the run as it is then. */
export async function cancelRun(
  runs: Runs,
  run: StoredRun,
): Promise<{ asked: boolean; run: StoredRun }> {
  const asked = await runs.cancel(run);
  return { asked, run: (await runs.get(run.organizationId, run.id)) ?? run };
}
