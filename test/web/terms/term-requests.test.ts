/** The app's requests about terms and rules: their addresses and types. */
import { afterEach, expect, test } from 'bun:test';
import { decideRule, importTerms, readRules, rememberTerm } from '../../../web/api/terminology.ts';

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
  await readRules('k');
  await readRules('k', { state: 'proposed', runId: 'run_1' });
  expect(asked.map(({ path }) => path)).toEqual([
    '/terminology/rules',
    '/terminology/rules?state=proposed&runId=run_1',
  ]);
});

test('a rule is addressed by its id, whatever that contains', async () => {
  const asked = answering({});
  await decideRule('k', 'a/b', {});
  expect(asked[0]!.path).toBe('/terminology/rules/a%2Fb');
});

test.each(['application/yaml', 'text/plain'] as const)('a file is sent as %s', async (type) => {
  const asked = answering({ terms: [] });
  await importTerms('k', 'SCIM', type);
  expect(asked[0]).toEqual({ path: '/terminology/terms', type, body: 'SCIM' });
});

test('a term is the same only with the same capitals', async () => {
  const asked = answering({ terms: [{ canonical: 'scim', mishears: ['skim'], weight: 3 }] });
  await rememberTerm('k', { term: 'SCIM', mishear: 'scam' });
  expect(JSON.parse(asked[1]!.body as string)).toEqual({
    terms: [{ canonical: 'SCIM', mishears: ['scam'] }],
  });
});
