/** Terms and learned rules of a workspace. */
import { describe, expect, test, setDefaultTimeout } from 'bun:test';
import { poolHere } from '../support/doubles/pool-here.ts';
import type { WorkPool } from '../../server/http/work/pool.ts';
import type { Any } from '../support/servers/client.ts';
import { callTool, mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { reviewedRun } from '../support/servers/reviewed-run.ts';
import { documentText, TooManyTerms } from '../../server/learning/terminology-store.ts';
import { rule } from '../learning/documents.ts';
import { storedTerms } from '../../server/learning/edit-terms.ts';

setDefaultTimeout(300_000);

// The terms of a workspace over HTTP and MCP, and what it learns from reviews: limits and tenancy.
{
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
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
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
      expect(await (await send(ann, 'GET', `${TERMS}?format=txt`)).text()).toBe(
        'Key: Cloak\nSCIM\n',
      );
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
}

// Writing terms over HTTP: versions, faults by field, formats and preconditions.
{
  const app = await mountedApp();
  const TERMS = '/terminology/terms';
  let people = 0;

  /** The terms of a separate workspace. */
  async function workspace() {
    people += 1;
    const { key } = await app.signUp(`p${people}@example.com`);
    const send = (
      method: string,
      body?: unknown,
      headers: Record<string, string> = {},
      query = '',
    ) =>
      app.ask(`${TERMS}${query}`, {
        method,
        key,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    const names = async () => {
      const { terms } = await (await send('GET')).json();
      return terms.map(({ canonical }: { canonical: string }) => canonical);
    };
    return { send, names };
  }

  /** The status of a refusal and the issues that it reports. */
  const faultsIn = async (response: Response) => {
    const { error } = await response.json();
    return [response.status, error.message, error.details];
  };

  describe('faults', () => {
    test('in added terms are reported with the path of the request', async () => {
      const { send, names } = await workspace();
      await send('PUT', { terms: [{ canonical: 'Old' }] });
      const clash = {
        terms: [
          { canonical: 'One', mishears: ['won'] },
          { canonical: 'Two', mishears: ['won'] },
        ],
      };
      expect(await faultsIn(await send('PATCH', clash))).toEqual([
        422,
        'The terms are invalid.',
        [{ path: 'terms.1.mishears.0', message: expect.any(String) }],
      ]);
      expect(await names()).toEqual(['Old']);
    });

    test('between an added and an existing term are reported too', async () => {
      const { send, names } = await workspace();
      await send('PUT', { terms: [{ canonical: 'Old' }] });
      expect(
        await faultsIn(await send('PATCH', { terms: [{ canonical: 'New', mishears: ['old'] }] })),
      ).toEqual([
        422,
        'The terms are invalid.',
        [{ path: expect.stringMatching(/^terms\.\d/), message: expect.any(String) }],
      ]);
      expect(await names()).toEqual(['Old']);
    });
  });

  describe('a write', () => {
    test('that removes one term leaves the others; one that names none changes nothing', async () => {
      const { send, names } = await workspace();
      await send('PUT', { terms: [{ canonical: 'One' }, { canonical: 'Two' }] });
      const one = await send('DELETE', undefined, {}, '?canonical=one');
      expect([one.status, one.headers.get('etag')]).toEqual([200, '"terms-2"']);
      expect(await names()).toEqual(['Two']);
      await send('PATCH', { remove: ['Two'] });
      expect(await names()).toEqual([]);
      const none = await send('DELETE');
      expect([none.status, none.headers.get('etag')]).toEqual([200, '"terms-3"']);
    });

    test.each(['PUT', 'PATCH', 'DELETE'])(
      'by %s of a version that is old is refused',
      async (by) => {
        const { send, names } = await workspace();
        await send('PUT', { terms: [{ canonical: 'One' }] });
        await send('PATCH', { terms: [{ canonical: 'Two' }] });
        const body = by === 'DELETE' ? undefined : { terms: [{ canonical: 'Three' }] };
        const late = await send(by, body, { 'if-match': '"terms-1"' });
        expect([late.status, late.headers.get('etag')]).toEqual([412, '"terms-2"']);
        expect(await names()).toEqual(['One', 'Two']);
        const inTime = await send(by, body, { 'if-match': '"terms-1", "terms-2"' });
        expect([inTime.status, inTime.headers.get('etag')]).toEqual([200, '"terms-3"']);
      },
    );

    test('of any version is made, of terms that should not be there yet only once', async () => {
      const { send } = await workspace();
      const put = (headers: Record<string, string>) =>
        send('PUT', { terms: [{ canonical: 'One' }] }, headers);
      expect((await put({ 'if-none-match': '*' })).status).toBe(200);
      expect((await put({ 'if-none-match': '*' })).status).toBe(412);
      expect((await put({ 'if-match': '*' })).status).toBe(200);
    });

    test('may be one MiB long, in all formats', async () => {
      const { send } = await workspace();
      const note = (bytes: number) => `{"terms":[]${' '.repeat(bytes - 12)}}`;
      const most = 2 ** 20;
      expect((await send('PUT', note(most))).status).toBe(200);
      expect((await send('PUT', note(most + 1))).status).toBe(413);
      const text = { 'content-type': 'text/plain' };
      expect((await send('PUT', `a${'\n'.repeat(most - 1)}`, text)).status).toBe(200);
      expect((await send('PUT', `a${'\n'.repeat(most)}`, text)).status).toBe(413);
    });
  });

  describe('the document of a workspace', () => {
    /** Terms with as many long forms as a request can hold. */
    const long = (from: number, count: number) => ({
      terms: Array.from({ length: count }, (_, at) => ({
        canonical: `Term${from + at}`,
        aliases: Array.from({ length: 50 }, (_, form) =>
          `${from + at}x${form}x${'y'.repeat(180)}`.slice(0, 190),
        ),
      })),
    });

    test('is never larger than one request, however many change it', async () => {
      const { send, names } = await workspace();
      expect((await send('PATCH', long(0, 60))).status).toBe(200);
      expect((await send('PATCH', long(60, 40))).status).toBe(200);
      const [status, , issues] = await faultsIn(await send('PATCH', long(100, 10)));
      expect([status, issues]).toEqual([
        422,
        [{ path: 'terms', message: expect.stringContaining('bytes of JSON') }],
      ]);
      expect(await names()).toHaveLength(100);
      expect((await send('PATCH', { remove: ['Term0', 'Term1', 'Term2'] })).status).toBe(200);
    });

    test('that an earlier version let grow can be made smaller, step by step', () => {
      const terms = long(0, 150).terms.map((term) =>
        storedTerms.from(term, { kind: 'person', at: 'now' }),
      );
      const before = { terms, automatic: true, rules: [] };
      expect(
        documentText({ ...before, terms: terms.slice(1) }, before).document.terms,
      ).toHaveLength(149);
      expect(() => documentText(before, before)).toThrow(TooManyTerms);
    });

    test('gives up the oldest rules that are not in force before it refuses', () => {
      const terms = long(0, 100).terms.map((term) =>
        storedTerms.from(term, { kind: 'person', at: 'now' }),
      );
      const idle = Array.from({ length: 1000 }, (_, at) =>
        rule({ id: `r${at}`, state: 'dismissed', settledAt: at }),
      );
      const { document, text } = documentText({ terms, automatic: true, rules: idle });
      expect(text.length).toBeLessThanOrEqual(2 ** 20);
      expect(document.rules.length).toBeGreaterThan(0);
      expect(document.rules.length).toBeLessThan(1000);
      expect(document.rules.at(-1)?.id).toBe('r999');
    });
  });

  describe('a format', () => {
    test('of YAML has at most 128 KiB, and no aliases', async () => {
      const { send } = await workspace();
      const put = async (body: string) =>
        (await send('PUT', body, { 'content-type': 'application/yaml' })).status;
      expect(await put(`- canonical: One\n#${' '.repeat(131_072 - 18)}`)).toBe(200);
      expect(await put(`- canonical: One\n#${' '.repeat(131_072 - 17)}`)).toBe(413);
      expect(await put('- &a {canonical: One}\n- *a')).toBe(400);
    });

    test.each([
      ['text/plain', 'One\nTwo', 'import'],
      ['TEXT/PLAIN ; charset=utf-8', 'One\nTwo', 'import'],
      ['application/yaml', 'terms: [{canonical: One}, {canonical: Two}]', 'import'],
      ['application/x-yaml', 'terms: [{canonical: One}, {canonical: Two}]', 'import'],
      ['text/x-yml', 'terms: [{canonical: One}, {canonical: Two}]', 'import'],
      ['application/json', '{"terms":[{"canonical":"One"},{"canonical":"Two"}]}', 'person'],
    ])('%s is read', async (type, body, kind) => {
      const { send, names } = await workspace();
      const put = await send('PUT', body, { 'content-type': type });
      expect((await put.json()).terms[0].source.kind).toBe(kind);
      expect(await names()).toEqual(['One', 'Two']);
    });

    test.each(['application/yamlx', 'x-application/yaml', 'application/octet-stream'])(
      '%s is not read as YAML',
      async (type) => {
        const { send, names } = await workspace();
        const put = await send('PUT', 'terms: [{canonical: One}]', { 'content-type': type });
        expect(put.ok).toBe(false);
        expect(await names()).toEqual([]);
      },
    );

    test.each([
      ['yaml', 'application/yaml; charset=utf-8'],
      ['txt', 'text/plain; charset=utf-8'],
      ['json', 'application/json; charset=utf-8'],
    ])('%s goes out with its type and version', async (format, type) => {
      const { send } = await workspace();
      await send('PUT', { terms: [{ canonical: 'One' }] });
      const got = await send('GET', undefined, {}, `?format=${format}`);
      expect(got.headers.get('content-type')).toBe(type);
      expect(got.headers.get('etag')).toBe('"terms-1"');
      expect(await got.text()).toContain('One');
      const tag = { 'if-none-match': '"terms-1"' };
      const known = await send('GET', undefined, tag, `?format=${format}`);
      expect([known.status, known.headers.get('etag')]).toEqual([304, '"terms-1"']);
    });
  });
}

// Finding names and terms in a text, over HTTP and MCP.
{
  const app = await mountedApp();
  const send = ({ key }: MountedKey, method: string, path: string, body: unknown) =>
    app.ask(path, {
      method,
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  describe('names and terms of a text', () => {
    test('are found without keeping anything, over HTTP and MCP', async () => {
      const ann = await app.signUp('ann@example.com');
      await send(ann, 'PUT', '/terminology/terms', { terms: [{ canonical: 'AuthKit' }] });
      const text = 'Ada Lovelace speaks on AuthKit, SCIM and Kubernetes.\nThen we all have lunch.';
      const answer = await send(ann, 'POST', '/terminology/proposals', { text });
      const { proposals } = await answer.json();
      const found = proposals.map(({ term }: Any) => term);
      expect(found.toSorted()).toEqual(['Ada Lovelace', 'AuthKit', 'Kubernetes', 'SCIM']);
      expect(proposals.find(({ term }: Any) => term === 'AuthKit').known).toBe(true);
      expect((await callTool(app, ann, 'propose_terms', { text })).words).toContain('Kubernetes');
      const empty = await send(ann, 'POST', '/terminology/proposals', { text: '' });
      expect(empty.status).toBe(422);
    });
  });
}

// The evidence of a rule after a person has decided on it, as more reviews come and as runs are
// erased.
{
  /** What is left to other threads. */
  const elsewhere = new Set<string>();
  const pool: WorkPool = {
    ...poolHere,
    do(task, input, errand) {
      elsewhere.add(task.name);
      return poolHere.do(task, input, errand);
    },
  };
  const app = await mountedApp({ parts: { pool } });
  const ann = await app.signUp('ann@example.com');
  const ask = async (method: string, path: string, body?: object): Promise<Any> => {
    const headers = { 'content-type': 'application/json' };
    const given = body ? { body: JSON.stringify(body) } : {};
    const answer = await app.ask(path, { method, key: ann.key, headers, ...given });
    return answer.status === 204 ? null : answer.json();
  };
  const only = async (): Promise<Any> => (await ask('GET', '/terminology/rules')).rules[0];

  test('a dismissed rule shows its latest evidence; after an erasure, that of the decision', async () => {
    const runs = [await reviewedRun(app, ann, 'We use skim for that.', 'We use SCIM for that.')];
    const [place] = (await only()).evidence.places;
    expect(place).toEqual({
      runId: runs[0],
      start: expect.closeTo(0.667),
      before: 'skim',
      after: 'SCIM',
    });
    const decided = await ask('PATCH', `/terminology/rules/${(await only()).id}`, {
      state: 'dismissed',
    });
    expect(decided.evidence).toMatchObject({ accepted: 1, rejected: 0, talks: 1, places: [place] });

    runs.push(await reviewedRun(app, ann, 'You need skim there.', 'You need SCIM there.'));
    const later = await only();
    expect(later.state).toBe('dismissed');
    for (const [runId, count] of [...runs.map((id) => [id, 1] as const), ['run_x', 0] as const]) {
      const { structuredContent } = await callTool(app, ann, 'list_rules', { runId });
      expect(structuredContent.rules).toHaveLength(count);
    }
    expect(later.evidence).toMatchObject({
      accepted: 2,
      talks: 2,
      text: 'skim → SCIM, accepted twice in 2 talks',
    });
    expect(later.evidence.places.map(({ runId }: Any) => runId).toSorted()).toEqual(
      runs.toSorted(),
    );

    // There may be megabytes of evidence.
    expect([...elsewhere]).toContain('readRows');

    for (const id of runs) await ask('DELETE', `/workflows/captioner/${id}/data`);
    const last = await only();
    expect([last.state, last.settledAt]).toEqual(['dismissed', decided.settledAt]);
    expect(last.evidence).toEqual({ ...decided.evidence, places: [] });
  });

  test('a rule without a state, and one that nobody has learned, are refused', async () => {
    await reviewedRun(app, ann, 'Look at kelm now.', 'Look at Helm now.');
    const { rules } = await ask('GET', '/terminology/rules?state=proposed');
    const undecided = await ask('PATCH', `/terminology/rules/${rules[0].id}`, { near: ['chart'] });
    expect(undecided.error).toEqual({
      code: 'invalid_payload',
      message: 'Send the new state of the rule.',
      details: [{ path: 'state', message: 'is required for a rule that is not applied' }],
    });
    // Nor is a new wording enough for a rule that was dismissed.
    const [asked, dismissed] = (await ask('GET', '/terminology/rules')).rules;
    expect([asked.state, dismissed.state]).toEqual(['proposed', 'dismissed']);
    const again = await ask('PATCH', `/terminology/rules/${dismissed.id}`, { near: ['chart'] });
    expect(again.error.code).toBe('invalid_payload');
    const unknown = await ask('PATCH', '/terminology/rules/rule_x', { state: 'applied' });
    expect(unknown.error.code).toBe('rule_not_found');
  });

  test('a new wording of an applied rule replaces the old one', async () => {
    const [{ id }] = (await ask('GET', '/terminology/rules?state=proposed')).rules;
    const change = (patch: object) => ask('PATCH', `/terminology/rules/${id}`, patch);
    const term = async () =>
      (await ask('GET', '/terminology/terms')).terms.find(
        ({ canonical }: Any) => canonical === 'Helm',
      );
    await change({ state: 'applied', near: [] });
    expect(await term()).toMatchObject({ mishears: ['kelm'] });
    expect(await term()).not.toHaveProperty('risky');
    const edited = await change({ surface: ' KELLM! ', near: ['Chart'] });
    expect(edited).toMatchObject({ state: 'applied', surface: 'kellm', near: ['chart'] });
    expect(await term()).toMatchObject({ mishears: ['kellm'], risky: ['kellm'], near: ['chart'] });
  });

  test('a person who changes an automatic rule decides on it, with a term as its wording', async () => {
    await app.services.terminology.change(ann.organizationId, (document) => ({
      ...document,
      rules: document.rules.map((rule) => ({ ...rule, automatic: true })),
    }));
    const applied = async (): Promise<Any> =>
      (await ask('GET', '/terminology/rules?state=applied')).rules[0];
    const { id, automatic } = await applied();
    expect(automatic).toBe(true);
    const change = (patch: object) => ask('PATCH', `/terminology/rules/${id}`, patch);
    for (const [path, text] of [
      ['surface', '…'],
      ['surface', 'one '.repeat(21)],
      ['canonical', '–'],
      ['canonical', 'one '.repeat(21)],
    ] as const) {
      const { error } = await change({ [path]: text });
      expect([text, error.details]).toEqual([text, [{ path, message: 'is not a term' }]]);
    }
    expect(await change({ canonical: ' Helmet ' })).toMatchObject({
      canonical: 'Helmet',
      automatic: false,
    });
  });
}
