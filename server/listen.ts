/** Starts the HTTP server, on Bun or Deno. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './app.ts';
import { type Config } from './config/config.ts';
import type { PeerAddress } from './http/request.ts';
import { IDLE_SECONDS, type SetIdleTimeout } from './http/uploads/mp3-upload.ts';
import { Problem } from './http/problems.ts';
import { ConfigError } from './base/environment.ts';

export type Listener = ReturnType<typeof listen>;

/** The operations of a runtime's server. */
interface Server {
  port: number;
  peer: PeerAddress;
  setIdleTimeout: SetIdleTimeout;
  /** The number of requests whose response is not completely sent. */
  pending(): number;
  /** Stops accepting connections, or requests where the runtime would cut off those in progress. */
  refuse(): void;
  close(): Promise<void>;
}

/**
 * Listens on the configured port.
 * @throws {ConfigError} if it cannot be used
 */
export function listen({ port, host }: Pick<Config, 'port' | 'host'>) {
  const ready = Promise.withResolvers<Answer>();
  let answer: Answer = async (request) => (await ready.promise)(request);
  let isLeaving = false;
  const parting = (response: Response): Response => {
    if (isLeaving) response.headers.set('connection', 'close');
    return response;
  };
  const server = start(port, host, (request) => {
    const response = answer(request);
    return response instanceof Response ? parting(response) : response.then(parting);
  });
  return {
    port: server.port,
    peer: server.peer,
    setIdleTimeout: server.setIdleTimeout,
    /** Sets the app; until then, requests wait. */
    answer(app: Answer): void {
      answer = app;
      ready.resolve(app);
    },
    /** From now on, each connection ends with its response, so that clients look for another process. */
    leave: (): void => void (isLeaving = true),
    /** Stops accepting connections, and waits at most `graceMs` until all responses are sent. */
    async drain(graceMs: number): Promise<void> {
      server.refuse();
      for (let waited = 0; server.pending() > 0 && waited < graceMs; waited += 20) await sleep(20);
    },
    /** Ends every connection; clients of long responses, such as events, reconnect. */
    close: server.close,
  };
}

function start(port: number, host: string, answer: Answer): Server {
  try {
    return typeof Bun === 'undefined' ? onDeno(port, host, answer) : onBun(port, host, answer);
  } catch (error) {
    throw new ConfigError(
      `Port ${port} of ${host} cannot be used. Set PORT, METRICS_PORT or HOST.`,
      {
        cause: error,
      },
    );
  }
}

const invalidHost = (): Response =>
  new Problem(400, 'invalid_host', 'The Host header is invalid.').response();

/** The answer of a process that takes no more requests. */
function ending(): Response {
  const response = Problem.unavailable('This process is ending.', 1).response();
  response.headers.set('connection', 'close');
  return response;
}

function onBun(port: number, hostname: string, answer: Answer): Server {
  /** Bun's own requests, by the requests that were rewritten. */
  const originals = new WeakMap<Request, Request>();
  const original = (request: Request) => originals.get(request) ?? request;
  const server = Bun.serve({
    port,
    hostname,
    fetch(request) {
      // Bun joins several Host headers with commas, and takes the first one for the address (RFC 9112, 3.2: 400).
      if (request.headers.get('host')?.includes(',')) return invalidHost();
      // Without a valid Host, as in a health check by HTTP/1.0, Bun's url is only the path.
      if (!request.url.startsWith('/')) return answer(request);
      const whole = new Request(`http://localhost${request.url}`, request);
      originals.set(whole, request);
      return answer(whole);
    },
    // Bun's own limit responds with an empty 413; ours counts the bytes and gives the reason.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: IDLE_SECONDS,
  });
  return {
    port: server.port ?? port,
    peer: (request) => server.requestIP(original(request))?.address ?? null,
    setIdleTimeout: (request, seconds) => server.timeout(original(request), seconds),
    pending: () => server.pendingRequests,
    refuse: () => void server.stop(false),
    close: () => server.stop(true),
  };
}

/** The time in which Deno's connections can end by themselves. */
const CLOSE_MS = 500;

interface DenoRequestInfo {
  remoteAddr: { hostname?: string };
  /** Rejects if the client disconnects before it has the whole response. */
  completed: Promise<void>;
}

interface DenoServe {
  serve(
    options: { port: number; hostname: string; onListen(): void },
    fetch: (request: Request, info: DenoRequestInfo) => ReturnType<Answer>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

function onDeno(port: number, hostname: string, answer: Answer): Server {
  const { Deno } = globalThis as unknown as { Deno: DenoServe };
  const peers = new WeakMap<Request, string>();
  const pending = new Set<Request>();
  let isRefusing = false;
  const options = { port, hostname, onListen: () => {} };
  const server = Deno.serve(options, (request, info) => {
    // Deno concatenates Host and path unchecked, so anything besides a host would change the path.
    if (/[/?#\\]/.test(request.headers.get('host') ?? '')) {
      return invalidHost();
    }
    if (isRefusing) return ending();
    const { hostname: address } = info.remoteAddr;
    if (address) peers.set(request, address);
    // Deno's own signal also aborts after a complete response, and prints a warning when it is read.
    const gone = new AbortController();
    pending.add(request);
    info.completed
      .catch((reason: unknown) => gone.abort(reason))
      .finally(() => pending.delete(request));
    Object.defineProperty(request, 'signal', { value: gone.signal });
    return answer(request);
  });
  return {
    port: server.addr.port,
    peer: (request) => peers.get(request) ?? null,
    // Deno does not end idle connections.
    setIdleTimeout: () => {},
    pending: () => pending.size,
    // Deno's own shutdown cuts off the bodies that are still being sent, so it waits until these are read.
    refuse: () => void (isRefusing = true),
    // Deno cannot end the connections of a server that no longer accepts any; they end with the process.
    close: () => Promise.race([server.shutdown().catch(() => {}), sleep(CLOSE_MS)]),
  };
}
