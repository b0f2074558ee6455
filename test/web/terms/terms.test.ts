/** The terms of a workspace and their lists. */
import { afterEach, describe, expect, test } from 'bun:test';
import { termService } from '../../../web/api/terminology.ts';
import { session } from '../../../web/session.ts';
import type { WorkspaceTerm } from '../../../server/contract/workspace-terms.ts';
import { termOf, typedOf } from '../../../web/terms/use-terminology.ts';

describe('a replacement', () => {
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
    const error: unknown = await termService
      .remember('k', { term: 'SCIM', mishear: 'skim' })
      .catch((thrown: unknown) => thrown);
    return { sent, error };
  }

  test('gives up after four attempts, and at once if the term is refused', async () => {
    const outrun = await remembered([412, 412, 412, 412, 200]);
    expect([outrun.sent.length, outrun.error]).toEqual([
      4,
      expect.objectContaining({ status: 412 }),
    ]);
    // Each attempt is made on the terms as somebody else has left them.
    expect(outrun.sent.map((each) => (each as unknown[])[0])).toEqual(['"1"', '"2"', '"3"', '"4"']);
    const refused = await remembered([422, 200]);
    expect([refused.sent.length, refused.error]).toEqual([
      1,
      expect.objectContaining({ status: 422 }),
    ]);
  });
});

const scim: WorkspaceTerm = {
  canonical: 'SCIM',
  kind: 'acronym',
  mishears: ['skim', 's c i m'],
  risky: ['skim'],
  near: ['provisioning'],
  confirmed: ['skim'],
  aliases: ['System for Cross-domain Identity Management'],
  say: 'skim',
  weight: 7,
  keyterm: false,
  note: 'Not the verb.',
};

test('an unchanged form yields the same term, from a person', () => {
  expect(
    termOf({ ...scim, source: { kind: 'import', at: '2026-11-22T00:00:00Z' } }, typedOf(scim)),
  ).toEqual(scim);
  const plain = { canonical: 'Zyphora' };
  expect(termOf(plain, typedOf(plain))).toEqual(plain);
});

test('an ordinary word is a mishear, and no longer a confirmed one if it was removed', () => {
  const typed = typedOf(scim);
  const changed = termOf(scim, { ...typed, mishears: 's c i m', risky: 'scheme', kind: '' });
  expect(changed).toMatchObject({ mishears: ['s c i m', 'scheme'], risky: ['scheme'] });
  expect(changed).not.toHaveProperty('confirmed');
  expect(changed).not.toHaveProperty('kind');
  expect(termOf(scim, { ...typed, risky: '' })).not.toHaveProperty('confirmed');
});

describe('the requests', () => {
  const { fetch: own } = globalThis;

  afterEach(() => {
    globalThis.fetch = own;
  });

  /** Gives every request the same answer; returns the requests. */
  function answering(answer: unknown) {
    const asked: { path: string; type: string | null; body: unknown }[] = [];
    globalThis.fetch = (async (path: string, { headers, body }: RequestInit) => {
      asked.push({ path, type: new Headers(headers).get('content-type'), body });
      return Response.json(answer);
    }) as unknown as typeof fetch;
    return asked;
  }

  test('rules are read all, or those of a run', async () => {
    const asked = answering({ rules: [] });
    await termService.rules('k');
    await termService.rules('k', { state: 'proposed', runId: 'run_1' });
    expect(asked.map(({ path }) => path)).toEqual([
      '/terminology/rules',
      '/terminology/rules?state=proposed&runId=run_1',
    ]);
  });

  test('a term is the same only with the same capitals', async () => {
    const asked = answering({ terms: [{ canonical: 'scim', mishears: ['skim'], weight: 3 }] });
    await termService.remember('k', { term: 'SCIM', mishear: 'scam' });
    expect(JSON.parse(asked[1]!.body as string)).toEqual({
      terms: [{ canonical: 'SCIM', mishears: ['scam'] }],
    });
  });
});
