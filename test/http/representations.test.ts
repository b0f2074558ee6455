/** The content codings of a document: compression ratios, entity tags, and documents too short to compress. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { represent, send } from '../../server/http/documents/representation.ts';
import type { Encoding } from '../../server/http/negotiate.ts';

const text = readFileSync(new URL('../../content/guide.md', import.meta.url), 'utf8');
const document = represent(text, { type: 'text/plain; charset=utf-8', headers: { 'x-more': '1' } });
const sent = async (encoding: Encoding, headers: Record<string, string> = {}, method = 'GET') => {
  const asked = { method, headers: { 'accept-encoding': encoding, ...headers } };
  const answer = send(new Request('http://host/', asked), document);
  return { answer, size: (await answer.bytes()).byteLength };
};

test('Brotli compresses better than gzip, but not at its highest level, which takes ten times as long', async () => {
  const { size } = await sent('br');
  expect(size).toBeLessThan(gzipSync(text).byteLength);
  expect(size).toBeGreaterThan(brotliCompressSync(text).byteLength);
});

test('each coding has its own tag, which both GET and 304 carry', async () => {
  const tags = new Map<string, Encoding>();
  for (const encoding of ['identity', 'gzip', 'zstd', 'br'] as const) {
    const { answer, size } = await sent(encoding);
    const etag = answer.headers.get('etag') ?? '';
    tags.set(etag, encoding);
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding);
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(size < text.length).toBe(encoding !== 'identity');
    const head = await sent(encoding, {}, 'HEAD');
    expect([head.size, head.answer.headers.get('content-length')]).toEqual([0, String(size)]);
    const again = await sent(encoding, { 'if-none-match': `"other", ${etag}` });
    expect([again.answer.status, again.size]).toEqual([304, 0]);
    const headers = Object.fromEntries(again.answer.headers);
    expect(headers).toMatchObject({ etag, vary: 'Accept-Encoding', 'x-more': '1' });
    const ofContent = Object.keys(headers).filter((name) => name.startsWith('content-'));
    expect(ofContent).toEqual(['content-security-policy']);
  }
  expect(tags.size).toBe(4);
});

test.each([
  ['a'.repeat(199), 'identity'],
  ['a'.repeat(200), 'br'],
])('a text is compressed from 200 bytes on: case %#', (content, encoding) => {
  const { headers } = send(
    new Request('http://host/', { headers: { 'accept-encoding': 'br' } }),
    represent(content, { type: 'text/plain' }),
  );
  expect(headers.get('content-encoding') ?? 'identity').toBe(encoding);
});

test('bytes that no coding makes shorter are sent as they are', () => {
  const noise = crypto.getRandomValues(new Uint8Array(1000));
  const asked = new Request('http://host/', { headers: { 'accept-encoding': 'br' } });
  const { headers } = send(asked, represent(noise, { type: 'audio/mpeg' }));
  expect(headers.get('content-encoding')).toBeNull();
});

test('the same bytes of another type have another tag', () => {
  const tagOf = (type: string) => represent('{}', { type }).variant('identity').etag;
  expect(tagOf('application/json')).toBe(tagOf('application/json'));
  expect(tagOf('application/json')).not.toBe(tagOf('text/plain'));
});
