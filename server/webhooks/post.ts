/**
 * Sends one POST to one address. It follows no redirects, does not look the host up again, and reads only the status.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

interface Post {
  url: URL;
  /** The address of the URL's host, and the only one to connect to. */
  address: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
}

/** The most bytes of a response that are read for its status line. */
const MAX_READ = 8192;

/**
 * Sends the request and returns the status of the response.
 * @throws {Error} a message about the connection, without addresses
 */
export function post({ url, address, headers, body, timeoutMs }: Post): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const hostname = url.hostname.replaceAll(/[[\]]/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  const bytes = Buffer.from(body);
  const send = (): void => {
    const lines = Object.entries({
      host: url.host,
      ...headers,
      'content-length': String(bytes.byteLength),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(bytes);
  };
  // Over TLS, `send` is called once the certificate has been checked.
  const socket: Socket = secure
    ? connectSecurely(
        { host: address, port, ...(isIP(hostname) ? {} : { servername: hostname }) },
        send,
      )
    : connectPlain({ host: address, port }, send);
  const timer = setTimeout(() => end(new Error('no response in time')), timeoutMs);
  const end = (outcome: number | Error): void => {
    clearTimeout(timer);
    if (typeof outcome === 'number') resolve(outcome);
    else reject(outcome);
    socket.destroy();
  };
  let read = '';
  socket.on('data', (chunk: Buffer) => {
    read += chunk.toString('latin1');
    // An interim response, such as 100, is followed by the final one.
    const [, status] = /(?:^|\r\n\r\n)HTTP\/1\.[01] ([2-9]\d\d)[ \r]/.exec(read) ?? [];
    if (status !== undefined) end(Number(status));
    else if (read.length > MAX_READ) end(new Error('the response is not HTTP'));
  });
  socket.on('error', (error: Error & { code?: string }) =>
    end(new Error(`the connection failed (${error.code ?? error.name})`)),
  );
  socket.on('close', () => end(new Error('the connection was closed without a response')));
  return promise;
}
