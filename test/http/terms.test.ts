/** Terms and learned rules of a workspace, over HTTP and MCP. */
import { describe, expect, test, setDefaultTimeout } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import type { WorkPool } from '../../server/http/work/pool.ts';
import { storedTerm } from '../../server/learning/edit-terms.ts';
import { documentText, TooManyTerms } from '../../server/learning/terminology-store.ts';
import { rule } from '../learning/documents.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { told, type Any } from '../support/servers/client.ts';
import { callTool, mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { reviewedRun } from '../support/servers/reviewed-run.ts';

setDefaultTimeout(300_000);

/** What is left to other threads. */
const elsewhere = new Set<string>();
const pool: WorkPool = {
  ...poolHere,
  do(task, input, load) {
    elsewhere.add(task.name);
    return poolHere.do(task, input, load);
  },
};
const app = await mountedApp({ parts: { pool }, env: { REGISTRATIONS_PER_IP: '100' } });
const TERMS = '/terminology/terms';
const RULES = '/terminology/rules';
let people = 0;

/** A separate workspace. */
async function somebody(scopes?: string[]) {
  people += 1;
  const who = await app.signUp(`p${people}@w${people}.example`, scopes);
  const send = (
    method: string,
    body?: unknown,
    headers: Record<string, string> = {},
    path = TERMS,
  ) =>
    app.ask(path.startsWith('?') ? `${TERMS}${path}` : path, {
      method,
      key: who.key,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const names = async (): Promise<string[]> =>
    (await (await send('GET')).json()).terms.map(({ canonical }: Any) => canonical);
  /** Replaces the terms by those of these names. */
  const put = (...canonical: string[]) =>
    send('PUT', { terms: canonical.map((name) => ({ canonical: name })) });
  return { ...who, send, names, put };
}

/** The status of a refusal and the issues that it reports. */
const faultsIn = async (response: Response) => {
  const { error } = await response.json();
  return [response.status, error.message, error.details];
};

describe('terms', () => {
  test('can be replaced, changed and removed, and have their source', async () => {
    const { send, names } = await somebody();
    expect(await names()).toEqual([]);
    const scim = { canonical: 'SCIM', risky: ['Skim'], near: ['Provisioning'] };
    const put = await send('PUT', { terms: [scim, { canonical: 'AuthKit' }] });
    expect((await put.json()).terms[0]).toMatchObject({
      canonical: 'SCIM',
      kind: 'acronym',
      mishears: ['skim'],
      risky: ['skim'],
      near: ['provisioning'],
      weight: 10,
      source: { kind: 'person' },
    });
    const patch = { terms: [{ canonical: 'scim', kind: 'acronym' }], remove: ['authkit'] };
    await send('PATCH', patch);
    expect(await names()).toEqual(['scim']);
    // Terms may be sent back as they were read: nothing has changed, so their source stays.
    const read = await (await send('GET')).json();
    expect(await (await send('PUT', read)).json()).toEqual(read);
    const gone = send('DELETE', undefined, {}, '?canonical=nothing');
    expect(await told(gone)).toBe('404 term_not_found');
    await send('DELETE');
    expect(await names()).toEqual([]);
  });

  test('can be exported and imported as a pack and as a list', async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const cloak = { canonical: 'Key: Cloak', mishears: ['key cloke'], note: '# no comment' };
    await ann.send('PUT', { terms: [cloak, { canonical: 'SCIM' }] });
    const exported = async (format: string) =>
      (await ann.send('GET', undefined, {}, `?format=${format}`)).text();
    expect(await exported('txt')).toBe('Key: Cloak\nSCIM\n');
    const type = { 'content-type': 'application/yaml' };
    const imported = await (await bob.send('PUT', await exported('yaml'), type)).json();
    expect(imported.terms[0]).toMatchObject({ ...cloak, source: { kind: 'import' } });
    const list = 'Ada Lovelace\nSCIM\n\nPriya Raman; ada lovelace';
    await bob.send('PATCH', list, { 'content-type': 'text/plain' });
    expect(await bob.names()).toEqual(['Key: Cloak', 'SCIM', 'Ada Lovelace', 'Priya Raman']);
    expect(await told(bob.send('PUT', 'terms: [', type))).toBe('400 invalid_payload');
  });

  const one = (term: object) => ({ terms: [{ canonical: 'A', ...term }] });
  const two = (first: object, second: object) => ({ terms: [first, second] });
  test.each([
    [one({ canonical: ' ' }), 'terms.0.canonical'],
    [one({ canonical: 'x'.repeat(201) }), 'terms.0.canonical'],
    [one({ canonical: 'a '.repeat(21) }), 'terms.0'],
    [one({ more: 1 }), 'terms.0.more'],
    [one({ mishears: ['one two three four five six seven'] }), 'terms.0.mishears.0'],
    [two({ canonical: 'Ab' }, { canonical: 'ab' }), 'terms.1.canonical'],
    [
      two({ canonical: 'Ab', mishears: ['cd'] }, { canonical: 'Ef', mishears: ['cd'] }),
      'terms.1.mishears.0',
    ],
    [{ terms: Array.from({ length: 1001 }, (_, at) => ({ canonical: `T${at}` })) }, 'terms'],
  ])('%j is refused, with the field, and changes nothing', async (body, path) => {
    const { send, names, put } = await somebody();
    await put('Old');
    for (const method of ['PUT', 'PATCH']) {
      const [status, message, [issue]] = await faultsIn(await send(method, body));
      expect([status, message.startsWith('The '), issue.path]).toEqual([422, true, path]);
    }
    expect(await names()).toEqual(['Old']);
  });

  test('an added term that clashes with one of the workspace is refused too', async () => {
    const { send, names, put } = await somebody();
    await put('Old');
    const clash = { terms: [{ canonical: 'New', mishears: ['old'] }] };
    expect(await faultsIn(await send('PATCH', clash))).toEqual([
      422,
      'The terms are invalid.',
      [{ path: expect.stringMatching(/^terms\.\d/), message: expect.any(String) }],
    ]);
    expect(await names()).toEqual(['Old']);
  });

  test('never exceed a thousand, however they are added', async () => {
    const { send, names, put } = await somebody();
    expect((await put(...Array.from({ length: 1000 }, (_, at) => `T${at}`))).status).toBe(200);
    expect((await send('PATCH', { terms: [{ canonical: 'T1000' }] })).status).toBe(422);
    expect((await names()).length).toBe(1000);
  });

  test('belong to one workspace, and need their scopes', async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    await ann.put('Secret');
    expect(await bob.names()).toEqual([]);
    const reader = await somebody(['captioner:terminology:read']);
    const runner = await somebody(['captioner:caption:run']);
    const statuses = async ({ send, put }: typeof reader) =>
      [await send('GET'), await put()].map(({ status }) => status);
    expect(await statuses(reader)).toEqual([200, 403]);
    expect(await statuses(runner)).toEqual([403, 200]);
    expect((await callTool(app, runner, 'list_terms', {})).words).toContain('insufficient_scope');
    await callTool(app, ann, 'change_terms', { terms: [{ canonical: 'Tool' }] });
    const listed = await callTool(app, ann, 'list_terms', {});
    expect(listed.structuredContent.terms.length).toBe(2);
  });

  test('that are removed one by one leave the others; a write that names none changes nothing', async () => {
    const { send, names, put } = await somebody();
    await put('One', 'Two');
    const one = await send('DELETE', undefined, {}, '?canonical=one');
    expect([one.status, one.headers.get('etag')]).toEqual([200, '"terms-2"']);
    expect(await names()).toEqual(['Two']);
    await send('PATCH', { remove: ['Two'] });
    expect(await names()).toEqual([]);
    const none = await send('DELETE');
    expect([none.status, none.headers.get('etag')]).toEqual([200, '"terms-3"']);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s of a version that is old is refused', async (by) => {
    const { send, names, put } = await somebody();
    await put('One');
    await send('PATCH', { terms: [{ canonical: 'Two' }] });
    const body = by === 'DELETE' ? undefined : { terms: [{ canonical: 'Three' }] };
    const late = await send(by, body, { 'if-match': '"terms-1"' });
    expect([late.status, late.headers.get('etag')]).toEqual([412, '"terms-2"']);
    expect(await names()).toEqual(['One', 'Two']);
    const inTime = await send(by, body, { 'if-match': '"terms-1", "terms-2"' });
    expect([inTime.status, inTime.headers.get('etag')]).toEqual([200, '"terms-3"']);
  });

  test('that should not be there yet are written only once, of any version always', async () => {
    const { send } = await somebody();
    const put = async (headers: Record<string, string>) =>
      (await send('PUT', { terms: [{ canonical: 'One' }] }, headers)).status;
    expect(await put({ 'if-none-match': '*' })).toBe(200);
    expect(await put({ 'if-none-match': '*' })).toBe(412);
    expect(await put({ 'if-match': '*' })).toBe(200);
  });

  test('may be one MiB long, as YAML 128 KiB, without aliases', async () => {
    const { send } = await somebody();
    const put = async (type: string, body: string) =>
      (await send('PUT', body, { 'content-type': type })).status;
    const json = (bytes: number) => `{"terms":[]${' '.repeat(bytes - 12)}}`;
    const list = (bytes: number) => `a${'\n'.repeat(bytes - 1)}`;
    const yaml = (bytes: number) => `- canonical: One\n#${' '.repeat(bytes - 18)}`;
    for (const [type, text, most] of [
      ['application/json', json, 2 ** 20],
      ['text/plain', list, 2 ** 20],
      ['application/yaml', yaml, 131_072],
    ] as const) {
      expect([await put(type, text(most)), await put(type, text(most + 1))]).toEqual([200, 413]);
    }
    expect(await put('application/yaml', '- &a {canonical: One}\n- *a')).toBe(400);
  });

  test.each([
    ['text/plain', 'One\nTwo', 'import'],
    ['TEXT/PLAIN ; charset=utf-8', 'One\nTwo', 'import'],
    ['application/yaml', 'terms: [{canonical: One}, {canonical: Two}]', 'import'],
    ['application/x-yaml', 'terms: [{canonical: One}, {canonical: Two}]', 'import'],
    ['text/x-yml', 'terms: [{canonical: One}, {canonical: Two}]', 'import'],
    ['application/json', '{"terms":[{"canonical":"One"},{"canonical":"Two"}]}', 'person'],
    ['application/yamlx', 'terms: [{canonical: One}]', null],
    ['x-application/yaml', 'terms: [{canonical: One}]', null],
    ['application/octet-stream', 'terms: [{canonical: One}]', null],
  ])('%s: %j has the source %p', async (type, body, kind) => {
    const { send, names } = await somebody();
    const put = await send('PUT', body, { 'content-type': type });
    expect(put.ok ? (await put.json()).terms[0].source.kind : null).toBe(kind);
    expect(await names()).toEqual(kind === null ? [] : ['One', 'Two']);
  });

  test('go out in each format with its type and version', async () => {
    const { send, put } = await somebody();
    await put('One');
    for (const [format, type] of [
      ['yaml', 'application/yaml; charset=utf-8'],
      ['txt', 'text/plain; charset=utf-8'],
      ['json', 'application/json; charset=utf-8'],
    ]) {
      const get = (headers = {}) => send('GET', undefined, headers, `?format=${format}`);
      const got = await get();
      expect(got.headers.get('content-type')).toBe(type!);
      expect(got.headers.get('etag')).toBe('"terms-1"');
      expect(await got.text()).toContain('One');
      const known = await get({ 'if-none-match': '"terms-1"' });
      expect([known.status, known.headers.get('etag')]).toEqual([304, '"terms-1"']);
    }
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
  const stored = (count: number) =>
    long(0, count).terms.map((term) => storedTerm(term, { kind: 'person', at: 'now' }));

  test('is never larger than one request, however many change it', async () => {
    const { send, names } = await somebody();
    expect((await send('PATCH', long(0, 60))).status).toBe(200);
    expect((await send('PATCH', long(60, 40))).status).toBe(200);
    const [status, , issues] = await faultsIn(await send('PATCH', long(100, 10)));
    const message = expect.stringContaining('bytes of JSON');
    expect([status, issues]).toEqual([422, [{ path: 'terms', message }]]);
    expect(await names()).toHaveLength(100);
    expect((await send('PATCH', { remove: ['Term0', 'Term1', 'Term2'] })).status).toBe(200);
  });

  test('that an earlier version let grow can be made smaller, step by step', () => {
    const terms = stored(150);
    const before = { terms, automatic: true, rules: [] };
    const { document } = documentText({ ...before, terms: terms.slice(1) }, before);
    expect(document.terms).toHaveLength(149);
    expect(() => documentText(before, before)).toThrow(TooManyTerms);
  });

  test('gives up the oldest rules that are not in force before it refuses', () => {
    const idle = Array.from({ length: 1000 }, (_, at) =>
      rule({ id: `r${at}`, state: 'dismissed', settledAt: at }),
    );
    const { document, text } = documentText({ terms: stored(100), automatic: true, rules: idle });
    expect(text.length).toBeLessThanOrEqual(2 ** 20);
    expect(document.rules.length).toBeWithin(1, 1000);
    expect(document.rules.at(-1)?.id).toBe('r999');
  });
});

test('names and terms of a text are found without keeping anything', async () => {
  const { send, put, ...ann } = await somebody();
  await put('AuthKit');
  const text = 'Ada Lovelace speaks on AuthKit, SCIM and Kubernetes.\nThen we all have lunch.';
  const path = '/terminology/proposals';
  const { proposals } = await (await send('POST', { text }, {}, path)).json();
  const found = proposals.map(({ term }: Any) => term);
  expect(found.toSorted()).toEqual(['Ada Lovelace', 'AuthKit', 'Kubernetes', 'SCIM']);
  expect(proposals.find(({ term }: Any) => term === 'AuthKit').known).toBe(true);
  expect((await callTool(app, ann, 'propose_terms', { text })).words).toContain('Kubernetes');
  expect((await send('POST', { text: '' }, {}, path)).status).toBe(422);
});

describe('names and terms of a file', () => {
  const path = '/terminology/proposals';
  const card = 'BEGIN:VCARD\nVERSION:4.0\nFN:José Łukasiewicz\nORG:Nordvik\nEND:VCARD\n';
  const slides = () =>
    zipSync({
      'ppt/slides/slide1.xml': strToU8(
        '<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:t>Jane Doe – CEO, Acme GmbH</a:t></a:p></p:sld>',
      ),
    });

  /** The status, and the terms that were found or the code and the message of the refusal. */
  const post = async (body: BodyInit, type?: string) => {
    const { key } = await somebody();
    const answer = await app.ask(path, {
      method: 'POST',
      key,
      body,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
    const { proposals, error } = await answer.json();
    return [
      answer.status,
      proposals?.map(({ term, kind }: Any) => `${kind} ${term}`).join() ?? error.code,
    ];
  };

  test('sent to a tool as base64, and not beside a text', async () => {
    const sender = await somebody();
    const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
    const ask = (input: object) => callTool(app, sender, 'propose_terms', input);
    expect((await ask({ file: base64(slides()) })).words).toContain('Jane Doe');
    const table = { file: base64('Name;Role\nAda Lovelace;CTO'), filename: 'speakers.csv' };
    expect((await ask(table)).structuredContent['proposals']).toMatchObject([
      { term: 'Ada Lovelace', kind: 'person_name' },
    ]);
    expect((await ask({ file: '*' })).words).toContain('file is not base64');
    expect((await ask({ file: base64('\0\0') })).words).toContain('unsupported_media_type');
    for (const input of [{}, { text: 'Ada', file: base64(card) }]) {
      expect((await ask(input)).words).toContain('Pass text or file, not both');
    }
  });

  test('as a body of any type, or in a form', async () => {
    const ofCard = 'person_name José Łukasiewicz,company_name Nordvik';
    const ofSlides = 'company_name Acme GmbH,person_name Jane Doe';
    expect(await post(card, 'text/vcard')).toEqual([200, ofCard]);
    expect(await post(card, 'text/plain; charset=utf-8')).toEqual([200, ofCard]);
    expect(await post(slides(), 'application/octet-stream')).toEqual([200, ofSlides]);
    expect(await post('Name,Company\nGrace Page,Veltrona\n', 'text/csv')).toEqual([
      200,
      'person_name Grace Page,company_name Veltrona',
    ]);
    const form = new FormData();
    form.append('file', new Blob([slides()]), 'a.pptx');
    form.append('file', new Blob(['Name\nGrace Page\n']), 'b.csv');
    const [status, both] = await post(form);
    expect([status, both]).toEqual([
      200,
      'company_name Acme GmbH,person_name Grace Page,person_name Jane Doe',
    ]);
    expect([...elsewhere]).toContain('foundTerms');
  });

  test('that cannot be read is refused', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0]);
    expect(await post(png, 'application/pdf')).toEqual([415, 'unsupported_media_type']);
    expect(await post(slides().slice(0, 90), 'application/zip')).toEqual([422, 'invalid_payload']);
    expect(await post('%PDF-1.4 x', 'application/pdf')).toEqual([422, 'invalid_payload']);
    expect(await post('a\n'.repeat(200_000), 'text/plain')).toEqual([413, 'payload_too_large']);
    expect(await post(new FormData())).toEqual([422, 'invalid_payload']);
    expect(await post('x', 'multipart/form-data; boundary=b')).toEqual([400, 'invalid_payload']);
  });
});

describe('learning', () => {
  const review = (who: MountedKey, heard: string, typed: string) =>
    reviewedRun(app, who, heard, typed);
  type Person = Awaited<ReturnType<typeof somebody>>;
  const rules = async ({ send }: Person, query = ''): Promise<Any[]> =>
    (await (await send('GET', undefined, {}, `${RULES}${query}`)).json()).rules;
  const heard = 'First we set up key cloke and then key cloke was running.';
  const typed = heard.replaceAll('key cloke', 'Keycloak');

  test('from a review: rules are applied if safe, have evidence, and can be undone', async () => {
    const ann = await somebody();
    const runId = await review(ann, heard, typed);
    const [rule] = await rules(ann);
    expect(rule).toMatchObject({
      kind: 'new_term',
      state: 'applied',
      automatic: true,
      evidence: { accepted: 2, text: 'key cloke → Keycloak, accepted twice in one talk' },
    });
    expect(rule.evidence.places[0]).toMatchObject({ runId, before: 'key cloke' });
    expect(await ann.names()).toEqual(['Keycloak']);
    const undone = await ann.send('PATCH', { state: 'undone' }, {}, `${RULES}/${rule.id}`);
    expect((await undone.json()).state).toBe('undone');
    expect(await ann.names()).toEqual([]);
    // It stays undone, however often the review is read.
    expect((await rules(ann))[0]?.state).toBe('undone');
    expect(await ann.names()).toEqual([]);
  });

  test('asks about ordinary words once, for that run', async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const runId = await review(ann, 'We use skim for that.', 'We use SCIM for that.');
    expect(await rules(bob)).toEqual([]);
    const [rule] = await rules(ann, `?state=proposed&runId=${runId}`);
    expect(rule).toMatchObject({ surface: 'skim', canonical: 'SCIM', state: 'proposed' });
    expect(await rules(ann, '?runId=run_other')).toEqual([]);
    const other = await bob.send('PATCH', { state: 'applied' }, {}, `${RULES}/${rule.id}`);
    expect(other.status).toBe(404);
    const decision = { state: 'applied', near: ['provisioning'] };
    const edited = await callTool(app, ann, 'settle_rule', { ruleId: rule.id, ...decision });
    expect(edited.structuredContent).toMatchObject(decision);
    const [term] = (await (await ann.send('GET')).json()).terms;
    const source = { kind: 'learned' };
    expect(term).toMatchObject({ canonical: 'SCIM', risky: ['skim'], source });
    expect(await rules(ann, '?state=proposed')).toEqual([]);
    const listed = await callTool(app, ann, 'list_rules', {});
    expect(listed.words).toContain('(applied): skim → SCIM, accepted once in one talk');
  });

  test('learns nothing when turned off', async () => {
    const ann = await somebody();
    const set = (automatic: boolean) => ann.send('PUT', { automatic }, {}, '/terminology/learning');
    await set(false);
    await review(ann, heard, typed);
    expect([await rules(ann), await ann.names()]).toEqual([[], []]);
    await set(true);
    expect((await rules(ann)).length).toBe(1);
  });
});

// The evidence of a rule after a person has decided on it, as more reviews come and as runs are erased.
const ann = await somebody();
const ask = async (method: string, path: string, body?: object): Promise<Any> => {
  const answer = await ann.send(method, body, {}, path);
  return answer.status === 204 ? null : answer.json();
};
const only = async (): Promise<Any> => (await ask('GET', RULES)).rules[0];

test('a dismissed rule shows its latest evidence; after an erasure, that of the decision', async () => {
  const runs = [await reviewedRun(app, ann, 'We use skim for that.', 'We use SCIM for that.')];
  const [place] = (await only()).evidence.places;
  const start = expect.closeTo(0.667);
  expect(place).toEqual({ runId: runs[0], start, before: 'skim', after: 'SCIM' });
  const decided = await ask('PATCH', `${RULES}/${(await only()).id}`, { state: 'dismissed' });
  expect(decided.evidence).toMatchObject({ accepted: 1, rejected: 0, talks: 1, places: [place] });

  runs.push(await reviewedRun(app, ann, 'You need skim there.', 'You need SCIM there.'));
  const later = await only();
  expect(later.state).toBe('dismissed');
  for (const [runId, count] of [...runs.map((id) => [id, 1] as const), ['run_x', 0] as const]) {
    const { structuredContent } = await callTool(app, ann, 'list_rules', { runId });
    expect(structuredContent.rules).toHaveLength(count);
  }
  const text = 'skim → SCIM, accepted twice in 2 talks';
  expect(later.evidence).toMatchObject({ accepted: 2, talks: 2, text });
  const places = later.evidence.places.map(({ runId }: Any) => runId);
  expect(places.toSorted()).toEqual(runs.toSorted());
  // There may be megabytes of evidence.
  expect([...elsewhere]).toContain('readRows');

  for (const id of runs) await ask('DELETE', `/workflows/captioner/${id}/data`);
  const last = await only();
  expect([last.state, last.settledAt]).toEqual(['dismissed', decided.settledAt]);
  expect(last.evidence).toEqual({ ...decided.evidence, places: [] });
});

test('a rule without a state, and one that nobody has learned, are refused', async () => {
  await reviewedRun(app, ann, 'Look at kelm now.', 'Look at Helm now.');
  const [asked, dismissed] = (await ask('GET', RULES)).rules;
  expect([asked.state, dismissed.state]).toEqual(['proposed', 'dismissed']);
  // Nor is a new wording enough for a rule that was dismissed.
  for (const { id } of [asked, dismissed]) {
    const undecided = await ask('PATCH', `${RULES}/${id}`, { near: ['chart'] });
    expect(undecided.error).toEqual({
      code: 'invalid_payload',
      message: 'Send the new state of the rule.',
      details: [{ path: 'state', message: 'is required for a rule that is not applied' }],
    });
  }
  const unknown = await ask('PATCH', `${RULES}/rule_x`, { state: 'applied' });
  expect(unknown.error.code).toBe('rule_not_found');
});

test('a new wording of an applied rule replaces the old one', async () => {
  const [{ id }] = (await ask('GET', `${RULES}?state=proposed`)).rules;
  const change = (patch: object) => ask('PATCH', `${RULES}/${id}`, patch);
  const term = async () =>
    (await ask('GET', TERMS)).terms.find(({ canonical }: Any) => canonical === 'Helm');
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
  const [{ id, automatic }] = (await ask('GET', `${RULES}?state=applied`)).rules;
  expect(automatic).toBe(true);
  const change = (patch: object) => ask('PATCH', `${RULES}/${id}`, patch);
  for (const path of ['surface', 'canonical']) {
    for (const text of ['…', '–', 'one '.repeat(21)]) {
      const { error } = await change({ [path]: text });
      expect([text, error.details]).toEqual([text, [{ path, message: 'is not a term' }]]);
    }
  }
  const renamed = await change({ canonical: ' Helmet ' });
  expect(renamed).toMatchObject({ canonical: 'Helmet', automatic: false });
});
