/**
 * A call to a service that is not ours: time-outs over head and body, retries where they can help,
 * and every fault told as a failure a caller can act on.
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
  /** Made anew for each attempt: a stream can be read once. Chunks are sent as they are asked for. */
  body?: () => string | Blob | FormData | AsyncIterable<Uint8Array>;
  /** For one attempt, from the first byte sent to the last one read. */
  timeoutMs: number;
  /** Ends the call and its waiting; its reason is what the call then rejects with. */
  signal: AbortSignal;
  readRefusal?: ReadRefusal;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** How often a call is made in all before a fault of that kind is final. */
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

/** A wait longer than this is the caller's to make: the failure says when to come back. */
const LONGEST_WAIT_MS = 20_000;
const BASE_WAIT_MS = 300;
/** An answer is never larger (a day of words with their times has some 150 MiB); more is no answer. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;

/**
 * Makes the call and reads its JSON.
 * @throws {StageFailure} the last fault, after its attempts
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
    // A connection that breaks within an answer leaves half of one.
    throw new RemoteFault(answered ? 'provider_bad_response' : 'provider_unavailable', {
      cause: error,
    });
  }
}

function requestOf({ method = 'POST', headers, body }: RemoteCall, signal: AbortSignal) {
  const made = body?.();
  // Bun gives up on a connection that is silent for five minutes: transcription may take longer.
  const init: RequestInit & { duplex?: 'half'; timeout?: false } = {
    method,
    signal,
    timeout: false,
    // What was said goes to whom the operator named, nobody else: a redirect is no answer.
    redirect: 'manual',
  };
  if (headers) init.headers = headers;
  if (typeof made === 'object' && Symbol.asyncIterator in made) {
    init.body = streamOf(made);
    // Streams are sent only by whoever says that the answer comes after them.
    init.duplex = 'half';
  } else if (made !== undefined) init.body = made;
  return init;
}

/** Chunks as a stream that asks for the next one when the last has been sent. */
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

/** Jitter keeps many runs from knocking at the same moment. */
const backoff = (attempt: number): number =>
  BASE_WAIT_MS * 3 ** (attempt - 1) * (0.5 + Math.random());
