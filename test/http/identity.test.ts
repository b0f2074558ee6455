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
import { createAuthorize } from '../../server/http/guard.ts';
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
{
  const server = await testServer({ env: { REGISTRATIONS_PER_IP: '12' } });

  const valid = {
    type: 'identity_assertion',
    assertion_type: 'verified_email',
    assertion: 'ann@example.com',
    requested_credential_type: 'api_key',
  };

  async function refused(response: Response): Promise<string> {
    const body = await response.json();
    expect(validator(ErrorResponse).issues(body)).toEqual([]);
    return `${response.status} ${body.error.code}`;
  }

  describe('refusals, in order', () => {
    const bad = {
      type: 'anonymous',
      assertion_type: 'id-jag',
      requested_credential_type: 'access_token',
      requested_scopes: ['everything'],
      assertion: 'nobody',
    };
    test.each([
      [bad, '400 unsupported_identity_type'],
      [{ ...bad, type: valid.type }, '400 unsupported_assertion_type'],
      [
        { ...bad, type: valid.type, assertion_type: valid.assertion_type },
        '400 unsupported_credential_type',
      ],
      [
        { ...valid, requested_scopes: ['everything'], assertion: 'nobody' },
        '400 unsupported_scope',
      ],
      // Neither is read as if it asked for all scopes, or for the known ones.
      [{ ...valid, requested_scopes: null }, '400 unsupported_scope'],
      [
        { ...valid, requested_scopes: ['captioner:audio:upload', 'captioner:admin'] },
        '400 unsupported_scope',
      ],
      [{ ...valid, assertion: 'nobody' }, '400 invalid_email'],
      [{ ...valid, assertion: 'a@b@example.com' }, '400 invalid_email'],
      [{ ...valid, assertion: 12 }, '400 invalid_email'],
      [{}, '400 unsupported_identity_type'],
    ])('%j: %s', async (body, expected) => {
      expect(await refused(await post(`${server.url}/agent/auth`, body))).toBe(expected);
    });

    test.each([
      [{}, '400 invalid_claim_token'],
      [{ claim_token: 'clm_x' }, '400 invalid_otp'],
      [{ claim_token: 'clm_x', otp: '12345' }, '400 invalid_otp'],
      [{ claim_token: 'clm_x', otp: '123456' }, '401 invalid_claim_token'],
    ])('a completion with %j: %s', async (body, expected) => {
      expect(await refused(await post(`${server.url}/agent/auth/claim/complete`, body))).toBe(
        expected,
      );
    });
  });

  test('a complete registration, with unknown fields allowed and `code` for the code', async () => {
    const response = await post(`${server.url}/agent/auth`, {
      ...valid,
      requested_scopes: ['captioner:caption:run'],
      agent: 'test',
    });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const started = await response.json();
    expect(validator(AgentAuthStarted).issues(started)).toEqual([]);
    expect(started.delivery.email).toBe('a***@example.com');
    expect(started.claim_token_expires).toBe(started.claim_token_expires_at);
    expect(started.post_claim_scopes).toEqual(['captioner:caption:run']);
    const code = await mailedCode(server.dataDir, valid.assertion);
    const claimed = await post(`${server.url}/agent/auth/claim/complete`, {
      claim_token: started.claim_token,
      code,
    });
    const body = await claimed.json();
    expect([claimed.status, claimed.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(validator(AgentAuthCompleted).issues(body)).toEqual([]);
    expect(body.credential).toBe(body.api_key);
    expect(body.workspace.external_id).toMatch(/^personal:user_/);
    const again = await post(`${server.url}/agent/auth/claim/complete`, {
      claim_token: started.claim_token,
      otp: code,
    });
    expect(await refused(again)).toBe('409 claim_already_used');
    expectNoSecrets(server.log(), [code, started.claim_token, body.credential]);
  });

  test('the sixth registration of an address within an hour has to wait', async () => {
    for (let count = 1; count < 5; count += 1) {
      expect((await post(`${server.url}/agent/auth`, valid)).status).toBe(200);
    }
    const response = await post(`${server.url}/agent/auth`, valid);
    const retryAfter = Number(response.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(3500);
    expect(retryAfter).toBeLessThanOrEqual(3600);
    expect(response.headers.get('ratelimit-policy')).toContain('q=5;w=3600');
    expect(await refused(response)).toBe('429 rate_limited');
  });

  test('so does a client with too many addresses, even with a forged X-Forwarded-For', async () => {
    let last = new Response();
    for (let count = 0; count < 12; count += 1) {
      last = await post(
        `${server.url}/agent/auth`,
        { ...valid, assertion: `n${count}@example.com` },
        { 'x-forwarded-for': `198.51.100.${count}` },
      );
    }
    expect(await refused(last)).toBe('429 rate_limited');
  });
}

// Connectors that expect OAuth: both generations of the official MCP SDK with the real routes.
{
  const app = await mountedApp();
  const url = new URL('http://localhost:3000/mcp');

  /** A connector without a client id, which registers, requests a token and then redirects a user. */
  function connector() {
    const sent: string[] = [];
    const provider: Any = {
      redirectUrl: 'http://localhost:9999/callback',
      clientMetadata: {
        client_name: 'connector',
        redirect_uris: ['http://localhost:9999/callback'],
      },
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
}

// Authorisation: repeated validation by the identity provider, refusals, and the audit log.
{
  const ann: Principal = {
    keyId: 'key_1',
    ownerType: 'user',
    organizationId: 'org_1',
    userId: 'user_1',
    scopes: ['captioner:caption:run'],
  };

  const WITHOUT_LINKS = { links: null as never, database: null as never, hasher: null as never };

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
      ...WITHOUT_LINKS,
      clientAddress: () => '192.0.2.1',
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
    expect(lines).toEqual([
      {
        event: 'protected_request',
        keyId: 'key_1',
        ownerType: 'user',
        organizationId: 'org_1',
        route: `${method} /x`,
        requiredScope: 'captioner:caption:run',
        outcome: 'allowed',
      },
    ]);
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
      return [error.status, error.code, error.options?.headers?.['www-authenticate']];
    };
    const metadata =
      'resource_metadata="http://captions.example/.well-known/oauth-protected-resource"';
    expect(await challenge(authorize('GET', null, {}))).toEqual([
      401,
      'missing_credential',
      `Bearer ${metadata}`,
    ]);
    answers(async () => null);
    expect(await challenge(authorize('GET', null))).toEqual([
      401,
      'invalid_credential',
      `Bearer error="invalid_token", ${metadata}`,
    ]);
    answers(async () => ({ ...ann, scopes: [] }));
    expect(await challenge(authorize('GET', 'captioner:caption:run'))).toEqual([
      403,
      'insufficient_scope',
      `Bearer error="insufficient_scope", scope="captioner:caption:run", ${metadata}`,
    ]);
    expect(lines).toMatchObject([
      { outcome: 'missing_credential', keyId: null, organizationId: null },
      { outcome: 'invalid_credential', keyId: null, organizationId: null },
      { outcome: 'insufficient_scope', keyId: 'key_1', organizationId: 'org_1' },
    ]);
  });

  test('if the provider does not respond, the key is not reported as invalid, and the log says why', async () => {
    const { authorize, answers, lines } = guarded();
    answers(() => Promise.reject(new IdentityError(503, 'idp_timeout', 'Too late.')));
    await expect(authorize('GET', null)).rejects.toMatchObject({
      status: 503,
      code: 'idp_timeout',
    });
    answers(() => Promise.reject(new Error('a bug in the program')));
    await expect(authorize('GET', null)).rejects.toThrow('a bug in the program');
    expect(lines).toMatchObject([{ outcome: 'idp_timeout', keyId: null }, { outcome: 'internal' }]);
  });
}

// Every route with the `scope` macro checks the key before it reads the body.
{
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

  /** A request with a body whose reads are counted. */
  function watched(type: string): { init: RequestInit; reads: () => number } {
    const { body, reads } = watchedBody('{');
    const init = { body, duplex: 'half', headers: { 'content-type': type } } as RequestInit;
    return { init, reads };
  }

  const address = (path: string): string =>
    path
      .replace('{key}', 'a.mp3')
      .replace('{format}', 'srt')
      .replaceAll(/\{\w+\}/g, 'x_1');

  describe.each(guarded)('%s %s', (method, path, scope) => {
    const ask = (key: string | undefined, init: RequestInit) =>
      app.ask(`${address(path)}?nonsense=1`, {
        ...init,
        method,
        ...(key !== undefined && { key }),
      });
    const types = ['application/json', 'audio/mpeg', 'application/x-www-form-urlencoded'];

    test.each(types)('without a valid key no byte of %s is read', async (type) => {
      for (const key of [undefined, 'cap_nonsense']) {
        const { init, reads } = method === 'GET' ? { init: {}, reads: () => 0 } : watched(type);
        const answer = await ask(key, init);
        expect([answer.status, reads()]).toEqual([401, 0]);
      }
    });

    test('without its scope nothing is read', async () => {
      if (scope === undefined) return;
      const { init, reads } =
        method === 'GET' ? { init: {}, reads: () => 0 } : watched('application/json');
      const lacking = scope === 'captioner:audio:upload' ? runner : uploader;
      const answer = await ask(lacking.key, init);
      expect([answer.status, reads()]).toEqual([403, 0]);
    });
  });

  test('a body that a route does not use is not read, whatever its media type', async () => {
    const { init, reads } = watched('application/json');
    const path = '/workflows/captioner/run_1';
    const answer = await app.ask(path, { ...init, method: 'DELETE', key: runner.key });
    expect([answer.status, reads()]).toEqual([404, 0]);
  });

  describe('the definition of routes', () => {
    test('a response that violates its schema is an internal error, without the value', async () => {
      const mounted = await mountedApp({
        parts: {
          health: {},
          identity: {
            complete: async () => ({ key: 'cap_secret', workspace: {}, scopes: [] }),
          } as never,
        },
      });
      const answer = await mounted.ask('/agent/auth/claim/complete', {
        json: { claim_token: 'clm_secret', otp: '123456' },
      });
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
      let least = Infinity;
      for (let look = 0; look < 5 && least > 3_000_000; look += 1) {
        const before = process.cpuUsage();
        const answer = await app.ask('/workflows/captioner', {
          method: 'POST',
          key: runner.key,
          headers: { 'content-type': 'application/json' },
          body,
        });
        expect([400, 422]).toContain(answer.status);
        least = Math.min(least, process.cpuUsage(before).user);
      }
      expect(least).toBeLessThan(3_000_000);
    });
  });
}

// The keys of an account.
{
  const app = await mountedApp({ env: { REGISTRATIONS_PER_IP: '200' } });

  describe('/workspace/keys', () => {
    const list = async (key: string) => {
      const response = await app.ask('/workspace/keys', { key });
      return response.status === 200 ? await response.json() : response.status;
    };
    const revoke = async (key: string, id: string, origin = 'http://localhost:3000') =>
      (
        await app.ask(`/workspace/keys/${id}`, {
          key,
          method: 'DELETE',
          ...(origin !== '' && { headers: { origin } }),
        })
      ).status;

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
}
