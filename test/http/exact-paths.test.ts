/** Routes match only their exact path, so that a proxy that filters by path cannot be bypassed. */
import { describe, expect, test } from 'bun:test';
import { isPlainPath, pathOf } from '../../server/http/request.ts';
import { routeTable } from '../../server/http/route-table.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp({ env: { METRICS_TOKEN: 'operators-only-0123456789' } });
const { key } = await app.signUp('ann@example.com');

/** All routes that answer GET, with the response to a valid key at the exact path. */
const ROUTES = [
  '/',
  '/auth',
  '/auth.md',
  '/guide',
  '/limits',
  '/privacy',
  '/docs',
  '/app',
  '/health',
  '/metrics',
  '/llms.txt',
  '/robots.txt',
  '/sitemap.xml',
  '/openapi.json',
  '/terminology/packs',
  '/skills/captioner/SKILL.md',
  '/workflows/captioner',
  '/.well-known/api-catalog',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/.well-known/mcp/server-card.json',
  '/.well-known/agent-skills/index.json',
];

/** Other spellings of the same path. */
const OTHERWISE: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `${path}//`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/audio/..${path}`,
  (path) => `/%2e${path}`,
  (path) => `${path}/.`,
  (path) => `${path}%2f`,
  (path) => `${path}%00`,
  (path) => `${path};x`,
  (path) => `${path}.`,
  (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  (path) => `/x\\..${path}`,
];

/** Requests whose path is not resolved in advance, as Deno passes them on. */
const unresolved = (path: string): Request => {
  const request = new Request('http://localhost:3000/', {
    headers: { authorization: `Bearer ${key}` },
  });
  Object.defineProperty(request, 'url', { value: `http://localhost:3000${path}` });
  return request;
};

describe.each(ROUTES.map((path) => [path]))('%s', (path) => {
  test('matches only its exact path', async () => {
    const exact = await app.ask(path, { key });
    expect([200, 401]).toContain(exact.status);
    for (const write of OTHERWISE) {
      const other = path === '/' ? write('/health') : write(path);
      if (other === '//') continue;
      const answer = await app.answer(unresolved(other));
      expect([other, [400, 404, 405].includes(answer.status)]).toEqual([other, true]);
      await answer.body?.cancel();
    }
  });
});

test('an escaped id is not that of a run', async () => {
  const answer = await app.answer(unresolved('/workflows/captioner/run%5F1'));
  expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'not_found']);
});

test('keys of recordings may contain what other paths may not', () => {
  const plain = (path: string) => isPlainPath({ url: `http://localhost${path}` } as Request);
  expect(plain('/audio/talks%2F2026/a%20b.mp3')).toBe(true);
  expect(plain('/audio2/a%20b')).toBe(false);
  expect(plain('/workflows/captioner/..')).toBe(false);
  expect(plain('/workflows/captioner/.')).toBe(false);
  expect(plain('/.well-known/api-catalog')).toBe(true);
});

test.each(['/', '/guide.md', '/llms.txt', '/.well-known/api-catalog'])(
  '%s ignores queries, such as those of campaigns',
  async (path) => {
    const [plain, asked] = [await app.ask(path), await app.ask(`${path}?from=mail`)];
    expect(asked.status).toBe(200);
    expect(await asked.text()).toBe(await plain.text());
  },
);

test.each([
  ['http://a.example', '/'],
  ['http://a/', '/'],
  ['https://a.example/x/y', '/x/y'],
  ['https://a.example/x?y=/z', '/x'],
])('the path of %s is %s', (url, path) => {
  expect(pathOf(url)).toBe(path);
});

test.each([
  ['/runs/run_1', '/runs/{id}', ['GET', 'DELETE', 'HEAD', 'OPTIONS']],
  ['/runs', '/runs', ['POST', 'OPTIONS']],
  ['/runs/run_1/captions.srt', '/runs/{id}/captions.{format}', ['GET', 'HEAD', 'OPTIONS']],
  ['/audio/talks/a.mp3', '/audio/{key}', ['PUT', 'OPTIONS']],
  ['/runs/all', '/runs/all', ['GET', 'DELETE', 'HEAD', 'OPTIONS']],
  ['/runs/', null, []],
  ['/runs/run_1/', null, []],
  ['/runs/run_1/captions-srt', null, []],
  ['/runs/run_1/captions.', null, []],
  ['/audio/', null, []],
  ['/x/runs', null, []],
  ['/runs/run_1/captions.srt/x', null, []],
])('%s belongs to the route %p', (path, route, methods) => {
  const table = routeTable([
    { method: 'POST', path: '/runs' },
    { method: 'GET', path: '/runs/:id' },
    { method: 'DELETE', path: '/runs/:id' },
    { method: 'GET', path: '/runs/:id/captions.:format' },
    { method: 'PUT', path: '/audio/*' },
    { method: 'GET', path: '/runs/all' },
  ]);
  expect(table.routeOf(path)).toBe(route);
  expect(table.methodsOf(path)).toEqual(methods);
});
