/** Adding a mishear to a term of the workspace, while others change the terms as well. */
import { afterEach, expect, test } from 'bun:test';
import { rememberTerm } from '../../../web/api/terminology.ts';

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
});

/** Remembers “skim” for SCIM, with a service that answers the changes with these statuses; returns what was sent. */
async function remembered(statuses: readonly number[]) {
  const sent: unknown[] = [];
  let reads = 0;
  globalThis.fetch = (async (_: string, { method, headers, body }: RequestInit) => {
    if (method === 'GET') {
      reads += 1;
      const term = { canonical: 'SCIM', mishears: ['s c i m'], weight: 8, source: 'added' };
      return Response.json({ terms: [term] }, { headers: { etag: `"${reads}"` } });
    }
    const status = statuses[sent.length]!;
    sent.push([new Headers(headers).get('if-match'), JSON.parse(body as string)]);
    return Response.json({ error: { code: 'refused', message: 'No.' } }, { status });
  }) as unknown as typeof fetch;
  const error: unknown = await rememberTerm('k', { term: 'SCIM', mishear: 'skim' }).catch(
    (thrown: unknown) => thrown,
  );
  return { sent, error };
}

test('keeps what is known about the term, and its other mishears', async () => {
  const { sent, error } = await remembered([200]);
  const term = { canonical: 'SCIM', mishears: ['s c i m', 'skim'], weight: 8 };
  expect([sent, error]).toEqual([[['"1"', { terms: [term] }]], undefined]);
});

test('reads the terms again if somebody has changed them in the meantime', async () => {
  const { sent, error } = await remembered([412, 412, 200]);
  expect(sent.map((each) => (each as unknown[])[0])).toEqual(['"1"', '"2"', '"3"']);
  expect(error).toBeUndefined();
});

test('gives up after four attempts, and at once if the term is refused', async () => {
  const outrun = await remembered([412, 412, 412, 412, 200]);
  expect([outrun.sent.length, outrun.error]).toEqual([4, expect.objectContaining({ status: 412 })]);
  const refused = await remembered([422, 200]);
  expect([refused.sent.length, refused.error]).toEqual([
    1,
    expect.objectContaining({ status: 422 }),
  ]);
});
