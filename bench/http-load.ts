/** HTTP load over bare sockets: the client is cheap, so that mainly the server is measured. */

export interface Load {
  /** Requests per second. */
  rate: number;
  /** The 99th percentile of the time to first byte, in milliseconds. */
  p99: number;
}

const CONNECTIONS = 64;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** Sends requests for a time, one after the other on each of 64 keep-alive connections. */
export async function httpLoad(port: number, accept: string, ms: number): Promise<Load> {
  const request = Buffer.from(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\n\r\n`);
  const waits: number[] = [];
  const started = performance.now();
  const over = Promise.withResolvers<void>();

  const connect = () => {
    let asked = 0;
    let head = Buffer.alloc(0);
    /** The bytes of the body still to come; null until the head is complete. */
    let missing: number | null = null;
    const ask = (socket: Bun.Socket) => {
      asked = performance.now();
      missing = null;
      head = Buffer.alloc(0);
      socket.write(request);
    };
    return Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: ask,
        data(socket, chunk) {
          if (missing === null) {
            if (head.length === 0) waits.push(performance.now() - asked);
            head = Buffer.concat([head, chunk]);
            const end = head.indexOf(END_OF_HEAD);
            if (end < 0) return;
            const length = /content-length: (\d+)/i.exec(head.toString('latin1', 0, end))?.[1];
            missing = Number(length) - (head.length - end - END_OF_HEAD.length);
          } else {
            missing -= chunk.length;
          }
          if (missing > 0) return;
          if (performance.now() - started < ms) ask(socket);
          else over.resolve();
        },
      },
    });
  };

  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, connect));
  await over.promise;
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.end();
  waits.sort((a, b) => a - b);
  return {
    rate: waits.length / seconds,
    p99: waits[Math.floor(waits.length * 0.99)] ?? 0,
  };
}
