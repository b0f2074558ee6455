/** Keys: how clients get them, and which routes need which. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ErrorResponse } from '../../server/contract/failure.ts';
import { AgentAuthCompleted, AgentAuthStarted } from '../../server/contract/registration.ts';
import { validator } from '../../server/contract/schema.ts';
import { mailedCode, post, type Any } from '../support/servers/client.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { testServer } from '../support/servers/test-server.ts';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mountedApp } from '../support/servers/mounted.ts';
import { createAuthorize } from '../../server/http/identity/guard.ts';
import type { PublicAddress } from '../../server/http/request.ts';
import {
  IdentityError,
  type IdentityProvider,
  type Principal,
} from '../../server/identity/provider.ts';
import { paths } from '../support/documents.ts';
import { watchedBody } from '../support/watched-body.ts';

setDefaultTimeout(300_000);

// Registration over HTTP with a running server: shapes, errors and their order.
const server = await testServer({ env: { REGISTRATIONS_PER_IP: '12' } });

const valid = {
  type: 'identity_assertion',
  assertion_type: 'verified_email',
  assertion: 'ann@example.com',
  requested_credential_type: 'api_key',
};
const register = (body: object, headers = {}) => post(`${server.url}/agent/auth`, body, headers);
const complete = (body: object) => post(`${server.url}/agent/auth/claim/complete`, body);

async function refused(response: Response): Promise<string> {
  const body = await response.json();
  expect(validator(ErrorResponse).issues(body)).toEqual([]);
  return `${response.status} ${body.error.code}`;
}

describe('refusals, in order', () => {
  const { type, assertion_type } = valid;
  const bad = {
    type: 'anonymous',
    assertion_type: 'id-jag',
    requested_credential_type: 'access_token',
    requested_scopes: ['everything'],
    assertion: 'nobody',
  };
  const scopes = (requested_scopes: unknown) => ({ ...valid, requested_scopes });
  test.each([
    [bad, '400 unsupported_identity_type'],
    [{ ...bad, type }, '400 unsupported_assertion_type'],
    [{ ...bad, type, assertion_type }, '400 unsupported_credential_type'],
    [{ ...scopes(['everything']), assertion: 'nobody' }, '400 unsupported_scope'],
    // Neither is read as if it asked for all scopes, or for the known ones.
    [scopes(null), '400 unsupported_scope'],
    [scopes(['captioner:audio:upload', 'captioner:admin']), '400 unsupported_scope'],
    [{ ...valid, assertion: 'nobody' }, '400 invalid_email'],
    [{ ...valid, assertion: 'a@b@example.com' }, '400 invalid_email'],
    [{ ...valid, assertion: 12 }, '400 invalid_email'],
    [{}, '400 unsupported_identity_type'],
  ])('%j: %s', async (body, expected) => {
    expect(await refused(await register(body))).toBe(expected);
  });

  test.each([
    [{}, '400 invalid_claim_token'],
    [{ claim_token: 'clm_x' }, '400 invalid_otp'],
    [{ claim_token: 'clm_x', otp: '12345' }, '400 invalid_otp'],
    [{ claim_token: 'clm_x', otp: '123456' }, '401 invalid_claim_token'],
  ])('a completion with %j: %s', async (body, expected) => {
    expect(await refused(await complete(body))).toBe(expected);
  });
});

test('a complete registration, with unknown fields allowed and `code` for the code', async () => {
  const requested_scopes = ['captioner:caption:run'];
  const response = await register({ ...valid, requested_scopes, agent: 'test' });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const started = await response.json();
  expect(validator(AgentAuthStarted).issues(started)).toEqual([]);
  expect(started.delivery.email).toBe('a***@example.com');
  expect(started.claim_token_expires).toBe(started.claim_token_expires_at);
  expect(started.post_claim_scopes).toEqual(['captioner:caption:run']);
  const code = await mailedCode(server.dataDir, valid.assertion);
  const { claim_token } = started;
  const claimed = await complete({ claim_token, code });
  const body = await claimed.json();
  expect([claimed.status, claimed.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(validator(AgentAuthCompleted).issues(body)).toEqual([]);
  expect(body.credential).toBe(body.api_key);
  expect(body.workspace.external_id).toMatch(/^personal:user_/);
  const again = await complete({ claim_token, otp: code });
  expect(await refused(again)).toBe('409 claim_already_used');
  expectNoSecrets(server.log(), [code, started.claim_token, body.credential]);
});

test('the sixth registration of an address within an hour has to wait', async () => {
  for (let count = 1; count < 5; count += 1) {
    expect((await register(valid)).status).toBe(200);
  }
  const response = await register(valid);
  const retryAfter = Number(response.headers.get('retry-after'));
  expect(retryAfter).toBeWithin(3501, 3601);
  expect(response.headers.get('ratelimit-policy')).toContain('q=5;w=3600');
  expect(await refused(response)).toBe('429 rate_limited');
});

test('so does a client with too many addresses, even with a forged X-Forwarded-For', async () => {
  let last = new Response();
  for (let count = 0; count < 12; count += 1) {
    const forged = { 'x-forwarded-for': `198.51.100.${count}` };
    last = await register({ ...valid, assertion: `n${count}@example.com` }, forged);
  }
  expect(await refused(last)).toBe('429 rate_limited');
});

describe('Connectors that expect OAuth: both generations of the official MCP SDK with the real routes', async () => {
  const app = await mountedApp();
  const url = new URL('http://localhost:3000/mcp');

  /** A connector without a client id, which registers, requests a token and then redirects a user. */
  function connector() {
    const sent: string[] = [];
    const provider: Any = {
      redirectUrl: 'http://localhost:9999/callback',
      clientMetadata: { client_name: 'c', redirect_uris: ['http://localhost:9999/callback'] },
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

  const about = { name: 't', version: '1' };
  test.each<[string, (options: Any) => Promise<void>]>([
    ['1.x', (options) => new OldClient(about).connect(new OldTransport(url, options))],
    [
      '2.x',
      (options) => new Client(about).connect(new StreamableHTTPClientTransport(url, options)),
    ],
  ])(
    'SDK %s shows why there is no token and what to do, rather than a parser error',
    async (_, connect) => {
      const { options, sent } = connector();
      const error: Any = await connect(options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error.name).not.toBe('ZodError');
      expect(`${error.message}`).toContain('Captioner issues no access tokens');
      expect(`${error.message}`).toContain('http://localhost:3000/auth.md');
      expect(sent).toContain('GET /.well-known/oauth-protected-resource/mcp');
      expect(sent).toContain('POST /oauth/register');
      expect(sent.filter((line) => line.startsWith('http'))).toEqual([]);
    },
  );

  test.each([
    ['GET', '/oauth/authorize?redirect_uri=https://evil.example', 'unsupported_response_type'],
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
});

// Authorisation: repeated validation by the identity provider, refusals, and the audit log.
const ann: Principal = {
  keyId: 'key_1',
  ownerType: 'user',
  organizationId: 'org_1',
  userId: 'user_1',
  scopes: ['captioner:caption:run'],
};

function guarded() {
  const asked: unknown[] = [];
  const lines: object[] = [];
  let answer: () => Promise<Principal | null> = async () => ann;
  const guard = createAuthorize({
    address: { of: () => 'http://captions.example' } as unknown as PublicAddress,
    identity: {
      validate: (key: string, options?: object) => {
        asked.push([key, options]);
        return answer();
      },
    } as unknown as IdentityProvider,
    ...({ links: null, addresses: null, database: null, hasher: null } as never as Record<
      'links' | 'addresses' | 'database' | 'hasher',
      never
    >),
    clientAddress: () => '192.0.2.1',
    standingIn: async () => ({ role: 'owner', person: null }),
    log: { audit: (event: string, fields: object) => lines.push({ event, ...fields }) } as never,
  });
  const authorize = (
    method: string,
    scope: 'captioner:caption:run' | null,
    headers: Record<string, string> = { authorization: 'Bearer cap_1' },
  ) =>
    guard(
      { request: new Request('http://captions.example/x', { method, headers }), route: '/x' },
      scope,
    );
  return { authorize, asked, lines, answers: (next: typeof answer) => void (answer = next) };
}

test.each([
  ['GET', false],
  ['HEAD', false],
  ['POST', true],
  ['PUT', true],
  ['DELETE', true],
])('%s bypasses the cache: %p', async (method, fresh) => {
  const { authorize, asked, lines } = guarded();
  expect(await authorize(method, 'captioner:caption:run')).toMatchObject(ann);
  expect(asked).toEqual([['cap_1', { fresh }]]);
  const { keyId, ownerType, organizationId } = ann;
  const needed = { route: `${method} /x`, requiredScope: 'captioner:caption:run' };
  const line = { event: 'protected_request', keyId, ownerType, organizationId, ...needed };
  expect(lines).toEqual([{ ...line, outcome: 'allowed' }]);
});

test("a stream's key counts while it is valid and has the scope; an outage does not end the stream", async () => {
  const { authorize, answers } = guarded();
  const scoped = await authorize('GET', 'captioner:caption:run');
  const any = await authorize('GET', null);
  const both = async () => [await scoped.stillAllowed(), await any.stillAllowed()];
  expect(await both()).toEqual([true, true]);
  answers(async () => ({ ...ann, scopes: [] }));
  expect(await both()).toEqual([false, true]);
  answers(() => Promise.reject(new IdentityError(503, 'idp_timeout', 'Too late.')));
  expect(await both()).toEqual([true, true]);
  answers(async () => null);
  expect(await both()).toEqual([false, false]);
});

test('each refusal writes one audit line, and a challenge that names the missing part', async () => {
  const { authorize, answers, lines } = guarded();
  const challenge = async (refused: Promise<unknown>) => {
    const error: any = await refused.catch((reason: unknown) => reason);
    return `${error.status} ${error.code} ${error.options?.headers?.['www-authenticate']}`;
  };
  const metadata =
    'resource_metadata="http://captions.example/.well-known/oauth-protected-resource"';
  const missing = await challenge(authorize('GET', null, {}));
  expect(missing).toBe(`401 missing_credential Bearer ${metadata}`);
  answers(async () => null);
  const invalid = await challenge(authorize('GET', null));
  expect(invalid).toBe(`401 invalid_credential Bearer error="invalid_token", ${metadata}`);
  answers(async () => ({ ...ann, scopes: [] }));
  expect(await challenge(authorize('GET', 'captioner:caption:run'))).toBe(
    `403 insufficient_scope Bearer error="insufficient_scope", scope="captioner:caption:run", ${metadata}`,
  );
  expect(lines).toMatchObject([
    { outcome: 'missing_credential', keyId: null, organizationId: null },
    { outcome: 'invalid_credential', keyId: null, organizationId: null },
    { outcome: 'insufficient_scope', keyId: 'key_1', organizationId: 'org_1' },
  ]);
});

test('if the provider does not respond, the key is not reported as invalid, and the log says why', async () => {
  const { authorize, answers, lines } = guarded();
  answers(() => Promise.reject(new IdentityError(503, 'idp_timeout', 'Too late.')));
  const late = { status: 503, code: 'idp_timeout' };
  await expect(authorize('GET', null)).rejects.toMatchObject(late);
  answers(() => Promise.reject(new Error('a bug in the program')));
  await expect(authorize('GET', null)).rejects.toThrow('a bug in the program');
  expect(lines).toMatchObject([{ outcome: 'idp_timeout', keyId: null }, { outcome: 'internal' }]);
});

describe('every route with the `scope` macro checks the key before it reads the body', async () => {
  const app = await mountedApp();
  const uploader = await app.signUp('uploads@example.org', ['captioner:audio:upload']);
  const runner = await app.signUp('runs@example.org', ['captioner:caption:run']);

  /** All operations that need a key, with their scopes. */
  const guarded: [string, string, string | undefined][] = Object.entries(paths()).flatMap(
    ([path, item]) =>
      Object.entries(item as Any).flatMap(([method, { security }]: [string, Any]) =>
        security.length > 0
          ? [[method.toUpperCase(), path, security[0].bearer[0]] as [string, string, string]]
          : [],
      ),
  );

  /** A request by a method, with a body whose reads are counted unless it can have none. */
  function watched(method: string, type: string) {
    if (method === 'GET') return { init: { method }, reads: () => 0 };
    const { body, reads } = watchedBody('{');
    return { init: { method, body, headers: { 'content-type': type } }, reads };
  }

  const address = (path: string): string =>
    path
      .replace('{key}', 'a.mp3')
      .replace('{format}', 'srt')
      .replaceAll(/\{\w+\}/g, 'x_1');

  test.each(guarded)(
    '%s %s reads no byte without a valid key and its scope',
    async (method, path, scope) => {
      const ask = async (key: string | undefined, type: string) => {
        const { init, reads } = watched(method, type);
        const sent = { ...init, ...(key !== undefined && { key }) };
        const { status } = await app.ask(`${address(path)}?nonsense=1`, sent);
        return [status, reads()];
      };
      for (const type of ['application/json', 'audio/mpeg', 'application/x-www-form-urlencoded']) {
        expect(await ask(undefined, type)).toEqual([401, 0]);
        expect(await ask('cap_nonsense', type)).toEqual([401, 0]);
      }
      if (scope === undefined) return;
      const lacking = scope === 'captioner:audio:upload' ? runner : uploader;
      expect(await ask(lacking.key, 'application/json')).toEqual([403, 0]);
    },
  );

  test('a body that a route does not use is not read, whatever its media type', async () => {
    const { init, reads } = watched('DELETE', 'application/json');
    const answer = await app.ask('/workflows/captioner/run_1', { ...init, key: runner.key });
    expect([answer.status, reads()]).toEqual([404, 0]);
  });

  test('a response that violates its schema is an internal error, without the value', async () => {
    const complete = async () => ({ key: 'cap_secret', workspace: {}, scopes: [] });
    const mounted = await mountedApp({ parts: { health: {}, identity: { complete } as never } });
    const json = { claim_token: 'clm_secret', otp: '123456' };
    const answer = await mounted.ask('/agent/auth/claim/complete', { json });
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: { code: 'internal', message: 'Something went wrong on the server.' } },
    ]);
    const line = mounted.log().find(({ event }) => event === 'answer_does_not_fit');
    expect(line.issues).toContainEqual({ path: 'registration_id', message: 'must be string' });
    expect(JSON.stringify(mounted.log())).not.toMatch(/cap_secret|clm_secret/);
  });

  test('a body nested a hundred thousand deep is refused in the time it takes to read it', async () => {
    const body = '['.repeat(100_000) + ']'.repeat(100_000);
    const headers = { 'content-type': 'application/json' };
    let least = Infinity;
    for (let look = 0; look < 5 && least > 3_000_000; look += 1) {
      const before = process.cpuUsage();
      const sent = { method: 'POST', key: runner.key, headers, body };
      expect([400, 422]).toContain((await app.ask('/workflows/captioner', sent)).status);
      least = Math.min(least, process.cpuUsage(before).user);
    }
    expect(least).toBeLessThan(3_000_000);
  });
});

// The keys of an account.
const app = await mountedApp({ env: { REGISTRATIONS_PER_IP: '200' } });

describe('/workspace/keys', () => {
  const list = async (key: string) => {
    const response = await app.ask('/workspace/keys', { key });
    return response.status === 200 ? await response.json() : response.status;
  };
  const revoke = async (key: string, id: string, origin = 'http://localhost:3000') => {
    const headers = { ...(origin !== '' && { origin }) };
    return (await app.ask(`/workspace/keys/${id}`, { key, method: 'DELETE', headers })).status;
  };

  test('lists the keys of the account without their secrets, and revokes them', async () => {
    const ann = await app.signUp('ann@example.com');
    const reader = await app.signUp('ann@example.com', ['captioner:terminology:read']);
    const bob = await app.signUp('bob@example.org');
    const found = await list(ann.key);
    expect(found).toMatchObject({
      organizationId: ann.organizationId,
      workspace: 'personal',
      revocable: true,
      total: 2,
      keys: [
        { scopes: ['captioner:terminology:read'], current: false, lastUsedAt: null },
        { current: true },
      ],
    });
    expectNoSecrets(JSON.stringify(found), [ann.key, reader.key]);
    expect([await list(reader.key), await list('nothing')]).toEqual([403, 401]);
    const [{ id }, own] = found.keys;
    expect(await revoke(bob.key, id)).toBe(404);
    // Revoking is for people in the app, not for agents or other pages.
    for (const origin of ['', 'https://evil.example']) {
      expect(await revoke(ann.key, id, origin)).toBe(404);
    }
    expect(await list(reader.key)).toBe(403);
    expect(await revoke(reader.key, own.id)).toBe(403);
    expect(await revoke(ann.key, id)).toBe(204);
    expect(await revoke(ann.key, id)).toBe(404);
    expect(await list(reader.key)).toBe(401);
    expect(await revoke(ann.key, own.id)).toBe(204);
    expect(await list(ann.key)).toBe(401);
  });

  test('of an account with many keys lists the newest hundred', async () => {
    const { key, organizationId } = await app.signUp('many@example.com');
    const { database } = app.services;
    const row = await database
      .selectFrom('api_keys')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    const older = Array.from({ length: 104 }, (_, at) => ({
      ...row,
      id: `older${at}`,
      created_at: row.created_at - at - 1,
    }));
    await database.insertInto('api_keys').values(older).execute();
    const found = await list(key);
    expect([found.keys.length, found.total, found.keys[0].current]).toEqual([100, 105, true]);
    expect(await revoke(key, 'older103')).toBe(204);
  });
});
