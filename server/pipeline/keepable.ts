/** Whether the output of a step can be kept. What cannot is a failure of its run: the step would be done again for ever. */
import { StageFailure, type Failure } from '../contract/failure.ts';
import { MAX_STEP_BYTES } from '../contract/limits.ts';

/** What a fault of ours is told as. */
const ours = (): Failure => ({
  code: 'internal',
  message: 'A step of the run came to more than can be kept.',
  retryable: false,
  suggestions: [{ label: 'Cut the recording into shorter ones' }],
});

/**
 * Answers a value that JSON can hold, and a database keep.
 * @param failure what to tell otherwise
 * @throws {StageFailure} final: nested too deep, or larger than MAX_STEP_BYTES
 */
export function keepable<T>(value: T, failure: () => Failure = ours): T {
  if (isKeepable(value)) return value;
  throw new StageFailure(failure(), { isFinal: true });
}

function isKeepable(value: unknown): boolean {
  try {
    const text = JSON.stringify(value) ?? '';
    // Most are short: a UTF-16 unit takes three bytes at most.
    return text.length * 3 <= MAX_STEP_BYTES || Buffer.byteLength(text) <= MAX_STEP_BYTES;
  } catch {
    return false;
  }
}
