/** Bytes over a socket, as no HTTP client would send them. */
import { connect, type Socket } from 'node:net';
import { expect } from 'bun:test';
import { signUp } from '../../support/client.ts';
import { testServer } from '../../support/test-server.ts';

/** What came back before the connection ended. */
export interface RawAnswer {
  /** The status of each answer, in their order. */
  statuses: number[];
  text: string;
}

/** Opens a connection. */
export const dial = (url: string): Socket => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // A server that hangs up on nonsense is in its right.
  socket.on('error', () => {});
  return socket;
};

/**
 * Sends bytes, then says that there are no more, and reads until the server hangs up.
 * @param text each character is a byte
 */
function sendRaw(url: string, text: string, ms = 8000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = dial(url);
    const chunks: Buffer[] = [];
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end within ${ms} ms of ${JSON.stringify(text.slice(0, 200))}`));
    }, ms);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => {
      clearTimeout(late);
      const answer = Buffer.concat(chunks).toString('latin1');
      const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(
        ([, status]) => +(status ?? 0),
      );
      resolve({ statuses, text: answer });
    });
    socket.write(Buffer.from(text, 'latin1'));
    // Whoever says so at once is not answered; whoever is not answered has something missing.
    const end = () => void socket.end();
    socket.once('data', () => setTimeout(end, 50));
    setTimeout(end, 1500);
  });
}

/** 505 is the runtime's word for a first line that is none of HTTP; every other 5xx is a failure of ours. */
export function expectNoFailure({ statuses, text }: RawAnswer): void {
  expect(statuses.filter((status) => status >= 500 && status !== 505)).toEqual([]);
  expect(text).not.toMatch(/\n\s+at |\.ts:\d|node_modules|SQLITE_|\/server\//);
  const heads = text.split('\r\n\r\n').filter((part) => part.includes('HTTP/1.1 '));
  expect(heads.join('\n')).not.toMatch(/^(x-injected|set-cookie):/im);
}

/** A server, somebody with a key to it, and what sends bytes to it. */
export async function rawTarget() {
  const server = await testServer();
  const ann = await signUp(server, 'ann@example.com');
  const raw = (text: string): Promise<RawAnswer> => sendRaw(server.url, text);
  return { server, ann, key: `Authorization: Bearer ${ann.key}`, raw };
}

/** The head of a request, its lines as they are given. */
export const head = (first: string, lines: readonly string[] = []): string =>
  `${[first, 'Host: captions.example', ...lines].join('\r\n')}\r\n\r\n`;
