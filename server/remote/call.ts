/**
 * Calls an external service: time-outs over headers and body, retries if they can help, and every
 * fault reported as a failure that a caller can act on.
 */
import { traced } from '../telemetry.ts';
import { realTime, type Waiting } from '../waiting.ts';
import { failureOf, type Callee } from './failures.ts';
import { tellProviderFault } from './provider-faults.ts';
import { faultOf, RemoteFault, retryAfterMs, type FaultCode, type ReadRefusal } from './faults.ts';

export interface RemoteCall extends Callee {
  /** Default: POST. */
  method?: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  /**
   * Created anew for each attempt, since a stream can be read only once. Chunks are sent on demand.
   */
  body?: () => string | Blob | FormData | AsyncIterable<Uint8Array>;
  /** For one attempt, from the first byte sent to the last one read. */
  timeoutMs: number;
  /** Ends the call and its pauses; the call then rejects with its reason. */
  signal: AbortSignal;
  readRefusal?: ReadRefusal;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** The total number of attempts before a fault of that kind is final. */
const ATTEMPTS: Record<FaultCode, number> = {
  provider_unauthorized: 1,
  model_unavailable: 1,
  language_unsupported: 1,
  audio_unreadable: 1,
  provider_rate_limited: 4,
  provider_unavailable: 4,
  provider_timeout: 2,
  provider_bad_response: 2,
};

/** A longer pause is left to the caller: the failure says when to come back. */
const LONGEST_WAIT_MS = 20_000;
const BASE_WAIT_MS = 300;
/**
 * Largest response (a day of words with their times has some 150 MiB); anything larger is invalid.
 */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;

/**
 * Makes the call and parses its JSON.
 * @throws {StageFailure} the last fault, after all attempts
 */
export async function callJson(call: RemoteCall): Promise<unknown> {
  const attributes = { 'server.address': new URL(call.url).hostname };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await traced(call.provider, attributes, () => attemptJson(call));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof RemoteFault)) throw error;
      tellProviderFault({ provider: call.provider, code: error.code });
      const attempts = error.isRefusal ? 1 : ATTEMPTS[error.code];
      const wait = error.retryAfterMs ?? backoff(attempt);
      if (attempt >= attempts || wait > LONGEST_WAIT_MS) {
        throw failureOf(call, error, call.headers);
      }
      await (call.waiting ?? realTime).pause(wait, call.signal);
    }
  }
}

async function attemptJson(call: RemoteCall): Promise<unknown> {
  const timeout = (call.waiting ?? realTime).deadline(call.timeoutMs);
  const signal = AbortSignal.any([call.signal, timeout]);
  let answered = false;
  try {
    const response = await fetch(call.url, requestOf(call, signal));
    answered = response.ok;
    const text = await readText(response);
    if (response.ok) return parse(text);
    const waitMs = retryAfterMs(response.headers, Date.now());
    throw faultOf(response.status, text, { waitMs, readRefusal: call.readRefusal });
  } catch (error) {
    if (error instanceof RemoteFault) throw error;
    if (timeout.aborted) throw new RemoteFault('provider_timeout', { cause: error });
    // A connection that breaks within a response leaves only part of it.
    throw new RemoteFault(answered ? 'provider_bad_response' : 'provider_unavailable', {
      cause: error,
    });
  }
}

function requestOf({ method = 'POST', headers, body }: RemoteCall, signal: AbortSignal) {
  const made = body?.();
  // Bun closes a connection that is silent for five minutes, but transcription may take longer.
  const init: RequestInit & { duplex?: 'half'; timeout?: false } = {
    method,
    signal,
    timeout: false,
    // The data goes only to the host that the operator named: redirects are not followed.
    redirect: 'manual',
  };
  if (headers) init.headers = headers;
  if (typeof made === 'object' && Symbol.asyncIterator in made) {
    init.body = streamOf(made);
    // A streaming body requires the promise that the response comes after it.
    init.duplex = 'half';
  } else if (made !== undefined) init.body = made;
  return init;
}

/** Turns chunks into a stream that requests the next one when the last has been sent. */
function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
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

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    throw new RemoteFault('provider_bad_response', { answer });
  }
}

/** Jitter spreads the retries of many runs. */
const backoff = (attempt: number): number =>
  BASE_WAIT_MS * 3 ** (attempt - 1) * (0.5 + Math.random());
