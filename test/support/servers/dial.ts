/** A bare TCP connection, for bytes that no HTTP client sends. */
import { connect, type Socket } from 'node:net';

/** A connection and the bytes received over it. */
export interface Connection {
  socket: Socket;
  /** The response so far; by default each byte is a character. */
  answer(encoding?: BufferEncoding): string;
  closed(): boolean;
}

/** Opens a connection; writes before it is open are queued. */
export function dial(url: string): Connection {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  let closed = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The server may reset the connection after nonsense.
  socket.on('error', () => {});
  socket.on('close', () => (closed = true));
  return {
    socket,
    answer: (encoding = 'latin1') => Buffer.concat(chunks).toString(encoding),
    closed: () => closed,
  };
}

/**
 * The whole response until the connection ends.
 * @throws {Error} if it does not end in time
 */
export const untilClosed = ({ socket, answer }: Connection, ms: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end within ${ms} ms; so far: ${answer().slice(0, 200)}`));
    }, ms);
    socket.once('close', () => {
      clearTimeout(late);
      resolve(answer());
    });
  });
