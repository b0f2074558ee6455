/** Requests of the shell to a server: which address and key, repeated while it is busy, and refusals. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../scripts/command-line.ts';
import { requestsTo, serverAddress, serverKey } from '../../scripts/server-requests.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const server = await startHttpDouble(() => new Response('fine'));
afterAll(() => server.close());
afterEach(() => server.behave(null));
beforeEach(() => void (server.requests.length = 0));

const connected = (path = '/') => {
  const waiting = noWaiting();
  return { ...requestsTo(new URL(path, server.origin), 'secret-key', waiting), waiting };
};
const busy = (headers: Record<string, string> = {}) => new Response('', { status: 503, headers });

test.each([
  'https://captions.example/api',
  'http://localhost:3000',
  'http://127.0.0.1',
  'http://[::1]:1',
])('a server may be at %s', (address) => {
  expect(serverAddress(address).href).toBe(new URL(address).href);
});

test.each([
  ['captions.example', 'http or https'],
  ['ftp://captions.example', 'http or https'],
  ['https://ann@captions.example', 'without a password'],
  ['https://:secret@captions.example', 'without a password'],
  ['http://captions.example', 'over http the key could be read'],
  ['http://captions.localhost.example', 'over http the key could be read'],
  ['http://localhost.captions.example', 'over http the key could be read'],
  ['http://127.0.0.1.captions.example', 'over http the key could be read'],
])('a server may not be at %s: %s', (address, says) => {
  expect(() => serverAddress(address)).toThrow(UsageError);
  expect(() => serverAddress(address)).toThrow(says);
});

describe('the key of a server', () => {
  const { CAPTIONER_API_KEY, PATH } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
    if (CAPTIONER_API_KEY === undefined) delete process.env['CAPTIONER_API_KEY'];
    else process.env['CAPTIONER_API_KEY'] = CAPTIONER_API_KEY;
  });
  const address = new URL('https://captions.example/api');

  test('is in the environment, without the spaces around it', () => {
    process.env['CAPTIONER_API_KEY'] = ' secret-key\n';
    expect(serverKey(address)).toBe('secret-key');
  });

  test('is otherwise in the keychain, for the host with its port', async () => {
    const folder = await temporaryFolder();
    const tool = process.platform === 'darwin' ? 'security' : 'secret-tool';
    await writeFile(join(folder, tool), '#!/bin/sh\necho " $@ "\n', { mode: 0o755 });
    delete process.env['CAPTIONER_API_KEY'];
    process.env['PATH'] = folder;
    expect(serverKey(new URL('https://captions.example:8443/api'))).toBe(
      process.platform === 'darwin'
        ? 'find-generic-password -s captioner -a captions.example:8443 -w'
        : 'lookup service captioner host captions.example:8443',
    );
    await removeFolder(folder);
  });

  test('is asked for if there is none', () => {
    process.env['CAPTIONER_API_KEY'] = ' ';
    process.env['PATH'] = '/dev/null';
    expect(() => serverKey(address)).toThrow(
      'https://captions.example needs an API key: set CAPTIONER_API_KEY, or store one in the keychain as captioner for captions.example.',
    );
  });
});

test('a request goes below the address of the server, with the key', async () => {
  const { send } = connected('/captions/');
  const response = await send('PUT', '/audio/a.mp3', () => ({
    body: 'bytes',
    headers: { 'content-type': 'audio/mpeg' },
  }));
  expect(await response.text()).toBe('fine');
  const [seen] = server.requests;
  expect([seen?.method, seen?.url.pathname, String(seen?.body)]).toEqual([
    'PUT',
    '/captions/audio/a.mp3',
    'bytes',
  ]);
  expect(['authorization', 'content-type'].map((name) => seen?.header(name))).toEqual([
    'Bearer secret-key',
    'audio/mpeg',
  ]);
});

test('a redirect does not take the key elsewhere', async () => {
  server.behave(({ url }) =>
    url.pathname === '/a'
      ? new Response('', { status: 307, headers: { location: `${server.origin}/b` } })
      : new Response('fine'),
  );
  expect(await connected().once('GET', '/a', {})).toBeNull();
  expect(server.requests.map(({ url }) => url.pathname)).toEqual(['/a']);
});

test.each([429, 502, 503, 504])('a request is repeated after status %i', async (status) => {
  server.behave(({ at }) => (at === 0 ? new Response('', { status }) : new Response('fine')));
  const { send, waiting } = connected();
  expect((await send('GET', '/')).status).toBe(200);
  expect(waiting.pauses).toEqual([500]);
});

test('a request is repeated eight times, after longer and longer pauses', async () => {
  server.behave(() => busy());
  const { send, waiting } = connected();
  await expect(send('GET', '/')).rejects.toThrow(`${server.origin} answered with status 503.`);
  expect(server.requests).toHaveLength(8);
  expect(waiting.pauses).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
});

test('a request is repeated after the pause that the server asks for, a minute at most', async () => {
  const asked = ['0', '7', '3600', 'soon'];
  server.behave(({ at }) =>
    asked[at] === undefined ? new Response('fine') : busy({ 'retry-after': asked[at] }),
  );
  const { send, waiting } = connected();
  await send('GET', '/');
  expect(waiting.pauses).toEqual([0, 7000, 60_000, 4000]);
});

test('a server that does not answer is named', async () => {
  server.behave(() => ({ fault: 'drop' }));
  await expect(connected().send('GET', '/')).rejects.toThrow(`${server.origin} cannot be reached.`);
  expect(server.requests.length).toBeGreaterThan(1);
});

test('a refusal is not repeated, and says what the server says', async () => {
  const error = { code: 'forbidden', message: 'This key may not do that.' };
  server.behave(() => Response.json({ error }, { status: 403 }));
  await expect(connected().send('GET', '/')).rejects.toThrow(
    `${server.origin} refused the request (403 forbidden): This key may not do that.`,
  );
  server.behave(() => new Response('<html>', { status: 500 }));
  await expect(connected().send('GET', '/')).rejects.toThrow(
    `${server.origin} answered with status 500.`,
  );
  expect(server.requests).toHaveLength(2);
});
