/** Requests to a Captioner server with its API key. */
import { realTime, type Waiting } from '../server/base/concurrency.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { commandLine } from './current-folder.ts';
import { storedKey } from './key-store.ts';

/** The most attempts in a row while the server is busy or the connection breaks. */
const MAX_TRIES = 8;

/** Requests to a server. */
export interface Requests {
  /**
   * Sends a request, and repeats it while the server is busy or the connection breaks.
   * @throws {CommandFailure} if the server refuses
   */
  send(method: string, path: string, make?: () => RequestInit): Promise<Response>;
  /** Sends a request once; null if there is no answer. */
  once(method: string, path: string, init: RequestInit): Promise<Response | null>;
  /** The failure for an error response, or for no answer. */
  refusal(response: Response | null): Promise<Error>;
  /** Whether the request may succeed later. */
  isPassing(response: Response | null): boolean;
  /** The most attempts in a row. */
  mostTries: number;
  /** Waits before another attempt. */
  pause: Waiting['pause'];
}

/**
 * The API key of a server: CAPTIONER_API_KEY, otherwise the one that `captioner login` stored.
 * @throws {CommandFailure} if there is none
 */
export function serverKey(address: URL): string {
  const fromEnvironment = process.env['CAPTIONER_API_KEY']?.trim();
  if (fromEnvironment) return fromEnvironment;
  const stored = storedKey(address);
  if (stored) return stored;
  throw new CommandFailure(
    `${address.origin} needs an API key: set CAPTIONER_API_KEY, or get one with ${commandLine('login', `EMAIL --server ${address.href}`)}`,
  );
}

/**
 * Parses the address of a server.
 * @throws {UsageError} if it is not a valid address
 */
export function serverAddress(given: string): URL {
  const address = URL.parse(given);
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.password) {
    throw new UsageError('--server must be an http or https address, without a password in it.');
  }
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(address.hostname);
  if (address.protocol === 'http:' && !isLocal) {
    throw new UsageError('--server must be an https address: over http the key could be read.');
  }
  return address;
}

/** Creates the requests to a server with a key; nothing is sent yet. */
export function requestsTo(
  address: URL,
  key: string,
  { pause }: Pick<Waiting, 'pause'> = realTime,
): Requests {
  const base = address.href.replace(/\/+$/, '');

  const once: Requests['once'] = (method, path, { headers, ...init }) =>
    fetch(`${base}${path}`, {
      ...init,
      method,
      // A redirect must not take the key to another server.
      redirect: 'error',
      headers: { ...(headers as Record<string, string>), authorization: `Bearer ${key}` },
    }).catch(() => null);
  const isPassing = (response: Response | null): boolean =>
    !response || [429, 502, 503, 504].includes(response.status);

  const send: Requests['send'] = async (method, path, make = () => ({})) => {
    for (let tries = 1; ; tries += 1) {
      const response = await once(method, path, make());
      if (response?.ok) return response;
      if (!isPassing(response) || tries >= MAX_TRIES) throw await refusal(address, response);
      const retryAfter = Number(response?.headers.get('retry-after') ?? NaN);
      await response?.body?.cancel();
      await pause(1000 * Math.min(60, retryAfter >= 0 ? retryAfter : 2 ** Math.min(tries, 5) / 4));
    }
  };
  return {
    once,
    send,
    isPassing,
    refusal: (response) => refusal(address, response),
    mostTries: MAX_TRIES,
    pause,
  };
}

/** The failure with the server's own message. */
async function refusal({ origin }: URL, response: Response | null): Promise<CommandFailure> {
  if (!response) return new CommandFailure(`${origin} cannot be reached.`);
  const body = (await response.json().catch(() => null)) as {
    error?: { code?: unknown; message?: unknown; details?: { path: string; message: string }[] };
  } | null;
  const { code, message, details = [] } = body?.error ?? {};
  if (typeof message !== 'string') {
    return new CommandFailure(`${origin} answered with status ${response.status}.`);
  }
  // A message may already say what its only detail says.
  const more = details.filter((detail) => !message.includes(detail.message));
  const lines = more.map((detail) => `\n- ${detail.path} ${detail.message}`).join('');
  return new CommandFailure(
    `${origin} refused the request (${response.status} ${String(code)}): ${message}${lines}`,
  );
}
