/** Posts over HTTPS: the certificate has to be one that is trusted, and for the host of the URL. */
import { afterAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { Socket, type AddressInfo } from 'node:net';
import {
  createServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from 'node:tls';
import { post } from '../../server/webhooks/deliverer.ts';
import { selfSigned } from '../support/doubles/certificate.ts';

const certificate = selfSigned('hook.test');
let received = '';
let asked: unknown;
const ofAddress = selfSigned('127.0.0.1');
const server = createServer(certificate, (socket: TLSSocket) => {
  asked = socket.servername;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received += chunk.toString();
    if (received.endsWith('{}')) socket.write('HTTP/1.1 204 None\r\n\r\n');
  });
});
server.on('tlsClientError', () => {});
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
const { port } = server.address() as AddressInfo;
const authorities = getCACertificates('default');

beforeEach(() => {
  [received, asked] = ['', undefined];
});
afterAll(() => {
  setDefaultCACertificates(authorities);
  server.close();
});

/** The outcome of a post to a host at 127.0.0.1, if some authorities are trusted. */
const outcome = (host: string, trusted: readonly string[]) => {
  setDefaultCACertificates(trusted);
  const url = new URL(`https://${host}:${port}/hook?a=1`);
  const sent = { url, address: '127.0.0.1', headers: { 'x-a': '1' }, body: '{}' };
  return post({ ...sent, timeoutMs: 60_000 }).catch((error: Error) => error.message);
};

test('a trusted certificate for the host of the URL is accepted', async () => {
  expect(await outcome('hook.test', [certificate.cert])).toBe(204);
  expect(asked).toBe('hook.test');
  expect(received).toBe(
    `POST /hook?a=1 HTTP/1.1\r\nhost: hook.test:${port}\r\nx-a: 1\r\ncontent-length: 2\r\n` +
      'connection: close\r\n\r\n{}',
  );
});

test('a trusted certificate for an address is accepted, and the address is not sent as a name', async () => {
  server.setSecureContext(ofAddress);
  expect(await outcome('127.0.0.1', [ofAddress.cert])).toBe(204);
  expect(asked).toBeFalsy();
  server.setSecureContext(certificate);
});

test.each([
  ['that nobody vouches for', 'hook.test', []],
  ['for another host', 'other.test', [certificate.cert]],
  ['for a name, where the URL has an address', '127.0.0.1', [certificate.cert]],
])('a certificate %s is refused before anything is sent', async (_what, host, trusted) => {
  expect(await outcome(host, trusted)).toStartWith('the connection failed (');
  expect(received).toBe('');
});

test.each([
  ['https://192.0.2.1/', { host: '192.0.2.1', port: 443 }],
  ['http://192.0.2.1/', { host: '192.0.2.1', port: 80 }],
  ['https://[2001:db8::1]/', { host: '192.0.2.1', port: 443 }],
])('%s is reached at the port of its scheme, without a name', async (url, target) => {
  const connected = spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
    return this.destroy(new Error('not connected'));
  });
  const sent = { url: new URL(url), address: '192.0.2.1', headers: {}, body: '' };
  const outcome = await post({ ...sent, timeoutMs: 60_000 }).catch((error: Error) => error.message);
  const [options] = [connected.mock.lastCall?.[0]].flat() as unknown[];
  connected.mockRestore();
  expect(outcome).toBe('the connection failed (Error)');
  expect(options).toMatchObject(target);
  expect(options).not.toHaveProperty('servername');
});
