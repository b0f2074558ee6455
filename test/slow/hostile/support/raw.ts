/** Sends raw bytes over a socket, as no HTTP client would. */
import { expect } from 'bun:test';
import { signUp } from '../../../support/servers/client.ts';
import { dial, untilClosed } from '../../../support/servers/dial.ts';
import { testServer } from '../../../support/servers/test-server.ts';

/** The bytes received before the connection ended. */
export interface RawAnswer {
  /** The statuses of the responses, in order. */
  statuses: number[];
  text: string;
}

/**
 * Sends bytes, ends the connection's sending side, and reads until the server closes it.
 * @param text each character is a byte
 */
async function sendRaw(url: string, text: string): Promise<RawAnswer> {
  const connection = dial(url);
  const { socket } = connection;
  socket.write(Buffer.from(text, 'latin1'));
  // Ending immediately would suppress the response; without a response, the request is incomplete.
  const end = () => void socket.end();
  socket.once('data', () => setTimeout(end, 50));
  setTimeout(end, 5000);
  const answer = await untilClosed(connection, 90_000);
  const found = answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm);
  return { statuses: [...found].map(([, status]) => Number(status)), text: answer };
}

/** 505 is the runtime's response to an invalid request line; any other 5xx is an error of ours. */
export function expectNoFailure({ statuses, text }: RawAnswer): void {
  expect(statuses.filter((status) => status >= 500 && status !== 505)).toEqual([]);
  expect(text).not.toMatch(/\n\s+at |\.ts:\d|node_modules|SQLITE_|\/server\//);
  const heads = text.split('\r\n\r\n').filter((part) => part.includes('HTTP/1.1 '));
  expect(heads.join('\n')).not.toMatch(/^(x-injected|set-cookie):/im);
}

/** A server, a user with a key, and a function that sends bytes to it. */
export async function rawTarget() {
  const server = await testServer();
  const ann = await signUp(server, 'ann@example.com');
  const raw = (text: string): Promise<RawAnswer> => sendRaw(server.url, text);
  return { server, ann, key: `Authorization: Bearer ${ann.key}`, raw };
}

/** The head of a request, with its lines unchanged. */
export const head = (first: string, lines: readonly string[] = []): string =>
  `${[first, 'Host: captions.example', ...lines].join('\r\n')}\r\n\r\n`;
