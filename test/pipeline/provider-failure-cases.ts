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

/** All faults, by name. */
export const FAULTS: Record<string, Fault> = {
  '401': {
    code: 'provider_unauthorized',
    retryable: false,
    requests: 1,
    pauses: [],
    behave: status(401),
  },
  '403': {
    code: 'provider_unauthorized',
    retryable: false,
    requests: 1,
    pauses: [],
    behave: status(403),
  },
  '429': {
    code: 'provider_rate_limited',
    retryable: true,
    requests: 4,
    pauses: Array.from({ length: 3 }, () => [100, 100]),
    behave: status(429, { 'retry-after': '0.1' }),
  },
  '429 for a minute': {
    code: 'provider_rate_limited',
    retryable: true,
    requests: 1,
    pauses: [],
    behave: status(429, { 'retry-after': '60' }),
  },
  '500': {
    code: 'provider_unavailable',
    retryable: true,
    requests: 4,
    pauses: GROWING,
    behave: status(500),
  },
  'a closed connection': {
    code: 'provider_unavailable',
    retryable: true,
    requests: 4,
    pauses: GROWING,
    behave: () => ({ fault: 'drop' }),
  },
  'no answer': {
    code: 'provider_timeout',
    retryable: true,
    requests: 2,
    pauses: ONE,
    behave: () => ({ fault: 'hang' }),
    late: true,
  },
  'half an answer': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    pauses: ONE,
    behave: () => ({ fault: 'cut' }),
  },
  'an answer that breaks off': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    pauses: ONE,
    behave: () => ({ fault: 'reset' }),
  },
  garbage: {
    code: 'provider_bad_response',
    retryable: false,
    requests: 2,
    pauses: ONE,
    behave: () => new Response('<html>off kit</html>'),
  },
  'other JSON': {
    code: 'provider_bad_response',
    retryable: false,
    requests: 1,
    pauses: [],
    behave: () => Response.json({ off: 'kit' }),
  },
};
