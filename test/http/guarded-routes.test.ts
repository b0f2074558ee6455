/** Every route with the `scope` macro checks the key before it reads the body. */
import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import type { Authorized } from '../../server/http/identity/authorize.ts';
import { createBodyBudget } from '../../server/http/uploads/throttles.ts';
import { createGuard } from '../../server/http/guard.ts';
import { jsonBodies } from '../../server/http/json-bodies.ts';
import { HIDDEN } from '../../server/http/openapi/detail.ts';
import { describePaths } from '../../server/http/openapi/paths.ts';
import { InvalidResponse, wireAnswer, wireInput } from '../../server/http/wire.ts';
import { closed, Type } from '../../server/contract/schema.ts';
import { paths } from '../support/documents.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { watchedBody } from '../support/watched-body.ts';

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

test('there are protected routes of every kind', () => {
  expect(guarded.length).toBeGreaterThan(7);
  const methods = guarded.map(([method]) => method);
  expect(methods).toEqual(expect.arrayContaining(['DELETE', 'GET', 'POST', 'PUT']));
});

describe.each(guarded)('%s %s', (method, path, scope) => {
  const ask = (key: string | undefined, init: RequestInit) =>
    app.ask(`${address(path)}?nonsense=1`, { ...init, method, ...(key !== undefined && { key }) });
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
  const guard = createGuard(async () => ({ organizationId: 'org_1' }) as Authorized);
  const json = { maxBytes: 100, budget: createBodyBudget(100) };

  test('scope precedes every option that reads the body', () => {
    const wrong = () =>
      new Elysia()
        .use(guard)
        .use(jsonBodies)
        .post('/x', () => '', { json, scope: null });
    expect(wrong).toThrow('scope has to come before');
  });

  test('a route has a description or is hidden', () => {
    const bare = new Elysia().get('/x', () => '');
    expect(() => describePaths(bare.routes)).toThrow('GET /x has no detail');
    expect(describePaths(new Elysia().get('/x', () => '', { detail: HIDDEN }).routes)).toEqual({});
  });

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
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ claim_token: 'clm_secret', otp: '123456' }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: { code: 'internal', message: 'Something went wrong on the server.' } },
    ]);
    const line = mounted.log().find(({ event }) => event === 'answer_does_not_fit');
    expect(line.issues).toContainEqual({ path: 'registration_id', message: 'must be string' });
    expect(JSON.stringify(mounted.log())).not.toMatch(/cap_secret|clm_secret/);
  });

  test('a schema refuses unknown fields', () => {
    const schema = closed({ a: Type.Number() });
    expect(wireInput(schema)['~standard'].validate({ a: 1 })).toEqual({ value: { a: 1 } });
    const details = [{ path: 'b', message: 'is not a known field' }];
    expect(() => wireInput(schema)['~standard'].validate({ a: 1, b: 2 })).toThrow(
      expect.objectContaining({ status: 422, options: { details } }),
    );
    expect(() => wireAnswer(schema)['~standard'].validate({ a: 1, b: 2 })).toThrow(InvalidResponse);
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
