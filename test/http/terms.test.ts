/**
 * The terms of a workspace over HTTP and MCP, and what it learns from reviews: limits and tenancy.
 */
import { describe, expect, test } from 'bun:test';
import type { Any } from '../support/servers/client.ts';
import { callTool, mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { reviewedRun } from '../support/servers/reviewed-run.ts';

const app = await mountedApp();
let people = 0;
const somebody = (scopes?: string[]) => {
  people += 1;
  return app.signUp(`p${people}@w${people}.example`, scopes);
};

const send = (
  who: MountedKey,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  app.ask(path, {
    method,
    key: who.key,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const TERMS = '/terminology/terms';
const names = async (who: MountedKey): Promise<string[]> => {
  const { terms } = await (await send(who, 'GET', TERMS)).json();
  return terms.map(({ canonical }: Any) => canonical);
};

describe('terms', () => {
  test('can be replaced, changed and removed, and have their source', async () => {
    const ann = await somebody();
    expect(await names(ann)).toEqual([]);
    const put = await send(ann, 'PUT', TERMS, {
      terms: [
        { canonical: 'SCIM', risky: ['Skim'], near: ['Provisioning'] },
        { canonical: 'AuthKit' },
      ],
    });
    const { terms } = await put.json();
    expect(terms[0]).toMatchObject({
      canonical: 'SCIM',
      kind: 'acronym',
      mishears: ['skim'],
      risky: ['skim'],
      near: ['provisioning'],
      weight: 10,
      source: { kind: 'person' },
    });
    await send(ann, 'PATCH', TERMS, {
      terms: [{ canonical: 'scim', kind: 'acronym' }],
      remove: ['authkit'],
    });
    expect(await names(ann)).toEqual(['scim']);
    // Terms may be sent back as they were read: nothing has changed, so their source stays.
    const read = await (await send(ann, 'GET', TERMS)).json();
    expect(await (await send(ann, 'PUT', TERMS, read)).json()).toEqual(read);
    const gone = await send(ann, 'DELETE', `${TERMS}?canonical=nothing`);
    expect([gone.status, (await gone.json()).error.code]).toEqual([404, 'term_not_found']);
    await send(ann, 'DELETE', TERMS);
    expect(await names(ann)).toEqual([]);
  });

  test('can be exported and imported as a pack and as a list', async () => {
    const ann = await somebody();
    await send(ann, 'PUT', TERMS, {
      terms: [
        { canonical: 'Key: Cloak', mishears: ['key cloke'], note: '# no comment' },
        { canonical: 'SCIM' },
      ],
    });
    const yaml = await (await send(ann, 'GET', `${TERMS}?format=yaml`)).text();
    expect(await (await send(ann, 'GET', `${TERMS}?format=txt`)).text()).toBe('Key: Cloak\nSCIM\n');
    const bob = await somebody();
    const type = { 'content-type': 'application/yaml' };
    const imported = await (await send(bob, 'PUT', TERMS, yaml, type)).json();
    expect(imported.terms[0]).toMatchObject({
      canonical: 'Key: Cloak',
      mishears: ['key cloke'],
      note: '# no comment',
      source: { kind: 'import' },
    });
    const list = 'Ada Lovelace\nSCIM\n\nPriya Raman; ada lovelace';
    await send(bob, 'PATCH', TERMS, list, { 'content-type': 'text/plain' });
    expect(await names(bob)).toEqual(['Key: Cloak', 'SCIM', 'Ada Lovelace', 'Priya Raman']);
    const broken = await send(bob, 'PUT', TERMS, 'terms: [', type);
    expect([broken.status, (await broken.json()).error.code]).toEqual([400, 'invalid_payload']);
  });

  test('are overwritten only in the named version, if one is named', async () => {
    const ann = await somebody();
    const first = await send(ann, 'PUT', TERMS, { terms: [{ canonical: 'One' }] });
    const etag = first.headers.get('etag') ?? '';
    await send(ann, 'PATCH', TERMS, { terms: [{ canonical: 'Two' }] });
    const late = await send(ann, 'PUT', TERMS, { terms: [] }, { 'if-match': etag });
    expect([late.status, late.headers.get('etag')]).toEqual([412, '"terms-2"']);
    expect(await names(ann)).toEqual(['One', 'Two']);
    const known = await send(ann, 'GET', TERMS, undefined, { 'if-none-match': '"terms-2"' });
    expect(known.status).toBe(304);
  });

  test('simultaneous changes are all made', async () => {
    const ann = await somebody();
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        send(ann, 'PATCH', TERMS, { terms: [{ canonical: `Term${at}` }] }),
      ),
    );
    expect((await names(ann)).length).toBe(20);
  });

  test.each([
    [{ terms: [{ canonical: ' ' }] }, 'terms.0.canonical'],
    [{ terms: [{ canonical: 'x'.repeat(201) }] }, 'terms.0.canonical'],
    [{ terms: [{ canonical: 'a '.repeat(21) }] }, 'terms.0'],
    [{ terms: [{ canonical: 'A', more: 1 }] }, 'terms.0.more'],
    [
      { terms: [{ canonical: 'A', mishears: ['one two three four five six seven'] }] },
      'terms.0.mishears.0',
    ],
    [{ terms: [{ canonical: 'Ab' }, { canonical: 'ab' }] }, 'terms.1.canonical'],
    [
      {
        terms: [
          { canonical: 'Ab', mishears: ['cd'] },
          { canonical: 'Ef', mishears: ['cd'] },
        ],
      },
      'terms.1.mishears.0',
    ],
    [{ terms: Array.from({ length: 1001 }, (_, at) => ({ canonical: `T${at}` })) }, 'terms'],
  ])('%j is refused, with the field', async (body, path) => {
    const ann = await somebody();
    const answer = await send(ann, 'PUT', TERMS, body);
    expect([answer.status, (await answer.json()).error.details?.[0]?.path]).toEqual([422, path]);
    expect(await names(ann)).toEqual([]);
  });

  test('never exceed a thousand, however they are added', async () => {
    const ann = await somebody();
    const many = (from: number, count: number) => ({
      terms: Array.from({ length: count }, (_, at) => ({ canonical: `T${from + at}` })),
    });
    expect((await send(ann, 'PUT', TERMS, many(0, 1000))).status).toBe(200);
    expect((await send(ann, 'PATCH', TERMS, many(1000, 1))).status).toBe(422);
    expect((await names(ann)).length).toBe(1000);
  });

  test('belong to one workspace, and need their scopes', async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    await send(ann, 'PUT', TERMS, { terms: [{ canonical: 'Secret' }] });
    expect(await names(bob)).toEqual([]);
    const reader = await somebody(['captioner:terminology:read']);
    const runner = await somebody(['captioner:caption:run']);
    expect((await send(reader, 'GET', TERMS)).status).toBe(200);
    expect((await send(reader, 'PUT', TERMS, { terms: [] })).status).toBe(403);
    expect((await send(runner, 'GET', TERMS)).status).toBe(403);
    expect((await send(runner, 'PUT', TERMS, { terms: [] })).status).toBe(200);
    expect((await callTool(app, runner, 'list_terms', {})).words).toContain('insufficient_scope');
    await callTool(app, ann, 'change_terms', { terms: [{ canonical: 'Tool' }] });
    const listed = await callTool(app, ann, 'list_terms', {});
    expect(listed.structuredContent.terms.length).toBe(2);
  });
});

describe('learning', () => {
  const review = (who: MountedKey, heard: string, typed: string) =>
    reviewedRun(app, who, heard, typed);
  const rules = async (who: MountedKey, query = ''): Promise<Any[]> =>
    (await (await send(who, 'GET', `/terminology/rules${query}`)).json()).rules;

  test('from a review: rules are applied if safe, have evidence, and can be undone', async () => {
    const ann = await somebody();
    const heard = 'First we set up key cloke and then key cloke was running.';
    const runId = await review(ann, heard, heard.replaceAll('key cloke', 'Keycloak'));
    const [rule] = await rules(ann);
    expect(rule).toMatchObject({
      kind: 'new_term',
      state: 'applied',
      automatic: true,
      evidence: { accepted: 2, text: 'key cloke → Keycloak, accepted twice in one talk' },
    });
    expect(rule.evidence.places[0]).toMatchObject({ runId, before: 'key cloke' });
    expect(await names(ann)).toEqual(['Keycloak']);
    const undone = await send(ann, 'PATCH', `/terminology/rules/${rule.id}`, { state: 'undone' });
    expect((await undone.json()).state).toBe('undone');
    expect(await names(ann)).toEqual([]);
    // It stays undone, however often the review is read.
    expect((await rules(ann))[0]?.state).toBe('undone');
    expect(await names(ann)).toEqual([]);
  });

  test('asks about ordinary words once, for that run', async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const runId = await review(ann, 'We use skim for that.', 'We use SCIM for that.');
    expect(await rules(bob)).toEqual([]);
    const [rule] = await rules(ann, `?state=proposed&runId=${runId}`);
    expect(rule).toMatchObject({ surface: 'skim', canonical: 'SCIM', state: 'proposed' });
    expect(await rules(ann, '?runId=run_other')).toEqual([]);
    const other = await send(bob, 'PATCH', `/terminology/rules/${rule.id}`, { state: 'applied' });
    expect(other.status).toBe(404);
    const edited = await callTool(app, ann, 'settle_rule', {
      ruleId: rule.id,
      state: 'applied',
      near: ['provisioning'],
    });
    expect(edited.structuredContent).toMatchObject({ state: 'applied', near: ['provisioning'] });
    const { terms } = await (await send(ann, 'GET', TERMS)).json();
    expect(terms[0]).toMatchObject({
      canonical: 'SCIM',
      risky: ['skim'],
      source: { kind: 'learned' },
    });
    expect(await rules(ann, '?state=proposed')).toEqual([]);
    const listed = await callTool(app, ann, 'list_rules', {});
    expect(listed.words).toContain('(applied): skim → SCIM, accepted once in one talk');
  });

  test('learns nothing when turned off', async () => {
    const ann = await somebody();
    await send(ann, 'PUT', '/terminology/learning', { automatic: false });
    const heard = 'We saw key cloke and key cloke.';
    await review(ann, heard, heard.replaceAll('key cloke', 'Keycloak'));
    expect([await rules(ann), await names(ann)]).toEqual([[], []]);
    await send(ann, 'PUT', '/terminology/learning', { automatic: true });
    expect((await rules(ann)).length).toBe(1);
  });
});
