/** Adding a mishear to a term of the workspace, while others change the terms as well. */
import { afterEach, expect, test } from 'bun:test';
import { rememberTerm } from '../../../web/api/terminology.ts';
import { remember } from '../../../web/review/desk/find-bar.tsx';
import { session, signInRequest } from '../../../web/session.ts';
import { text } from '../../../web/texts/shell.ts';
import { find } from '../../../web/texts/desk-parts.ts';
import { reviewOf } from '../review/support.ts';

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
  session.value = null;
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

test('a replacement is remembered without the spaces around it, which the review says once it is', async () => {
  session.value = { key: 'k', email: 'ann@example.com' };
  const review = reviewOf([]);
  const saved = Promise.withResolvers<void>();
  const sent: unknown[] = [];
  globalThis.fetch = (async (_: string, { method, body }: RequestInit) => {
    if (method === 'GET') return Response.json({ terms: [] }, { headers: { etag: '"1"' } });
    sent.push(JSON.parse(body as string));
    await saved.promise;
    return Response.json({});
  }) as unknown as typeof fetch;
  const remembering = remember(review, ' skim ', ' SCIM ');
  await new Promise((resolve) => setTimeout(resolve));
  expect(review.message.value).toBe('');
  saved.resolve();
  await remembering;
  expect(sent).toMatchObject([{ terms: [{ canonical: 'SCIM', mishears: ['skim'] }] }]);
  expect(review.message.value).toBe(find.remembered('skim', 'SCIM'));
});

test('a refusal to remember a replacement is told, a declined sign-in is not', async () => {
  session.value = { key: 'k', email: 'ann@example.com' };
  const review = reviewOf([]);
  const error = { code: 'forbidden', message: 'Only administrators may.' };
  globalThis.fetch = (async () =>
    Response.json({ error }, { status: 403 })) as unknown as typeof fetch;
  await remember(review, 'skim', 'SCIM');
  const refused = text.run.refused(error.message);
  expect(review.message.value).toBe(refused);
  session.value = null;
  const remembering = remember(review, 'skim', 'SCIM');
  signInRequest.value!.dismiss();
  await remembering;
  expect(review.message.value).toBe(refused);
});
