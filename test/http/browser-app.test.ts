/** The files of the browser app. */
import { describe, expect, setDefaultTimeout, test, afterAll } from 'bun:test';
import { testServer } from '../support/servers/test-server.ts';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFolder } from '../../scripts/replace-folder.ts';
import { loadAppFiles } from '../../server/http/documents/app-bundle.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

// Serving the browser app: its page, its files and their policy.
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

  test('is in the language of its reader before its script runs', async () => {
    const arabic = await fetch(`${server.url}/app?x=1`, {
      headers: { 'accept-language': 'ar-EG' },
    });
    expect([arabic.headers.get('content-language'), arabic.headers.get('vary')]).toEqual([
      'ar',
      'Accept-Language, Accept-Encoding',
    ]);
    const text = await arabic.text();
    expect(text).toContain('<html lang="ar" dir="rtl">');
    expect(text).toContain('يجري تحميل Captioner.');
    expect(text).not.toContain('This page needs JavaScript');
    expect(await (await fetch(`${server.url}/app?lang=de`)).text()).toContain('braucht JavaScript');
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
});

// Reading the built app while `npm run build` replaces it.
const parent = await temporaryFolder();
afterAll(() => removeFolder(parent));

/** A build with forty files; their names contain the version, like real names contain hashes. */
const build = (version: number) =>
  Array.from({ length: 40 }, (_, at) => ({
    name: `part-${at}-${version}.js`,
    bytes: new TextEncoder().encode(`${version}`),
  }));

test('a reader gets all files of one build or none, even during a build', async () => {
  const folder = join(parent, 'app');
  const built = () => loadAppFiles(folder, null);
  expect(await refusalOf(built())).toEqual([503, 'unavailable']);
  await replaceFolder(folder, build(0));
  const state = { writing: true };
  const writers = [1, 2].map(async (first) => {
    for (let version = first; version <= 40; version += 2) {
      await replaceFolder(folder, build(version));
    }
  });
  const written = Promise.all(writers).finally(() => {
    state.writing = false;
  });
  let reads = 0;
  const read = async () => {
    while (state.writing) {
      const files = await built().catch(() => null);
      if (files === null) continue;
      reads += 1;
      const versions = new Set(files.map(({ bytes }) => new TextDecoder().decode(bytes)));
      expect([files.length, versions.size]).toEqual([40, 1]);
    }
  };
  await Promise.all([written, read(), read()]);
  expect(reads).toBeGreaterThan(0);
  const last = await built();
  expect(last[0]?.name).toMatch(/-(39|40)\.js$/);
  // Nothing is left beside it.
  expect(await readdir(parent)).toEqual(['app']);
});

test('a build is read until a source changes, and always where nothing can be built', async () => {
  const folder = join(parent, 'app');
  await replaceFolder(folder, build(1));
  const bundled = build(2);
  const read = (bundle: (() => Promise<typeof bundled>) | null) => loadAppFiles(folder, bundle);
  const names = (files: typeof bundled) => files.map(({ name }) => name).toSorted();
  expect(names(await read(async () => bundled))).toEqual(names(build(1)));
  await utimes(folder, 0, 0);
  expect(await read(async () => bundled)).toBe(bundled);
  expect(names(await read(null))).toEqual(names(build(1)));
});
