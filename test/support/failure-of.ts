/** Returns the failure of a stage. */
import { StageFailure, type Failure } from '../../server/contract/failure.ts';

/** The failure that a promise ends with. @throws {Error} where it ends with anything else */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StageFailure)) throw new Error(`no failure: ${String(error)}`);
  return error.failure;
}
