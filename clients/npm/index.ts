/** A client of a Captioner service for browsers and Node. Its types are generated from the service's OpenAPI document. */
import type { components } from './generated/openapi.ts';

type Schemas = components['schemas'];

export type Payload = Schemas['CaptionerPayload'];
export type Receipt = Schemas['AudioObjectReceipt'];
export type Run = Schemas['WorkflowRun'];
export type Translation = Schemas['Translation'];
// The types are generated before this is built; until then, linters do not know them.
// oxlint-disable typescript/no-redundant-type-constituents
/** What a webhook receives. */
export type WebhookEvent =
  | Schemas['RunEvent']
  | Schemas['ReviewSavedEvent']
  | Schemas['ReviewCommentEvent']
  | Schemas['ReviewStateEvent']
  | Schemas['MeasurementEvent']
  | Schemas['TranslationEvent'];

/** What the service refused, with the code of its error. */
export class CaptionerError extends Error {
  override readonly name = 'CaptionerError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** How to wait. */
export interface Waiting {
  signal?: AbortSignal;
  /** Milliseconds between two questions. Default: 2000. */
  everyMs?: number;
}

export interface CaptionerOptions {
  /** The address of the service, such as `https://captions.example`. */
  baseUrl: string;
  /** An API key. */
  key: string;
  /** How often a request is tried that the service cannot take now. Default: 5. */
  tries?: number;
  fetch?: typeof fetch;
}

interface Sending {
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** The requests of a person or program with a key. */
export class Captioner {
  readonly #base: string;
  readonly #options: CaptionerOptions;

  constructor(options: CaptionerOptions) {
    this.#base = options.baseUrl.replace(/\/$/, '');
    this.#options = options;
  }

  /**
   * Uploads an MP3.
   * @param name its key on the service, such as `talks/keynote.mp3`
   */
  async upload(name: string, mp3: Blob | ArrayBuffer, signal?: AbortSignal): Promise<Receipt> {
    const headers = { 'content-type': 'audio/mpeg' };
    const path = name.split('/').map(encodeURIComponent).join('/');
    return (await this.#send('PUT', `/audio/${path}`, { body: mp3, headers, signal })).json();
  }

  /** Starts a run and returns its id. A request that is repeated starts no second one. */
  async run(payload: Payload, idempotencyKey: string = crypto.randomUUID()): Promise<string> {
    const headers = { ...JSON_BODY, 'idempotency-key': idempotencyKey };
    const body = JSON.stringify(payload);
    const sent = await this.#send('POST', '/workflows/captioner', { body, headers });
    const { runId }: Schemas['WorkflowAccepted'] = await sent.json();
    return runId;
  }

  /** Waits for the end of a run; its result is in `envelope`. */
  async wait(runId: string, waiting: Waiting = {}): Promise<Run> {
    const path = `/workflows/captioner/${encodeURIComponent(runId)}`;
    return this.#until<Run>(
      path,
      ({ state }) => state !== 'queued' && state !== 'running',
      waiting,
    );
  }

  /**
   * The captions of a run, with the changes of its review.
   * @param format such as `srt` or `vtt`
   * @param language that of a translation
   */
  async captions(runId: string, format = 'srt', language?: string): Promise<string> {
    const query = language === undefined ? '' : `?${new URLSearchParams({ language })}`;
    const path = `/workflows/captioner/${encodeURIComponent(runId)}/captions.${format}${query}`;
    return (await this.#send('GET', path)).text();
  }

  /** Translates the captions of a run, and waits for the end of that. */
  async translate(runId: string, language: string, waiting: Waiting = {}): Promise<Translation> {
    const place = `/workflows/captioner/${encodeURIComponent(runId)}/translations`;
    const body = JSON.stringify({ language });
    const { signal } = waiting;
    const sent = await this.#send('POST', place, { body, headers: JSON_BODY, signal });
    const { id }: Translation = await sent.json();
    return this.#until<Translation>(`${place}/${id}`, (one) => one.finishedAt !== null, waiting);
  }

  async #until<T>(path: string, isOver: (found: T) => boolean, waiting: Waiting): Promise<T> {
    const { signal, everyMs = 2000 } = waiting;
    for (;;) {
      const found: T = await (await this.#send('GET', path, { signal })).json();
      if (isOver(found)) return found;
      await pause(everyMs, signal);
    }
  }

  /** Sends a request, again if the service is busy. @throws {CaptionerError} */
  async #send(method: string, path: string, sending: Sending = {}): Promise<Response> {
    const { tries = 5, fetch = globalThis.fetch, key } = this.#options;
    const { body, signal } = sending;
    const headers = { ...sending.headers, authorization: `Bearer ${key}` };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await fetch(`${this.#base}${path}`, {
        method,
        headers,
        // A redirect must not take the key to another server.
        redirect: 'error',
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      });
      if (answer.ok) return answer;
      const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
      if (!BUSY.has(answer.status) || attempt >= tries) throw await errorOf(answer);
      await answer.body?.cancel();
      const seconds = Number.isFinite(after) ? after : 2 ** (attempt - 1);
      await pause(Math.min(LONGEST_SECONDS, seconds) * 1000, signal);
    }
  }
}

const JSON_BODY = { 'content-type': 'application/json' };
const BUSY = new Set([429, 503]);
/** The longest wait before another try. */
const LONGEST_SECONDS = 60;

async function errorOf(answer: Response): Promise<CaptionerError> {
  const text = await answer.text();
  try {
    const { error }: Schemas['ErrorResponse'] = JSON.parse(text);
    return new CaptionerError(answer.status, error.code, error.message);
  } catch {
    return new CaptionerError(answer.status, 'unknown', `The service answered ${answer.status}.`);
  }
}

/** Waits; rejects when the signal is aborted. */
const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

/** Seconds by which the clocks of the two sides may differ, as Standard Webhooks has it. */
const TOLERATED_SECONDS = 300;

/**
 * Checks a delivery to a webhook, and returns its event. Pass over a delivery whose `webhook-id` you have seen.
 * @param body as it was received
 * @param secret `whsec_…`, as the service showed it once
 * @throws {CaptionerError} it is not signed with that secret, or is too old
 */
export async function verifyWebhook(
  body: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
  now: number = Date.now(),
): Promise<WebhookEvent> {
  const header = (name: string): string =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  const isFresh = Math.abs(now / 1000 - Number(at)) <= TOLERATED_SECONDS;
  const raw = bytesOf(secret.replace(/^whsec_/, ''));
  const how = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', raw, how, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${at}.${body}`);
  for (const one of isFresh ? (signatures ?? '').split(' ') : []) {
    const [version, signature = ''] = one.split(',');
    if (version !== 'v1' || !/^[\w+/]+=*$/.test(signature)) continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed))
      return JSON.parse(body);
  }
  throw new CaptionerError(
    401,
    'invalid_signature',
    'The delivery is not signed with this secret.',
  );
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
