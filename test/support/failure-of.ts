/** Returns the failure of a stage. */
import { StageFailure, type Failure } from '../../server/contract/failure.ts';

/**
 * The failure with which a promise rejects.
 * @throws {Error} if it ends in any other way
 */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StageFailure)) throw new Error(`no failure: ${String(error)}`);
  return error.failure;
}
