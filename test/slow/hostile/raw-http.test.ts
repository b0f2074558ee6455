/** Malformed HTTP: false lengths, requests within requests, confusing headers. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ended } from '../../support/servers/client.ts';
import { expectUnharmed } from './support/answers.ts';
import { expectNoFailure, head, rawTarget } from './support/raw.ts';

setDefaultTimeout(300_000);

const { server, ann, key, raw } = await rawTarget();
const POST = 'POST /workflows/captioner HTTP/1.1';
const BODY = '{"audio":{"key":"none.mp3"}}';
const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;
/** A second request that exists only if one of two lengths is believed. */
const HIDDEN = 'DELETE /nothing/hidden HTTP/1.1\r\nHost: x\r\n\r\n';

test('a handwritten request gets a response', async () => {
  const answer = await raw(head(POST, [key, `Content-Length: ${BODY.length}`]) + BODY);
  expect(answer.statuses).toEqual([202]);
});

describe('framing: refused, never read in two ways', () => {
  test.each([
    ['both lengths', [`Content-Length: ${BODY.length}`, CHUNKED], chunk],
    ['both, the other way round', [CHUNKED, 'Content-Length: 4'], chunk],
    ['two lengths', [`Content-Length: ${BODY.length}`, 'Content-Length: 5'], BODY],
    ['a list of lengths', [`Content-Length: ${BODY.length}, ${BODY.length}`], BODY],
    ['a length below zero', ['Content-Length: -1'], BODY],
    ['a length with a sign', [`Content-Length: +${BODY.length}`], BODY],
    ['a length in hexadecimal', ['Content-Length: 0x1c'], BODY],
    ['a length beyond numbers', [`Content-Length: ${'9'.repeat(40)}`], BODY],
    ['a coding there is not', ['Transfer-Encoding: xchunked'], chunk],
    ['two codings', [CHUNKED, 'Transfer-Encoding: identity'], chunk],
    ['a coding behind a tab', ['Transfer-Encoding:\tchunked, gzip'], chunk],
    ['a chunk of garbage', [CHUNKED], `zz\r\n${BODY}\r\n`],
    ['a chunk below zero', [CHUNKED], `-1\r\n${BODY}\r\n`],
    ['a chunk beyond numbers', [CHUNKED], `${'f'.repeat(20)}\r\n${BODY}\r\n`],
  ])('%s', async (_name, lines, body) => {
    const answer = await raw(head(POST, [key, ...lines]) + body + HIDDEN);
    expect(answer.statuses).toEqual([400]);
    expectNoFailure(answer);
  });

  test('a body shorter than its length ends with the connection, without effect', async () => {
    const before = (await (await ann.get('/workflows/captioner')).json()).runs.length;
    expectNoFailure(await raw(head(POST, [key, 'Content-Length: 1000']) + BODY));
    expectNoFailure(await raw(head(POST, [key, CHUNKED]) + chunk));
    const after = (await (await ann.get('/workflows/captioner')).json()).runs.length;
    expect(after).toBe(before);
  });

  test('a body longer than its length is cut, and the rest is not a request', async () => {
    const answer = await raw(head(POST, [key, 'Content-Length: 5']) + BODY);
    expectNoFailure(answer);
    expect(new Set(answer.statuses)).toEqual(new Set([400]));
  });
});

describe('headers', () => {
  const many = Array.from({ length: 1000 }, (_, at) => `X-${at}: v`);
  test.each([
    ['a line of 100 KB', [`X-Long: ${'a'.repeat(100_000)}`], 431],
    ['a thousand lines', many, 431],
    ['NUL in a value', ['X: a\0b'], 400],
    ['CR in a value', ['X: a\rX-Injected: 1'], 400],
    ['LF in a value', ['X: a\nX-Injected: 1'], 400],
    ['a folded line', ['X: a\r\n X-Injected: 1'], 400],
    ['a space before the colon', ['X : a'], 400],
    ['a line without a colon', ['nothing'], 400],
    ['a name of controls', ['X\x01: a'], 400],
  ])('%s is refused', async (_name, lines, status) => {
    const answer = await raw(head('GET /health HTTP/1.1', lines));
    expect(answer.statuses).toEqual([status]);
    expectNoFailure(answer);
  });

  test.each([
    ['', 'GET /health'],
    ['', 'GET / HTTP/9.9'],
    ['', 'PRI * HTTP/2.0'],
    ['', 'FOO / HTTP/1.1'],
    ['', 'get / HTTP/1.1'],
    ['', `GET /${'a'.repeat(50_000)} HTTP/1.1`],
    ['', 'GET /a b HTTP/1.1'],
    ['', 'OPTIONS * HTTP/1.1'],
    ['', 'CONNECT evil.example:443 HTTP/1.1'],
    ['', 'TRACE / HTTP/1.1'],
    ['', 'GET ftp://evil.example/ HTTP/1.1'],
  ])('%s%s: no failure', async (_, first) => {
    const answer = await raw(head(first, ['X-Injected: 1', 'Connection: close']));
    expectNoFailure(answer);
    expect(answer.statuses).not.toContain(200);
  });

  test('random bytes', async () => {
    const bytes = Array.from({ length: 2000 }, (_, at) => String.fromCharCode((at * 7) % 256));
    for (const text of [
      bytes.join(''),
      '\x16\x03\x01\x00\xc8\x01',
      '\r\n\r\n\r\n',
      '\0'.repeat(9000),
    ]) {
      expectNoFailure(await raw(text));
    }
    expectNoFailure(await raw('GET / HTTP/1.1\nHost: x\n\n'));
  });
});

test('the service is unharmed', async () => {
  const { runId } = await (await ann.start(JSON.parse(BODY))).json();
  expect((await ended(ann, runId)).state).toBe('failed');
  await expectUnharmed(server);
});
