/**
 * Calls an external service, with time-outs for headers and body, with retries if they can help, and with every error
 * reported as a failure on which a caller can act.
 */
import type { CallErrorCode } from '../contract/failure.ts';
import { channel } from 'node:diagnostics_channel';
import { traced } from '../base/telemetry.ts';
import { realTime, type Waiting } from '../base/concurrency.ts';
import { callErrorOf, CallError, retryAfterMs, type ReadRefusal } from './call-error.ts';
import { failureOf, type Callee } from './call-failure.ts';

export interface RemoteCall extends Callee {
  /** Default: POST. */
  method?: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  /** Creates the body for each attempt, since a stream can be read only once. Chunks are requested as they are sent. */
  body?: () => string | Blob | FormData | AsyncIterable<Uint8Array>;
  /** The time-out of one attempt, from the first byte sent to the last one read. */
  timeoutMs: number;
  /** Ends the call and its pauses; the call then rejects with the signal's reason. */
  signal: AbortSignal;
  readRefusal?: ReadRefusal;
  /** Reads the text of an answer; default: as JSON. @throws {SyntaxError} it cannot be read */
  parse?: (answer: string) => unknown;
  /** The total number of attempts for an error, where it differs from the usual one. */
  attempts?: Partial<Record<CallErrorCode, number>>;
  /**
   * For a request that must not take effect twice: where to look, before a retry, whether it already has, and how to
   * find its result in the answer; undefined if it is not there.
   */
  effect?: { url: string; find(answer: unknown): unknown };
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** The total number of attempts before an error of this kind is final. */
const ATTEMPTS: Record<CallErrorCode, number> = {
  provider_unauthorized: 1,
  model_unavailable: 1,
  language_unsupported: 1,
  audio_unreadable: 1,
  provider_rate_limited: 4,
  provider_unavailable: 4,
  provider_timeout: 2,
  provider_bad_response: 2,
};

/** The longest pause before a retry. For a longer one, the failure tells the caller when to retry. */
const LONGEST_WAIT_MS = 20_000;
const BASE_WAIT_MS = 300;
/** The largest response; anything larger is invalid. The words of a whole day, with their times, take about 150 MiB. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;

/**
 * Makes the call and parses its JSON.
 * @throws {StageFailure} the last error, after all attempts
 * @throws the error of a streaming body that cannot be read, which is not retried here
 */
export async function callJson(call: RemoteCall): Promise<unknown> {
  const { waiting = realTime } = call;
  const attributes = { 'server.address': new URL(call.url).hostname };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await traced(call.provider, attributes, () => attemptJson(call));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof CallError)) throw error;
      reportProviderError({ provider: call.provider, code: error.code });
      const attempts = error.isRefusal ? 1 : (call.attempts?.[error.code] ?? ATTEMPTS[error.code]);
      const wait = error.retryAfterMs ?? backoff(attempt);
      if (attempt >= attempts || wait > LONGEST_WAIT_MS) {
        throw failureOf(call, error, call.headers);
      }
      await waiting.pause(wait, call.signal);
      // A service that has too many requests has not accepted this one.
      const done = error.code === 'provider_rate_limited' ? undefined : await effectOf(call);
      if (done !== undefined) return done;
    }
  }
}

/** The result of an earlier attempt whose response was lost; undefined if there is none or it cannot be looked up. */
async function effectOf(call: RemoteCall): Promise<unknown> {
  const { effect } = call;
  if (!effect) return undefined;
  const look: RemoteCall = { ...call, method: 'GET', url: effect.url };
  delete look.body;
  try {
    return effect.find(await attemptJson(look));
  } catch {
    // A call that has ended fails by itself at its next attempt.
    return undefined;
  }
}

async function attemptJson(call: RemoteCall): Promise<unknown> {
  const { waiting = realTime } = call;
  const timeout = waiting.deadline(call.timeoutMs);
  const signal = AbortSignal.any([call.signal, timeout]);
  let answered = false;
  const source: { fault?: unknown } = {};
  try {
    const request = requestOf(call, signal, (error) => void (source.fault = error));
    const response = await fetch(call.url, request);
    answered = response.ok;
    const text = await readText(response);
    if (response.ok) return parse(text, call.parse);
    const waitMs = retryAfterMs(response.headers, Date.now());
    throw callErrorOf(response.status, text, { waitMs, readRefusal: call.readRefusal });
  } catch (error) {
    // The service is not to blame if the recording that was being sent could not be read.
    if (source.fault !== undefined) throw source.fault;
    if (error instanceof CallError) throw error;
    if (timeout.aborted) throw new CallError('provider_timeout', { cause: error });
    // If the connection breaks within a response, only part of it has arrived.
    throw new CallError(answered ? 'provider_bad_response' : 'provider_unavailable', {
      cause: error,
    });
  }
}

/** @param failed called with the error of a streaming body that cannot be read */
function requestOf(
  { method = 'POST', headers, body }: RemoteCall,
  signal: AbortSignal,
  failed: (error: unknown) => void,
) {
  const made = body?.();
  // Without this, Bun closes a connection that is silent for five minutes, and transcription may take longer.
  const init: RequestInit & { duplex?: 'half'; timeout?: false } = {
    method,
    signal,
    timeout: false,
    // Redirects are not followed, because the data may go only to the host that the operator named.
    redirect: 'manual',
  };
  if (headers) init.headers = headers;
  if (typeof made === 'object' && Symbol.asyncIterator in made) {
    init.body = streamOf(made, failed);
    // A streaming body requires this promise that the response comes after it.
    init.duplex = 'half';
  } else if (made !== undefined) init.body = made;
  return init;
}

/** Turns chunks into a stream that requests the next one when the last has been sent. */
function streamOf(
  chunks: AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next().catch((error: unknown) => {
        failed(error);
        throw error;
      });
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function readText(response: Response): Promise<string> {
  let decoder: TextDecoder | undefined;
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new CallError('provider_bad_response');
    decoder ??= new TextDecoder(encodingOf(chunk));
    text += decoder.decode(chunk, { stream: true });
  }
  return text + (decoder?.decode() ?? '');
}

/** The encoding of JSON by its first bytes, because it begins with an ASCII character, as RFC 4627 told it. */
function encodingOf([first, second]: Uint8Array): string {
  if (second === 0 || (first === 0xff && second === 0xfe)) return 'utf-16le';
  return first === 0 || (first === 0xfe && second === 0xff) ? 'utf-16be' : 'utf-8';
}

function parse(answer: string, read: (text: string) => unknown = JSON.parse): unknown {
  try {
    return read(answer);
  } catch {
    throw new CallError('provider_bad_response', { answer });
  }
}

/** The pause before a retry, with jitter to spread the retries of many runs. */
const backoff = (attempt: number): number =>
  BASE_WAIT_MS * 3 ** (attempt - 1) * (0.5 + Math.random());

interface ProviderError {
  /** The provider's name in the contract. */
  provider: string;
  /** A failure code of the contract. */
  code: string;
}

const errors = channel('captioner:provider-error');

/** Publishes an error. */
const reportProviderError = (error: ProviderError): void => errors.publish(error);

/** Subscribes to all errors of this thread. */
export const onProviderError = (onError: (error: ProviderError) => void): void =>
  errors.subscribe((message) => onError(message as ProviderError));

/** A service that needs a key. Its settings are `NAME_API_KEY` and `NAME_BASE_URL`. */
export interface ServiceDescription {
  /** The name by which payloads request it. */
  name: string;
  /** The start of its environment variables, such as `DEEPGRAM`. */
  environment: string;
  /** Its address, unless `NAME_BASE_URL` sets another. */
  baseUrl: string;
  /** The model for payloads that do not name one. */
  model: string;
  /** Its limits in a few words, for documents; empty if there are none to mention. */
  limits: string;
  /** The page of its documentation from which these facts come. */
  page: string;
}
