/**
 * A call to a service that is not ours: time-outs over head and body, retries where they can help,
 * and every fault told as a failure a caller can act on. Nothing of a key or of what was sent or
 * answered gets into a message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StageFailure } from '../contract/failure.ts';
import { faultOf, RemoteFault, retryAfterMs, type FaultCode } from './faults.ts';

export interface RemoteCall {
  /** Names on the wire of whoever is called. */
  provider: string;
  model?: string;
  url: string;
  headers?: Record<string, string>;
  /** Made anew for each attempt: a stream can be read once. */
  body?: () => BodyInit;
  /** For one attempt, from the first byte sent to the last one read. */
  timeoutMs: number;
  /** Ends the call and its waiting; its reason is what the call then rejects with. */
  signal: AbortSignal;
}

/** How often a call is made in all before a fault of that kind is final. */
const ATTEMPTS: Record<FaultCode, number> = {
  provider_unauthorized: 1,
  model_unavailable: 1,
  provider_rate_limited: 4,
  provider_unavailable: 3,
  provider_timeout: 2,
  provider_bad_response: 2,
};

/** A wait longer than this is the caller's to make: the failure says when to come back. */
const LONGEST_WAIT_MS = 20_000;
const BASE_WAIT_MS = 400;
/** An answer is never larger; more is no answer of such a service. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/**
 * Makes the call and reads its JSON.
 * @throws {StageFailure} the last fault, after its attempts
 */
export async function callJson(call: RemoteCall): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptJson(call);
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof RemoteFault)) throw error;
      const attempts = error.isRefusal ? 1 : ATTEMPTS[error.code];
      const wait = error.retryAfterMs ?? backoff(attempt);
      if (attempt >= attempts || wait > LONGEST_WAIT_MS) throw failureOf(call, error);
      await pause(wait, call.signal);
    }
  }
}

async function attemptJson(call: RemoteCall): Promise<unknown> {
  const timeout = AbortSignal.timeout(call.timeoutMs);
  const signal = AbortSignal.any([call.signal, timeout]);
  try {
    const response = await fetch(call.url, {
      method: 'POST',
      ...(call.headers ? { headers: call.headers } : {}),
      ...(call.body ? { body: call.body() } : {}),
      signal,
    });
    const text = await readText(response);
    if (!response.ok) {
      throw faultOf(response.status, text, retryAfterMs(response.headers, Date.now()));
    }
    return parse(text);
  } catch (error) {
    if (error instanceof RemoteFault) throw error;
    if (timeout.aborted) throw new RemoteFault('provider_timeout', { cause: error });
    throw new RemoteFault('provider_unavailable', { cause: error });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new RemoteFault('provider_bad_response');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RemoteFault('provider_bad_response');
  }
}

/** Jitter keeps many runs from knocking at the same moment. */
const backoff = (attempt: number): number =>
  BASE_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random());

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

const SENTENCES: Record<FaultCode, string> = {
  provider_unauthorized: 'did not accept the credentials of this server',
  model_unavailable: 'does not have the model',
  provider_rate_limited: 'has too much to do',
  provider_unavailable: 'could not be reached or failed',
  provider_timeout: 'took too long to answer',
  provider_bad_response: 'gave an answer that cannot be read',
};

const RETRYABLE: ReadonlySet<FaultCode> = new Set([
  'provider_rate_limited',
  'provider_unavailable',
  'provider_timeout',
]);

/** The failure of a call whose JSON is not what the service should answer. */
export const unexpectedAnswer = (call: Pick<RemoteCall, 'provider' | 'model'>): StageFailure =>
  failureOf(call, new RemoteFault('provider_bad_response'));

function failureOf(
  { provider, model }: Pick<RemoteCall, 'provider' | 'model'>,
  fault: RemoteFault,
): StageFailure {
  const { code, status, detail } = fault;
  const wait = fault.retryAfterMs;
  return new StageFailure(
    {
      code,
      message: `${provider} ${SENTENCES[code]}.`,
      retryable: RETRYABLE.has(code),
      provider,
      ...(model === undefined ? {} : { model }),
      suggestions:
        wait === undefined
          ? []
          : [{ label: `Start the run again in ${Math.ceil(wait / 1000)} seconds` }],
      ...(status === undefined
        ? {}
        : { debug: { status, ...(detail === undefined ? {} : { detail }) } }),
    },
    { cause: fault },
  );
}
