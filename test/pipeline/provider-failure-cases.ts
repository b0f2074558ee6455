/** All failures of a provider that a run may meet over HTTP. */
import type { Wire } from '../support/doubles/http-double.ts';

/** The provider's behaviour, and the run's outcome after a number of requests. */
interface Fault {
  code: string;
  retryable: boolean;
  requests: number;
  behave: Wire;
  /** The request times out. */
  late?: true;
  /** The pauses between its requests, each as a range in milliseconds. */
  pauses: readonly [number, number][];
}

/** A response with a status and a body that must not be revealed. */
export const status =
  (code: number, headers: Record<string, string> = {}): Wire =>
  () =>
    Response.json({ error: 'secret-key and off kit' }, { status: code, headers });

/** By default, each pause is about three times as long as the previous one. */
const GROWING: readonly [number, number][] = [
  [150, 450],
  [450, 1350],
  [1350, 4050],
];
const ONE = GROWING.slice(0, 1);

const fault = (
  code: string,
  retryable: boolean,
  requests: number,
  pauses: Fault['pauses'],
  behave: Wire,
): Fault => ({ code, retryable, requests, pauses, behave });

/** All faults, by name. */
export const FAULTS: Record<string, Fault> = {
  '401': fault('provider_unauthorized', false, 1, [], status(401)),
  '403': fault('provider_unauthorized', false, 1, [], status(403)),
  '429': fault(
    'provider_rate_limited',
    true,
    4,
    Array.from({ length: 3 }, () => [100, 100]),
    status(429, { 'retry-after': '0.1' }),
  ),
  '429 for a minute': fault(
    'provider_rate_limited',
    true,
    1,
    [],
    status(429, { 'retry-after': '60' }),
  ),
  '500': fault('provider_unavailable', true, 4, GROWING, status(500)),
  'a closed connection': fault('provider_unavailable', true, 4, GROWING, () => ({ fault: 'drop' })),
  'no answer': {
    ...fault('provider_timeout', true, 2, ONE, () => ({ fault: 'hang' })),
    late: true,
  },
  'half an answer': fault('provider_bad_response', false, 2, ONE, () => ({ fault: 'cut' })),
  'an answer that breaks off': fault('provider_bad_response', false, 2, ONE, () => ({
    fault: 'reset',
  })),
  garbage: fault(
    'provider_bad_response',
    false,
    2,
    ONE,
    () => new Response('<html>off kit</html>'),
  ),
  'other JSON': fault('provider_bad_response', false, 1, [], () => Response.json({ off: 'kit' })),
};
