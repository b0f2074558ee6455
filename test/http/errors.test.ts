/** Error responses of unknown paths and methods: JSON for programs, a page for people. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorResponse } from '../../server/contract/failure.ts';
import { validator } from '../../server/contract/schema.ts';
import { signUp, type Any } from '../support/servers/client.ts';
import { sample } from '../support/sample.ts';
import { logged } from '../support/servers/server-process.ts';
import { testServer } from '../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const server = await testServer();
const ann = await signUp(server, 'ann@example.com');

const ask = (path: string, accept = '*/*', method = 'GET') =>
  fetch(`${server.url}${path}`, { method, headers: { accept } });

describe('for programs', () => {
  test.each([
    ['/nothing', 'GET', 404, 'not_found'],
    ['/nothing', 'POST', 404, 'not_found'],
    ['/workflows/captioner/run_1', 'GET', 401, 'missing_credential'],
    ['/workflows/captioner/run_1/captions.srt/more', 'GET', 404, 'not_found'],
    ['/%', 'GET', 404, 'not_found'],
  ])('%s by %s: %i %s', async (path, method, status, code) => {
    const response = await ask(path, '*/*', method);
    const body = await response.json();
    expect([response.status, body.error.code]).toEqual([status, code]);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(validator(ErrorResponse).issues(body)).toEqual([]);
  });

  test.each([
    ['/', 'POST', 'GET, HEAD, OPTIONS'],
    ['/auth.md', 'DELETE', 'GET, HEAD, OPTIONS'],
    ['/health', 'PUT', 'GET, HEAD, OPTIONS'],
    ['/agent/auth', 'GET', 'POST, OPTIONS'],
    ['/agent/auth/claim/complete', 'GET', 'POST, OPTIONS'],
    ['/audio/talks/a.mp3', 'GET', 'PUT, DELETE, OPTIONS'],
    ['/workflows/captioner', 'PUT', 'POST, GET, HEAD, OPTIONS'],
    ['/workflows/captioner/run_1', 'POST', 'GET, DELETE, HEAD, OPTIONS'],
  ])('%s does not support %s, and lists what it supports', async (path, method, allow) => {
    const response = await ask(path, '*/*', method);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect((await response.json()).error.code).toBe('method_not_allowed');
  });
});

test('a preflight of an unknown address lists no methods', async () => {
  const response = await fetch(`${server.url}/nothing`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });
  expect([response.status, response.headers.get('allow')]).toEqual([204, null]);
});

describe('for people', () => {
  test.each([
    ['/nothing', 404, 'Page not found'],
    ['/workflows/captioner/run_1', 401, 'A key is needed'],
    ['/agent/auth', 405, 'This address is not a page'],
  ])('%s: a page with status %i and links', async (path, status, title) => {
    const response = await ask(path, BROWSER);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const html = await response.text();
    expect(html).toContain(`<h1 id=`);
    expect(html).toContain(`>${title}</h1>`);
    expect(html).toContain(`href="${server.url}/auth"`);
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect(html).not.toContain('\uE000');
  });

  test('the page has the headers of the error', async () => {
    const response = await ask('/workflows/captioner', BROWSER);
    expect(response.headers.get('www-authenticate')).toContain('resource_metadata=');
  });

  test('the address is not repeated in the page', async () => {
    const html = await (await ask('/<script>alert(1)</script>?<b>', BROWSER)).text();
    expect(html).not.toContain('alert(1)');
  });
});

describe('HEAD', () => {
  test.each([
    ['/nothing', 404],
    ['/health', 200],
    ['/workflows/captioner', 401],
    ['/agent/auth', 405],
  ])('%s: %i and no body', async (path, status) => {
    const response = await ask(path, '*/*', 'HEAD');
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  test('of an event stream ends immediately', async () => {
    const { runId } = await (await ann.start({ audio: { key: 'missing.mp3' } })).json();
    const response = await fetch(`${server.url}/workflows/captioner/${runId}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ann.key}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  });
});

test('an unexpected error is reported without its cause, and logged with its route', async () => {
  // The recordings folder is now a file, so nothing can be stored.
  await rm(join(server.dataDir, 'audio'), { recursive: true });
  await writeFile(join(server.dataDir, 'audio'), '');
  const response = await ann.put('secret-name.mp3', await readFile(sample));
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: { code: 'internal', message: 'Something went wrong on the server.' },
  });
  expect(await (await ask('/health')).json()).toEqual({ ok: false });
  const all = await logged(server, 'request_failed', 'health_check_failed');
  const lines = all
    .filter((line) => /request_failed|health_check_failed/.test(line))
    .map((line): Any => JSON.parse(line));
  expect(lines[0].route).toBe('PUT /audio/{key}');
  expect(lines[1].part).toBe('audioStore');
});
