/** A bare TCP connection, for bytes that no HTTP client sends. */
import { connect, type Socket } from 'node:net';

/** A connection, and what has come over it. */
export interface Connection {
  socket: Socket;
  /** What was answered so far; by default each byte is a character. */
  answer(encoding?: BufferEncoding): string;
  closed(): boolean;
}

/** Opens a connection; what is written before it is there waits. */
export function dial(url: string): Connection {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  let closed = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that hangs up on nonsense is in its right.
  socket.on('error', () => {});
  socket.on('close', () => (closed = true));
  return {
    socket,
    answer: (encoding = 'latin1') => Buffer.concat(chunks).toString(encoding),
    closed: () => closed,
  };
}

/** All that is answered until the connection ends. @throws {Error} where it does not end in time */
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
