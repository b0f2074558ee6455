/** A file made for one request: its tag, its name, its ranges, and the release of its bytes. */
import { describe, expect, test } from 'bun:test';
import { isCompressed } from '../../server/http/streamed.ts';
import { fileResponse } from '../../server/http/file-response.ts';
import { heldText } from '../support/held-text.ts';
import { refusalOf } from '../support/refusal-of.ts';

const TEXT = 'ten bytes!';

/** The response to a request for the file, and how often its bytes have been released. */
function asked(headers: Record<string, string> = {}, file: { type?: string; name?: string } = {}) {
  let releases = 0;
  const held = heldText(new TextEncoder().encode(TEXT), () => void (releases += 1));
  const request = new Request('http://localhost/file', { headers });
  const answer = () => fileResponse(request, held, { type: 'text/vtt', name: 'a.vtt', ...file });
  return { answer, releases: () => releases };
}

describe('the bytes are released', () => {
  test('once they are sent', async () => {
    const { answer, releases } = asked();
    expect(await answer().text()).toBe(TEXT);
    expect(releases()).toBe(1);
  });

  test('at once if the client has the file', () => {
    const etag = asked().answer().headers.get('etag') ?? '';
    const { answer, releases } = asked({ 'if-none-match': etag });
    expect(answer().status).toBe(304);
    expect(releases()).toBe(1);
  });

  test('at once if the range is beyond the end', async () => {
    const { answer, releases } = asked({ range: 'bytes=10-' });
    expect(await refusalOf(Promise.try(answer))).toEqual([416, 'range_not_satisfiable']);
    expect(releases()).toBe(1);
  });
});

test.each([
  ['bytes=-4', 'tes!', 'bytes 6-9/10'],
  ['bytes=-400', TEXT, 'bytes 0-9/10'],
  ['bytes=4-400', 'bytes!', 'bytes 4-9/10'],
])('the range %s is %j', async (range, text, place) => {
  const answer = asked({ range }).answer();
  expect([answer.status, answer.headers.get('content-range')]).toEqual([206, place]);
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual([
    String(text.length),
    text,
  ]);
});

test('a range is sent if it is of the version that the client has, and several ranges never are', async () => {
  const etag = asked().answer().headers.get('etag') ?? '';
  const textOf = (headers: Record<string, string>) => asked(headers).answer().text();
  expect(await textOf({ range: 'bytes=0-2', 'if-range': etag })).toBe('ten');
  expect(await textOf({ range: 'bytes=0-2', 'if-range': '"other"' })).toBe(TEXT);
  expect(await textOf({ range: 'bytes=0-2,4-8' })).toBe(TEXT);
});

test('the same bytes as another type have another tag', () => {
  const tagOf = (type: string) => asked({}, { type }).answer().headers.get('etag');
  expect(tagOf('text/vtt')).toBe(tagOf('text/vtt'));
  expect(tagOf('text/vtt')).not.toBe(tagOf('text/plain'));
});

test('a name that is not valid Unicode can still be saved', () => {
  const { headers } = asked({}, { name: 'half \ud83d "a"*.vtt' }).answer();
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="half _ _a_*.vtt"; filename*=UTF-8''half%20%EF%BF%BD%20%22a%22%2A.vtt`,
  );
});

test('a body is compressed from 200 bytes on', () => {
  const request = new Request('http://localhost/', { headers: { 'accept-encoding': 'gzip' } });
  expect([isCompressed(request, 199), isCompressed(request, 200)]).toEqual([false, true]);
});
