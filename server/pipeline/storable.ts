/**
 * Checks that the output of a step can be stored. If it cannot, the run fails, because the step would be repeated
 * forever.
 */
import { StageFailure, type Failure } from '../contract/failure.ts';
import { RUN } from '../contract/limits.ts';

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
 * @throws {StageFailure} final: the value is nested too deeply, or larger than RUN.maxStepBytes
 */
export function storable<T>(value: T, failure: () => Failure = ours): T {
  if (isStorable(value)) return value;
  throw new StageFailure(failure(), { isFinal: true });
}

/** Values that were checked: the transcript of a piece is checked where it is made, and again as the output of a step. */
const checked = new WeakSet<object>();

function isStorable(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && checked.has(value)) return true;
  try {
    if (Buffer.byteLength(JSON.stringify(value) ?? '') > RUN.maxStepBytes) return false;
  } catch {
    return false;
  }
  if (isObject) checked.add(value);
  return true;
}
