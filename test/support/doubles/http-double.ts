/**
 * A double of a service over real HTTP, with responses chosen by the test; it can also misbehave.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A received request. */
export interface Seen {
  method: string;
  url: URL;
  header(name: string): string | null;
  body: Buffer;
  /** The number of earlier requests. */
  at: number;
}

/**
 * Faults of a response: none at all (`hang`), the connection closed before it (`drop`) or within it
 * (`reset`), or half of it as if it were whole (`cut`).
 */
export type Fault = 'hang' | 'drop' | 'reset' | 'cut';
export interface Misbehaviour {
  fault: Fault;
  /** The response of which half is sent. */
  answer?: Response;
}

export type Wire = (request: Seen) => Promise<Response | Misbehaviour> | Response | Misbehaviour;

export interface HttpDouble {
  /** Without a trailing slash. */
  origin: string;
  requests: Seen[];
  /** Replaces the wire until the next call; null restores the original. */
  behave(behaviour: Wire | null): void;
  /** The highest number of simultaneous requests. */
  peak(): number;
  /** Requests whose client disconnected before the response. */
  abandoned(): number;
  close(): Promise<void>;
}

/** Starts a service with the given wire. */
export async function startHttpDouble(wire: Wire): Promise<HttpDouble> {
  let behaviour: Wire | null = null;
  let underWay = 0;
  let peak = 0;
  let abandoned = 0;
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    underWay += 1;
    peak = Math.max(peak, underWay);
    response.on('close', () => {
      underWay -= 1;
      if (!response.headersSent || (!response.writableEnded && !request.complete)) abandoned += 1;
    });
    void (async () => {
      try {
        const body = await buffer(request);
        const seen: Seen = {
          method: request.method ?? '',
          url: new URL(request.url ?? '/', 'http://double'),
          header: (name) => {
            const value = request.headers[name];
            return typeof value === 'string' ? value : null;
          },
          body,
          at: requests.length,
        };
        requests.push(seen);
        await send(response, await (behaviour ?? wire)(seen));
      } catch {
        response.destroy();
      }
    })();
  });
  // A client that is starved for longer would find its connection closed.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    behave: (next) => void (behaviour = next),
    peak: () => peak,
    abandoned: () => abandoned,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function send(response: ServerResponse, made: Response | Misbehaviour): Promise<void> {
  if (made instanceof Response) {
    response.writeHead(made.status, Object.fromEntries(made.headers));
    response.end(Buffer.from(await made.arrayBuffer()));
    return;
  }
  if (made.fault === 'hang') return;
  if (made.fault === 'drop') {
    response.destroy();
    return;
  }
  const answer = made.answer ?? new Response('{"half":"of an answer"}');
  const whole = Buffer.from(await answer.arrayBuffer());
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  response.writeHead(200, { 'content-type': 'application/json' });
  if (made.fault === 'cut') response.end(half);
  else response.write(half, () => response.destroy());
}
