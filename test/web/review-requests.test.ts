/** The app's requests for a review that is stored by the service. */
import { afterEach, expect, test } from 'bun:test';
import { NoAnswer } from '../../web/api/request.ts';
import { readReview, writeReview } from '../../web/api/reviews.ts';

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
});

const signal = new AbortController().signal;
/** Reads a review from a service that gives this answer; returns the result and the tag that was sent. */
async function read(answer: Response, tag: string | null = null) {
  let sent: string | null = null;
  globalThis.fetch = (async (_: string, { headers }: RequestInit) => {
    sent = new Headers(headers).get('if-none-match');
    return answer;
  }) as unknown as typeof fetch;
  const got = await readReview('k', 'run_1', tag, signal).catch((error: unknown) => error);
  return [got, sent];
}
const refusal = (status: number, code: string) =>
  Response.json({ error: { code, message: '' } }, { status });

test('it comes with its tag', async () => {
  const answer = Response.json({ captions: [] }, { headers: { etag: '"2"' } });
  expect(await read(answer)).toEqual([{ review: { captions: [] }, tag: '"2"' }, null]);
});

test('it may be unchanged', async () => {
  expect(await read(new Response(null, { status: 304 }), '"2"')).toEqual(['same', '"2"']);
});

test('it may not exist yet', async () => {
  expect(await read(refusal(404, 'review_not_found'))).toEqual([null, null]);
});

test.each([
  [404, 'run_not_found'],
  [401, 'review_not_found'],
  [500, 'internal'],
])('%d %s is a failure', async (status, code) => {
  expect((await read(refusal(status, code)))[0]).toMatchObject({ status, code });
});

test('a truncated response is invalid', async () => {
  expect((await read(new Response('{"captions": [')))[0]).toBeInstanceOf(NoAnswer);
});

test('a request that is cancelled while its answer arrives ends as cancelled', async () => {
  const leave = new AbortController();
  const left = new Error('The page was left.');
  globalThis.fetch = (async () => {
    leave.abort(left);
    return new Response('{"captions": [');
  }) as unknown as typeof fetch;
  expect(await readReview('k', 'run_1', null, leave.signal).catch((error: unknown) => error)).toBe(
    left,
  );
});

test.each([true, false])('it is saved, even if the page is closed: %p', async (keepalive) => {
  let sent: RequestInit = {};
  globalThis.fetch = (async (_: string, init: RequestInit) => {
    sent = init;
    return new Response(null, { headers: { etag: 'W/"3"' } });
  }) as unknown as typeof fetch;
  const review = { cues: [], corrections: [], speakers: [], finished: true };
  const tag = keepalive ? '"2"' : null;
  expect(await writeReview('k', 'run_1', review, tag, { keepalive })).toBe('"3"');
  expect([sent.method, sent.keepalive, JSON.parse(sent.body as string)]).toEqual([
    'PUT',
    keepalive,
    review,
  ]);
  const headers = new Headers(sent.headers);
  expect([headers.get('if-match'), headers.get('if-none-match')]).toEqual(
    keepalive ? ['"2"', null] : [null, '*'],
  );
});
