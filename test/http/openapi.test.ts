/** The OpenAPI document and the reference made from it. */
import { expect, test, describe } from 'bun:test';
import { describePaths } from '../../server/http/documents/openapi-document.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { documentsOf } from '../support/documents.ts';

// The paths of an OpenAPI document from a few routes, as a whole: each option of a route, once.
test.each([{}, { detail: {} }, { detail: { operationId: 1 } }, { detail: { hide: false } }])(
  'a route that neither describes nor hides itself is an error: %j',
  (hooks) => {
    expect(() => describePaths([{ method: 'GET', path: '/x', hooks }])).toThrow(
      'GET /x has no detail that describes it, and is not hidden',
    );
  },
);

test('a part of the document has the five operations from registration to captions, in a fifth of the size', async () => {
  const app = await mountedApp();
  const text = await (await app.ask('/openapi.json?tag=core')).text();
  const made = JSON.parse(text);
  for (const [, kind, name] of text.matchAll(/"#\/components\/([^"/]+)\/([^"/]+)"/g)) {
    expect(made.components[kind!]).toHaveProperty(name!);
  }
  const operations = Object.entries<Any>(made.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations).toEqual([
    'POST /agent/auth',
    'POST /agent/auth/claim/complete',
    'PUT /audio/{key}',
    'POST /workflows/captioner',
    'GET /workflows/captioner/{runId}',
  ]);
  expect(text.length).toBeLessThan(50_000);
  expect(made.components.schemas).not.toHaveProperty('Webhook');
});

// The API reference: everything in /openapi.json, as a page and as Markdown.
const baseUrl = 'https://captions.example';
const ask = documentsOf({ baseUrl });
const html = await ask('/docs', { headers: { accept: 'text/html' } }).text();
const markdown = await ask('/docs.md').text();
const openApi: Any = await ask('/openapi.json').json();
const calls = Object.entries<Any>(openApi.paths).flatMap(([path, methods]) =>
  Object.entries<Any>(methods).map(([method, operation]) => ({ method, path, operation })),
);

describe('the page', () => {
  test('is HTML, or the Markdown of /docs.md if that is preferred, and has no other script', async () => {
    const preferred = ask('/docs', { headers: { accept: 'text/markdown' } });
    expect(preferred.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await preferred.text()).toBe(markdown);
    const page = ask('/docs', { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  test('has every operation, with its scope', () => {
    expect(calls.length).toBeGreaterThan(60);
    for (const { method, path, operation } of calls) {
      expect(markdown).toContain(`\`${method.toUpperCase()} ${path}\``);
      expect(markdown).toContain(operation.summary);
      const refuses = !Object.keys(operation.responses).some((status) => status < '300');
      if (operation.description && !refuses) expect(markdown).toContain(operation.description);
    }
    // An answer without an example has none, instead of an empty one.
    expect(markdown).not.toMatch(/```json\n\s*```/);
    const upload = markdown.slice(markdown.indexOf('\n### Upload an MP3\n'));
    expect(upload).toContain('Needs a key with the scope `captioner:audio:upload`.');
    expect(upload).toContain('The body is the file, `audio/mpeg`.');
  });
});

test('its commands quote each argument as one shell word, and send the examples', async () => {
  const commands = [...markdown.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command]) => command);
  expect(commands.length).toBeGreaterThan(35);
  // A curl that prints its arguments.
  const script = `curl() { printf '%s\\n' "$#" "$@"; echo; }\nCAPTIONER_API_KEY=the-key\n`;
  const shell = Bun.spawn(['sh', '-c', script + commands.join('\n')], { stdout: 'pipe' });
  const printed = (await new Response(shell.stdout).text()).trimEnd().split('\n\n');
  expect(printed).toHaveLength(commands.length);
  const addresses = printed.map((one) => one.split('\n').find((line) => line.startsWith('http')));
  for (const address of addresses) expect(address).toStartWith(`${baseUrl}/`);
  const started = printed.find((one) => one.includes('-X\nPOST\n') && /captioner\n/.test(one));
  expect(started).toContain('\nAuthorization: Bearer the-key\n');
  expect(started).toContain('\nContent-Type: application/json\n');
  expect(JSON.parse(started?.split('\n').at(-1) ?? '')).toHaveProperty('audio.key');
});
