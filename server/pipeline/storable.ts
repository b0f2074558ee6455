/**
 * Checks that the output of a step can be stored. If it cannot, the run fails, because the step would be repeated
 * forever.
 */
import { StageFailure, type Failure } from '../contract/failure.ts';
import { MAX_STEP_BYTES } from '../contract/limits.ts';

/** The default failure: an internal one. */
const ours = (): Failure => ({
  code: 'internal',
  message: 'The output of a step of the run is too large to store.',
  retryable: false,
  suggestions: [{ label: 'Cut the recording into shorter parts' }],
});

/**
 * Returns a value that JSON can represent and a database can store.
 * @param failure creates the failure for any other value
 * @throws {StageFailure} final: the value is nested too deeply, or larger than MAX_STEP_BYTES
 */
export function storable<T>(value: T, failure: () => Failure = ours): T {
  if (isStorable(value)) return value;
  throw new StageFailure(failure(), { isFinal: true });
}

function isStorable(value: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') <= MAX_STEP_BYTES;
  } catch {
    return false;
  }
}
