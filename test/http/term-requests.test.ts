/** Writing terms over HTTP: versions, faults by field, formats and preconditions. */
import { describe, expect, test } from 'bun:test';
import { versionsOf } from '../../server/http/workspace/term-requests.ts';
import { documentText, TooManyTerms } from '../../server/learning/document.ts';
import { storedTerm } from '../../server/learning/edit-terms.ts';
import { rule } from '../learning/documents.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const TERMS = '/terminology/terms';
let people = 0;

/** The terms of a separate workspace. */
async function workspace() {
  people += 1;
  const { key } = await app.signUp(`p${people}@example.com`);
  const send = (method: string, body?: unknown, headers: Record<string, string> = {}, query = '') =>
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

test('an entity tag names a version only as a whole', () => {
  expect(versionsOf(['terms-0', 'terms-12', 'xterms-1', 'terms-1x', 'terms-', 'other'])).toEqual([
    0,
    12,
    NaN,
    NaN,
    NaN,
    NaN,
  ]);
});

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

  test('more than a thousand are too many', async () => {
    const { send } = await workspace();
    const terms = Array.from({ length: 1000 }, (_, at) => ({ canonical: `T${at}` }));
    await send('PUT', { terms });
    expect(await faultsIn(await send('PATCH', { terms: [{ canonical: 'More' }] }))).toEqual([
      422,
      'There are too many terms.',
      [{ path: 'terms', message: 'must not be more than 1000' }],
    ]);
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

  test.each(['PUT', 'PATCH', 'DELETE'])('by %s of a version that is old is refused', async (by) => {
    const { send, names } = await workspace();
    await send('PUT', { terms: [{ canonical: 'One' }] });
    await send('PATCH', { terms: [{ canonical: 'Two' }] });
    const body = by === 'DELETE' ? undefined : { terms: [{ canonical: 'Three' }] };
    const late = await send(by, body, { 'if-match': '"terms-1"' });
    expect([late.status, late.headers.get('etag')]).toEqual([412, '"terms-2"']);
    expect(await names()).toEqual(['One', 'Two']);
    const inTime = await send(by, body, { 'if-match': '"terms-1", "terms-2"' });
    expect([inTime.status, inTime.headers.get('etag')]).toEqual([200, '"terms-3"']);
  });

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
    const terms = long(0, 150).terms.map((term) => storedTerm(term, { kind: 'person', at: 'now' }));
    const before = { terms, automatic: true, rules: [] };
    expect(documentText({ ...before, terms: terms.slice(1) }, before).document.terms).toHaveLength(
      149,
    );
    expect(() => documentText(before, before)).toThrow(TooManyTerms);
  });

  test('gives up the oldest rules that are not in force before it refuses', () => {
    const terms = long(0, 100).terms.map((term) => storedTerm(term, { kind: 'person', at: 'now' }));
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
