/** Serving the browser app: its page, its files and their policy. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { testServer } from '../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer();
const page = await fetch(`${server.url}/app`);
const html = await page.text();
const loaded = [...html.matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path = '']) => path);

describe('/app', () => {
  test('is a page that loads one script and one style from this host, and is revalidated each time', () => {
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(loaded.map((path) => path.replace(/-\w+\./, '.')).toSorted()).toEqual([
      '/app/main.css',
      '/app/main.js',
    ]);
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/);
  });

  test('has a policy that allows no inline script, no other host and no frame', () => {
    const policy = page.headers.get('content-security-policy') ?? '';
    const directives = Object.fromEntries(
      policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]),
    );
    expect(directives).toMatchObject({
      'default-src': `'none'`,
      'script-src': `'self' 'wasm-unsafe-eval'`,
      'style-src': `'self'`,
      'connect-src': `'self'`,
      'img-src': `'self' blob:`,
      'media-src': `'self' blob:`,
      'worker-src': `'self' blob:`,
      'frame-ancestors': `'none'`,
    });
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
  });

  test('describes this server, without secrets', async () => {
    const [, content = ''] = /<meta name="server" content="([^"]*)"/.exec(html) ?? [];
    const told = JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
    const { packs } = await (await fetch(`${server.url}/terminology/packs`)).json();
    expect(told.packs).toEqual(
      packs.map(({ id, title, description, termCount }: Record<string, unknown>) => {
        return { id, title, description, termCount };
      }),
    );
    expect(told.sendsMail).toBe(false);
    expect(told.ffmpegCommand).toStartWith('ffmpeg ');
    const deepgram = told.providers.find(({ name }: { name: string }) => name === 'deepgram');
    expect(deepgram.configured).toBe(false);
  });

  test('answers HEAD and a matching entity tag without a body', async () => {
    const etag = page.headers.get('etag') ?? '';
    const head = await fetch(`${server.url}/app`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const known = await fetch(`${server.url}/app`, { headers: { 'if-none-match': etag } });
    expect(known.status).toBe(304);
    expect(known.headers.get('content-security-policy')).toContain('script-src');
  });

  test('is linked from the pages, and supports no other method', async () => {
    expect(await (await fetch(`${server.url}/guide`)).text()).toContain('/app"');
    const posted = await fetch(`${server.url}/app`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('its files', () => {
  test.each(loaded)('%s is named for its content, and kept for good', async (path) => {
    const file = await fetch(`${server.url}${path}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('content-type')).toBe(
      path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
    );
    const packed = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': 'br' } });
    expect(packed.headers.get('content-encoding')).toBe('br');
  });

  test.each(['/app/main.js', '/app/..%2fpackage.json', '/app/a/b', '/app/%00'])(
    'do not include %s',
    async (path) => {
      const { status } = await fetch(`${server.url}${path}`);
      expect(status).toBe(404);
    },
  );
});
