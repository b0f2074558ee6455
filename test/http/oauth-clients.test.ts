/** Connectors that expect OAuth: both generations of the official MCP SDK with the real routes. */
import { describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const url = new URL('http://localhost:3000/mcp');

/** A connector without a client id, which registers, requests a token and then redirects a user. */
function connector() {
  const sent: string[] = [];
  const provider: Any = {
    redirectUrl: 'http://localhost:9999/callback',
    clientMetadata: { client_name: 'connector', redirect_uris: ['http://localhost:9999/callback'] },
    clientInformation: () => undefined,
    saveClientInformation: () => {},
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: (to: URL) => void sent.push(String(to)),
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
  };
  const fetchOf = async (to: string | URL | Request, init?: RequestInit) => {
    const request = new Request(to, init);
    sent.push(`${request.method} ${new URL(request.url).pathname}`);
    return app.answer(request);
  };
  return { options: { authProvider: provider, fetch: fetchOf }, sent };
}

describe.each([
  [
    'SDK 1.x',
    (options: Any) =>
      new OldClient({ name: 't', version: '1' }).connect(new OldTransport(url, options) as Any),
  ],
  [
    'SDK 2.x',
    (options: Any) =>
      new Client({ name: 't', version: '1' }).connect(
        new StreamableHTTPClientTransport(url, options),
      ),
  ],
])('%s', (_generation, connect) => {
  test('shows why there is no token and what to do, rather than a parser error', async () => {
    const { options, sent } = connector();
    const error: Any = await connect(options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).not.toBe('ZodError');
    expect(`${error.message}`).toContain('Captioner issues no access tokens');
    expect(`${error.message}`).toContain('http://localhost:3000/auth.md');
    expect(sent).toContain('GET /.well-known/oauth-protected-resource/mcp');
    expect(sent).toContain('POST /oauth/register');
    expect(sent.filter((line) => line.startsWith('http'))).toEqual([]);
  });
});

test.each([
  [
    'GET',
    '/oauth/authorize?client_id=x&redirect_uri=https://evil.example',
    'unsupported_response_type',
  ],
  ['POST', '/oauth/token', 'unsupported_grant_type'],
  ['POST', '/oauth/register', 'invalid_client_metadata'],
])("%s %s refuses in OAuth's format, and redirects nowhere", async (method, path, error) => {
  const answer = await app.ask(path, { method });
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  expect(await answer.json()).toEqual({
    error,
    error_description: expect.stringContaining('issues no access tokens'),
    error_uri: 'http://localhost:3000/auth.md',
  });
});

test("the challenge of the MCP server names its own metadata, that of the API the API's", async () => {
  const challenge = async (path: string) =>
    (await app.ask(path, { method: 'POST' })).headers.get('www-authenticate');
  expect(await challenge('/mcp')).toContain('/.well-known/oauth-protected-resource/mcp"');
  expect(await challenge('/workflows/captioner')).toContain(
    '/.well-known/oauth-protected-resource"',
  );
});

test('problem details of these refusals are complete', async () => {
  const answer = await app.ask('/oauth/token', {
    method: 'POST',
    headers: { accept: 'application/problem+json' },
  });
  expect(await answer.json()).toMatchObject({ status: 400, code: 'unsupported_grant_type' });
});

test.each(['token', 'register'])('the body of a request to /oauth/%s is not read', async (name) => {
  const response = await app.ask(`/oauth/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect([response.status, (await response.json()).error_uri]).toEqual([
    400,
    'http://localhost:3000/auth.md',
  ]);
});
