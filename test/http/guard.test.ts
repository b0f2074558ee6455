/** Authorisation: repeated validation by the identity provider, refusals, and the audit log. */
import { trace } from '@opentelemetry/api';
import { expect, spyOn, test } from 'bun:test';
import { Elysia } from 'elysia';
import { createAuthorize } from '../../server/http/identity/authorize.ts';
import { createGuard } from '../../server/http/guard.ts';
import type { PublicAddress } from '../../server/http/public-address.ts';
import {
  IdentityError,
  type IdentityProvider,
  type Principal,
} from '../../server/identity/provider.ts';

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
  await expect(authorize('GET', null)).rejects.toMatchObject({ status: 503, code: 'idp_timeout' });
  answers(() => Promise.reject(new Error('a bug in the program')));
  await expect(authorize('GET', null)).rejects.toThrow('a bug in the program');
  expect(lines).toMatchObject([{ outcome: 'idp_timeout', keyId: null }, { outcome: 'internal' }]);
});

test.each(['Bearer cap_1', 'bearer cap_1', 'BEARER   cap_1 '])(
  '%p has the format of a key',
  async (header) => {
    const { authorize, asked } = guarded();
    await authorize('GET', null, { authorization: header });
    expect(asked).toEqual([['cap_1', { fresh: false }]]);
  },
);

test.each(['cap_1', 'Basic cap_1', 'Bearer', 'Bearer a b', 'Bearer a,b', 'xBearer cap_1'])(
  '%p does not have the format of a key',
  async (header) => {
    const { authorize, asked } = guarded();
    await expect(authorize('GET', null, { authorization: header })).rejects.toMatchObject({
      status: 401,
      code: 'missing_credential',
    });
    expect(asked).toEqual([]);
  },
);

test("a request is checked once, and its body is read at its workspace's rate", async () => {
  const opened: [Request, string][] = [];
  let checks = 0;
  const guard = createGuard(
    async () => {
      checks += 1;
      return { ...ann, stillAllowed: async () => true };
    },
    (request, organizationId) => void opened.push([request, organizationId]),
  );
  const app = new Elysia()
    .use(guard)
    .post('/x', ({ sender }) => sender.keyId, { scope: 'captioner:caption:run' });
  const request = new Request('http://captions.example/x', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  expect(await (await app.handle(request)).text()).toBe('key_1');
  expect(checks).toBe(1);
  expect(opened).toEqual([[request, 'org_1']]);
});

test('the check knows the route of a request, with a body or without', async () => {
  const routes: (string | null)[][] = [];
  const guard = createGuard(
    async ({ route }, scope) => {
      routes.push([route, scope]);
      return { ...ann, stillAllowed: async () => true };
    },
    () => {},
  );
  const app = new Elysia()
    .use(guard)
    .get('/x/:id', ({ sender }) => sender.keyId, { scope: null })
    .post('/x/:id', ({ sender, body }) => `${sender.keyId} ${String(body)}`, {
      scope: 'captioner:caption:run',
    });
  const url = 'http://captions.example/x/1';
  expect(await (await app.handle(new Request(url))).text()).toBe('key_1');
  const body = '{"large":1}';
  const headers = { 'content-type': 'application/json' };
  const posted = await app.handle(new Request(url, { method: 'POST', body, headers }));
  // A route that reads no JSON leaves the body alone.
  expect(await posted.text()).toBe('key_1 null');
  expect(routes).toEqual([
    ['/x/:id', null],
    ['/x/:id', 'captioner:caption:run'],
  ]);
});

test('the audit log has no owner for an unknown key', async () => {
  const { authorize, answers, lines } = guarded();
  answers(async () => null);
  await authorize('GET', null).catch(() => {});
  expect(lines).toEqual([
    {
      event: 'protected_request',
      keyId: null,
      ownerType: null,
      organizationId: null,
      route: 'GET /x',
      requiredScope: null,
      outcome: 'invalid_credential',
    },
  ]);
});

test('the span of a request is named by its route', async () => {
  const names: string[] = [];
  const span = { updateName: (name: string) => names.push(name) } as never;
  const active = spyOn(trace, 'getActiveSpan').mockReturnValue(span);
  await guarded().authorize('GET', null);
  active.mockRestore();
  expect(names).toEqual([expect.stringMatching(/^GET /)]);
});
